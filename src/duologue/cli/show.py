"""`duologue show`: the dataset walker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.capabilities import lacking_capability
from duologue.core.dialogue_view import english_statistics, plain_lines
from duologue.core.disk import replacing_text, write_text
from duologue.core.optional_protocols import FactChecking, Inspectable
from duologue.core.plugins import load_task
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from duologue.core.dialogue_view import DialogueView
    from duologue.core.protocols import Task


@click.command()
@options.task_argument
@click.argument("file", type=options.PATH)
@click.option(
    "--plain", type=options.OUT_FILE, default=None, help="Write the plain dump to this file instead of the screen."
)
@click.option("--statistics", type=options.OUT_FILE, default=None, help="Write the statistics to this file.")
@options.force_option
@click.option("--only", type=click.Choice(["dump", "statistics"]), default=None, help="Show only one of the two.")
@click.option("--out", type=options.OUT_PAGE, default=None, help="Write this HTML page instead, for any browser.")
@options.count_option("--n", "Dialogues on the page; it tells how many it leaves out.", default=200)
@options.kb_option("spoken")
@click.option(
    "--gold",
    type=options.PATH,
    multiple=True,
    help="A truth file: FILE is a result, and is shown on it; may be repeated.",
)
@click.option(
    "--input",
    "data",
    type=options.PATH,
    default=None,
    help="The data file that FILE answers, where the truth has no dialogues.",
)
@options.json_option
def show(
    *,
    task: str,
    file: Path,
    plain: Path | None,
    statistics: Path | None,
    only: str | None,
    out: Path | None,
    n: int,
    kb: Path | None,
    gold: tuple[Path, ...],
    data: Path | None,
    as_json: bool,
) -> None:
    """Show a data FILE of TASK: every dialogue with its candidates and answer, then the statistics.

    Where the challenge has a dataset walker the content is the walker's; `--json` prints the statistics as one object.
    A knowledge graph of spoken is shown as FILE; given with --kg, triples of FILE that are not in it are marked.
    mobilecs shows data and results of both tracks: mentions and slot values marked in the utterances, labels with
    English names. `--out` writes both as a page, one file that needs no network.

    With --gold FILE is a result, and each sample is shown with what was wanted and what was answered; mentions and
    values of mobilecs/extraction as hit, missed or false, as its strict score counts them.

    \b
    Examples:
      duologue show restaurant data/tst1/FILE.json | less
      duologue show restaurant FILE.json.gz --plain FILE.txt --statistics FILE.stat
      duologue show proactive sessions.jsonl.gz --only statistics
      duologue show mobilecs/dialogue calls/track2/test.json | less
      duologue show mobilecs/extraction calls/labelled/test.json --out calls.html
      duologue show restaurant FILE.pred.json --gold TRUTH.json --input FILE.json | less
      duologue show mobilecs/extraction RESULT.json --gold calls/labelled/test.json --out errors.html
      duologue show spoken valid.json.gz --kg kg.json.gz | less
    """
    _refuse_unwritten(only, out, as_json=as_json)
    console.take_warnings(once=True)  # the dump and the statistics read the file, each for itself
    loaded = load_task(task) if kb is None else _held_against(load_task(task), kb)
    if gold:
        options.refuse("`duologue score` says the figures of a result", "statistics", "only", "as_json")
        from duologue.run.evaluate import on_truth

        _show_on_truth(loaded, file, on_truth(loaded, gold, file, data=data), plain, out, n)
        return
    options.refuse("without --gold FILE is no result", "data")
    if not isinstance(loaded, Inspectable):
        raise lacking_capability(task, "Inspectable")
    if as_json:
        console.as_json(english_statistics(loaded.statistics(file)))
        return
    if out is not None:
        from duologue.report.dialogues import write_dialogues_page

        write_dialogues_page(out, loaded.views(file), loaded.statistics(file), title=f"{task}: {file.name}", n=n)
        return
    if only != "statistics":
        if plain is None:
            loaded.dump(file, console.file_line)
        else:
            with replacing_text(plain) as written:
                loaded.dump(file, written.write)
    if only != "dump":
        text = loaded.statistics_text(file)
        if statistics is None:
            console.text(text)
        else:
            write_text(statistics, text)


def _held_against(task: Task, kb: Path) -> Task:
    """Return a task with the knowledge base that its files are held against."""
    if not isinstance(task, FactChecking):
        raise lacking_capability(task.info.name, "FactChecking", "leave --kb out")
    return task.with_world(task.world(kb))


def _show_on_truth(
    task: Task, file: Path, dialogues: Iterable[DialogueView], plain: Path | None, out: Path | None, n: int
) -> None:
    """Show a result file on its truth: on the screen, in a file, or as a page."""
    if out is not None:
        from duologue.report.dialogues import write_dialogues_page

        write_dialogues_page(out, dialogues, {}, title=f"{task.info.name}: {file.name}", n=n)
        return
    lines = plain_lines(dialogues)
    if plain is not None:
        with replacing_text(plain) as written:
            written.writelines(lines)
        return
    for line in lines:
        console.file_line(line)


def _refuse_unwritten(only: str | None, out: Path | None, *, as_json: bool) -> None:
    """Raise `UsageError` for files that would not be written."""
    if as_json:
        options.refuse("--json prints the statistics as one object", "plain", "statistics", "only", "out")
    if out is None:
        options.refuse("the screen shows all dialogues", "n")
    else:
        options.refuse("--out writes dialogues and statistics as one page", "plain", "statistics", "only")
    if only is not None:
        options.refuse(f"--only {only} shows one of the two", "plain" if only == "statistics" else "statistics")
