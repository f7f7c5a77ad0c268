"""`duologue show`: the dataset walker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.disk import replacing_text, write_text
from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.core.protocols import Surveying, Walkable
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.core.protocols import World


@click.command()
@options.task_argument
@click.argument("file", type=options.PATH)
@click.option(
    "--plain", type=options.OUT_FILE, default=None, help="Write the plain dump to this file instead of the screen."
)
@click.option("--statistics", type=options.OUT_FILE, default=None, help="Write the statistics to this file.")
@click.option("--only", type=click.Choice(["dump", "statistics"]), default=None, help="Show only one of the two.")
@options.kb_option("spoken")
@options.json_option
def show(
    *,
    task: str,
    file: Path,
    plain: Path | None,
    statistics: Path | None,
    only: str | None,
    kb: Path | None,
    as_json: bool,
) -> None:
    """Show a data FILE of TASK: every dialogue with its candidates and answer, then the statistics.

    Where the challenge has a dataset walker the content is the walker's; `--json` prints the statistics as one object.
    A knowledge graph of spoken is shown as FILE; given with --kg, triples of FILE that are not in it are marked.

    \b
    Examples:
      duologue show restaurant data/tst1/FILE.json | less
      duologue show restaurant FILE.json.gz --plain FILE.txt --statistics FILE.stat
      duologue show proactive sessions.jsonl.gz --only statistics
      duologue show spoken valid.json.gz --kg kg.json.gz | less
    """
    walkable: object = load_task(task)
    if not isinstance(walkable, Walkable):
        raise UsageError(f"task '{task}' has no walker")
    if kb is not None:
        if not isinstance(walkable, Surveying):
            raise UsageError(f"task '{task}' shows files without a knowledge base; leave --kb out")
        walkable = _InWorld(walkable, walkable.world(kb))
    if as_json:
        console.as_json(walkable.statistics(file))
        return
    if only != "statistics":
        if plain is None:
            walkable.dump(file, console.file_line)
        else:
            with replacing_text(plain) as out:
                walkable.dump(file, out.write)
    if only != "dump":
        text = walkable.statistics_text(file)
        if statistics is None:
            console.text(text)
        else:
            write_text(statistics, text)


class _InWorld:
    """A walker with a knowledge base at hand."""

    def __init__(self, task: Surveying, world: World) -> None:
        self._task, self._world = task, world

    def dump(self, path: Path, write: Callable[[str], object]) -> None:
        self._task.dump(path, write, world=self._world)

    def statistics(self, path: Path) -> dict[str, int | float | list[str]]:
        return self._task.statistics(path, world=self._world)

    def statistics_text(self, path: Path) -> str:
        return self._task.statistics_text(path, world=self._world)
