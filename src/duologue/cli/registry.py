"""`duologue list`: what is installed, and every formula that it scores by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from duologue.core.capabilities import CAPABILITIES, capabilities, reasons
from duologue.core.errors import DuologueError
from duologue.core.extras import lacking
from duologue.core.plugins import Entry, describe, entries, load_task
from duologue.core.records import Scoring, Signature
from duologue.terminal import console

if TYPE_CHECKING:
    from duologue.core.protocols import Task, TaskInfo


@click.command(name="list")
@click.option("--scores", is_flag=True, help="Show every score of every task: formula, signature, source.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def list_registered(*, scores: bool, as_json: bool) -> None:
    """Show the tasks and systems that are installed, ours and other packages'.

    \b
    Examples:
      duologue list
      duologue list --scores
    """
    if scores:
        _list_scores(as_json=as_json)
        return
    tasks = [_task_row(entry) for entry in entries("tasks")]
    infos = {row["name"]: row.pop("info") for row in tasks}
    systems = [_system_row(entry, infos) for entry in entries("systems")]
    if as_json:
        console.as_json({"tasks": tasks, "systems": systems})
        return
    console.line("tasks:")
    _print_rows(tasks)
    columns = [one.column for one in CAPABILITIES]
    console.line("")
    console.line("what each task has (the guide: docs/guide/your-own-task.md):")
    _print_table(columns, {row["name"]: row["capabilities"] for row in tasks})
    console.line("")
    console.line("what a task does without, and why:")
    for row in tasks:
        for column, why in row["without"].items():
            console.line(f"  {row['name']}, {column}: {why}")
    console.line("")
    console.line("systems:")
    _print_rows(systems)
    console.line("")
    console.line("the tasks that each system is for:")
    _print_table(list(infos), {row["name"]: row["tasks"] for row in systems})


def _print_rows(rows: list[dict[str, Any]]) -> None:
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        origin = "" if row["package"] == "duologue" else f" (from {row['package']})"
        missing = f" [not installed: {row['lacking']}]" if row.get("lacking") else ""
        console.line(f"  {row['name']:<{width}}  {row['about']}{origin}{missing}")


def _print_table(columns: list[str], marked: dict[str, list[str]]) -> None:
    """Print a row per name with an x below each column that it is marked for."""
    width = max(map(len, marked), default=0)
    console.line(f"  {'':<{width}}  {'  '.join(columns)}")
    for name, found in marked.items():
        cells = "  ".join(("x" if column in found else "-").center(len(column)) for column in columns)
        console.line(f"  {name:<{width}}  {cells}".rstrip())


def _task_row(entry: Entry) -> dict[str, Any]:
    """Return name, package, first docstring line and capabilities; a broken plug-in says so and hides no other."""
    row: dict[str, Any] = {"name": entry.name, "package": entry.distribution, "capabilities": []}
    row |= {"without": {}, "info": None}
    try:
        about, task = describe(entry).about, load_task(entry.name)
    except DuologueError as error:
        return {**row, "about": f"cannot be loaded: {error}"}
    kept = [one.column for one in capabilities(task)]
    return {**row, "about": about, "capabilities": kept, "without": reasons(task), "info": task.info}


def _system_row(entry: Entry, infos: dict[str, TaskInfo | None]) -> dict[str, Any]:
    """Return name, package, what it is for, first docstring line and missing extras of a system."""
    row: dict[str, Any] = {"name": entry.name, "package": entry.distribution, "for": "", "tasks": [], "lacking": ""}
    try:
        told = describe(entry)
    except DuologueError as error:
        return {**row, "about": f"cannot be loaded: {error}"}
    missing = [f"{entry.distribution}[{extra}]" for extra in told.extras if lacking(extra, entry.distribution)]
    fits = [name for name, info in infos.items() if info is not None and not told.scope.refusal(info)]
    return {**row, "for": str(told.scope), "tasks": fits, "about": told.about, "lacking": ", ".join(missing)}


def _list_scores(*, as_json: bool) -> None:
    tasks = [_scores_of(entry.name) for entry in entries("tasks")]
    if as_json:
        console.as_json({"tasks": tasks})
        return
    for task in tasks:
        console.line(f"{task['task']}:")
        if "problem" in task:
            console.line(f"  cannot be loaded: {task['problem']}")
            continue
        for row in task["scores"]:
            console.line(f"  {row['variant']}, {row['score']}")
            console.line(f"    formula    {row['formula']}")
            console.line(f"    signature  {row['signature']}")
            console.line(f"    source     {row['source']}")
        for what in ("options", "samples", "slices"):
            if task[what]:
                console.line(f"  {what}: {_told(task[what])}")


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name} = {' | '.join(values) or 'any text'}" for name, values in value.items())
    return ", ".join(value)


def _scores_of(name: str) -> dict[str, Any]:
    """Return a task's scores in all variants with their default options; a broken plug-in says so."""
    try:
        task = load_task(name)
        rows = [row for variant in task.info.variants for row in _variant_rows(task, variant)]
    except DuologueError as error:
        return {"task": name, "problem": str(error)}
    return {
        "task": name,
        "scores": rows,
        "options": {option: list(values) for option, values in task.info.options.items()},
        "samples": list(task.info.samples),
        "slices": list(task.info.slices),
    }


def _variant_rows(task: Task, variant: str) -> list[dict[str, Any]]:
    info = task.info
    return [
        {
            "variant": variant,
            "score": metric.name,
            "formula": metric.formula,
            "signature": f"{metric.formula} | {info.name} | {variant} | v{info.version}",
            "source": metric.source or (type(metric).__doc__ or "").strip().partition("\n")[0],
            "interval": f"{Signature().resampling} over dialogues"
            if metric.additive
            else "its own, see the documentation",
        }
        for metric in task.metrics(Scoring(variant=variant, samples=info.samples[0]))
    ]
