"""`duologue simulate`: whole conversations of a system with a simulated user."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from duologue.cli import options
from duologue.cli.predict import load_any
from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.core.protocols import Playable
from duologue.report import to_json
from duologue.run.saved import save_report
from duologue.run.simulate import simulate as play_all

if TYPE_CHECKING:
    from duologue.run.simulate import Simulation


@click.command()
@options.task_argument
@click.option("--system", "name", required=True, help="A system's name (duologue list) or the folder of a model.")
@click.option("--goals", type=options.PATH, required=True, help="Sessions or samples: the goal and knowledge of each.")
@click.option("--n", type=click.IntRange(min=1), default=500, show_default=True, help="How many conversations.")
@click.option(
    "--users",
    type=options.PATH,
    multiple=True,
    help="Sessions whose users the simulated user speaks like (default: other sessions of --goals); may be repeated.",
)
@click.option("--max-turns", type=click.IntRange(min=1), default=None, help="Cut after so many utterances.")
@click.option("--out", type=options.PATH, default=None, help="Write the dialogues in their official form.")
@click.option("--report", "saved", type=options.PATH, default=None, help="Save the report as JSON, counts included.")
@options.seed_option
@options.recipe_option
@options.set_option
@options.json_option
@options.quiet_option
def simulate(
    *,
    task: str,
    name: str,
    goals: Path,
    n: int,
    users: tuple[Path, ...],
    max_turns: int | None,
    out: Path | None,
    saved: Path | None,
    seed: int,
    recipe: Path | None,
    overrides: tuple[str, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Let a system of TASK talk with a simulated user, and judge the whole conversations.

    The user never sees goal or knowledge. Of more goals than --n some are drawn by the seed; the same seed gives the
    same dialogues. Beside the figures stand those of people, where the file holds their dialogues, and how long the
    system took for a reply.

    \b
    Examples:
      duologue simulate proactive --system model --goals sessions.jsonl --n 500 --seed 1 --json
      duologue simulate proactive --system model --goals samples.jsonl --users sessions.jsonl --out dialogues.jsonl
    """
    loaded = load_task(task)
    if not isinstance(loaded, Playable):
        raise UsageError(f"task '{task}' has no simulated user to hold whole conversations with")
    system = load_any(name, recipe, overrides)
    stage = loaded.stage(goals, users, n=n, seed=seed, max_turns=max_turns)
    label = Path(name).name or name
    with options.progress_bar(quiet=quiet) as progress:
        found = play_all(loaded, system, stage, name=label, seed=seed, progress=progress)
    if out is not None:
        loaded.write_dialogues(found.dialogues, out)
    if saved is not None:
        save_report(found.report, saved)
    if as_json:
        click.echo(json.dumps(_jsonable(found, seed), ensure_ascii=False))
    else:
        _print(found)


def _jsonable(found: Simulation, seed: int) -> dict[str, Any]:
    """Return the report's JSON object, and in it people, endings, latency (milliseconds), problems and notes."""
    latency = found.latency
    return {
        **to_json(found.report),
        "seed": seed,
        "people": None if found.people is None else to_json(found.people)["scores"],
        "ended_by": found.ended_by,
        "latency_ms": {"replies": latency.replies, "p50": latency.p50, "p95": latency.p95, "max": latency.most},
        "problems": msgspec.to_builtins(found.report.problems),
        "notes": list(found.notes),
    }


def _print(found: Simulation) -> None:
    from rich.console import Console

    from duologue.report import render

    console = Console(highlight=False)
    for report in (found.report, found.people):
        if report is not None:
            console.print(render(report))
    endings = ", ".join(f"{how} {count}" for how, count in found.ended_by.items())
    latency = found.latency
    click.echo(f"ended by: {endings}")
    click.echo(f"{latency.replies} replies, each in {latency.p50:.0f} ms (median), {latency.p95:.0f} ms (95 %)")
    for note in found.notes:
        click.echo(f"note: {note}")
