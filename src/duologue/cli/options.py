"""Arguments and options that several verbs share, and how progress is shown."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.core.protocols import Progress, Task, World

PATH = click.Path(path_type=Path)
WORKSPACE = Path("workspace")
"""Where outputs go that nobody gave another place."""

task_argument = click.argument("task", metavar="TASK")
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all chance."
)
recipe_option = click.option(
    "--recipe", type=PATH, default=None, help="TOML file with options; what it leaves out keeps its default."
)
set_option = click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override one recipe entry; may be repeated."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
gold_option = click.option(
    "--gold", type=PATH, multiple=True, help="A truth file; may be repeated, or left out where FILE has its own."
)
input_option = click.option("--input", "data", type=PATH, default=None, help="The data file: adds slices.")
variant_option = click.option(
    "--variant", default=None, help="strict (default), or official: the official program to the last digit."
)
choice_option = click.option(
    "--option", "chosen", multiple=True, metavar="NAME=VALUE", help="A choice within the variant; may be repeated."
)
samples_option = click.option("--samples", default=None, help="Score a subset of the samples (duologue list --scores).")
partial_option = click.option(
    "--partial", is_flag=True, help="Score a file with errors too; what is missing or wrong counts as wrong."
)
quiet_option = click.option("--quiet", is_flag=True, help="Show no progress.")
kb_option = click.option(
    "--kb",
    "--kg",
    "kb",
    type=PATH,
    default=None,
    help="The knowledge base or graph, in its official form (.gz is fine).",
)


def world_of(task: Task, path: Path | None) -> World | None:
    """Return the task's knowledge base from a file; `None` without a file or for a task that has none."""
    from duologue.core.errors import UsageError
    from duologue.core.protocols import Grounded

    if path is None:
        return None
    if not isinstance(task, Grounded):
        raise UsageError(f"task '{task.brief.name}' has no knowledge base; leave --kb out")
    return task.world(path)


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Progress | None]:
    """Show progress on the terminal; where there is none, or with `--quiet`, show nothing."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        rows: dict[str, Any] = {}

        def show(done: int, total: int, what: str) -> None:
            if what not in rows:
                rows[what] = bar.add_task(what, total=total)
            bar.update(rows[what], completed=done, total=total)

        yield show
