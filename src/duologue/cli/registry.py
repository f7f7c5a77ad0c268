"""`duologue list`: what is installed, and every formula that it scores by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from duologue.core.errors import DuologueError
from duologue.core.extras import lacking
from duologue.core.plugins import Entry, describe, entries, load_task
from duologue.core.records import Scoring
from duologue.terminal import console

if TYPE_CHECKING:
    from duologue.core.protocols import Task


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
    rows = {kind: [_row(entry) for entry in entries(kind)] for kind in ("tasks", "systems")}
    if as_json:
        console.as_json(rows)
        return
    for kind, found in rows.items():
        console.line(f"{kind}:")
        width, wide = (max((len(row.get(key, "")) for row in found), default=0) for key in ("name", "for"))
        for row in found:
            origin = "" if row["package"] == "duologue" else f" (from {row['package']})"
            scope = f"{row.get('for', ''):<{wide}}  " if kind == "systems" else ""
            missing = f" [not installed: {row['lacking']}]" if row.get("lacking") else ""
            console.line(f"  {row['name']:<{width}}  {scope}{row['about']}{origin}{missing}")


def _row(entry: Entry) -> dict[str, str]:
    """Return name, package and first docstring line, and of a system what it is for and the extras that it lacks.

    A broken plug-in says so in its row and hides no other.
    """
    row = {"name": entry.name, "package": entry.distribution}
    try:
        told = describe(entry)
    except DuologueError as error:
        return {**row, "about": f"cannot be loaded: {error}"}
    if entry.kind == "tasks":
        return {**row, "about": told.about}
    missing = [f"{entry.distribution}[{extra}]" for extra in told.extras if lacking(extra, entry.distribution)]
    return {**row, "for": str(told.scope), "about": told.about, "lacking": ", ".join(missing)}


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
        rows = [row for variant in task.brief.variants for row in _variant_rows(task, variant)]
    except DuologueError as error:
        return {"task": name, "problem": str(error)}
    return {
        "task": name,
        "scores": rows,
        "options": {option: list(values) for option, values in task.brief.options.items()},
        "samples": list(task.brief.samples),
        "slices": list(task.brief.slices),
    }


def _variant_rows(task: Task, variant: str) -> list[dict[str, Any]]:
    from duologue.metrics.counts import sign  # numpy only for those who ask for scores

    brief = task.brief
    return [
        {
            "variant": variant,
            "score": metric.name,
            "formula": metric.formula,
            "signature": sign([metric], brief.name, variant, f"v{brief.version}"),
            "source": metric.source or (type(metric).__doc__ or "").strip().partition("\n")[0],
            "interval": "bootstrap" if metric.additive else "its own, see the documentation",
        }
        for metric in task.metrics(Scoring(variant=variant, samples=brief.samples[0]))
    ]
