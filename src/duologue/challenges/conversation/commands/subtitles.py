"""`duologue data extract subtitles`: OpenSubtitles from the archive to pairs of sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from duologue.core.errors import UsageError
from duologue.core.locks import writing_folder
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.challenges.conversation.extraction.subtitles.extractor import Made


def add_subtitles(parent: click.Group) -> None:
    """Give `duologue data extract` its subcommand `subtitles`."""
    parent.add_command(subtitles)


@click.command(cls=options.ResumableCommand)
@click.argument("source", type=options.PATH, metavar="ARCHIVE|FOLDER")
@click.option(
    "--out", type=options.OUT_FOLDER, required=True, help="Folder for train.txt, dev.txt, ... and utterances/."
)
@click.option(
    "--profile",
    type=click.Choice(["by-movie", "official"]),
    default="by-movie",
    show_default=True,
    help="by-movie: no movie is in two parts. official: the files and bytes of the challenge's own tool.",
)
@click.option(
    "--ratios",
    default=None,
    metavar="TRAIN,DEV[,TEST]",
    help="Shares of the parts. Default 0.9,0.1; official 0.1,0.001, the shares of the challenge's trial data.",
)
@click.option(
    "--eval",
    "samples",
    type=options.CountNumber(min=1),
    default=None,
    is_flag=False,
    flag_value=500,
    metavar="[N]",
    help="Draw N samples (500) from dev.txt into eval.txt, as the official tool does.",
)
@options.count_option("--max-length", "Words of a long sentence.", default=20, least=2)
@click.option(
    "--duplicates",
    type=click.Choice(["keep", "exact", "near"]),
    default=None,
    help="Which further copies of a pair to leave out. Default exact; official keep. near: those with the same "
    "letters and digits too, and files that are mostly a copy of another.",
)
@click.option(
    "--leaks/--no-leaks", default=None, help="Whether pairs of train may be in dev too. Default no; official yes."
)
@options.count_option(
    "--check-every",
    "Compare the fast reader with a strict one on every so many files; 0 for never.",
    default=128,
    least=0,
)
@options.workers_option
@click.option(
    "--engine",
    type=click.Choice(["processes", "ray"]),
    default="processes",
    show_default=True,
    help="Where the work is done: on this machine, or on a Ray cluster.",
)
@click.option("--address", default=None, help="Address of a Ray cluster; without it Ray is started here.")
@options.quiet_option
def subtitles(
    *,
    source: Path,
    out: Path,
    profile: str,
    ratios: str | None,
    samples: int | None,
    max_length: int,
    duplicates: str | None,
    leaks: bool | None,
    check_every: int,
    workers: int,
    engine: str,
    address: str | None,
    quiet: bool,
) -> None:
    """Make pairs of neighbouring sentences from OpenSubtitles, as OPUS publishes it.

    Reads a .tar.gz with .xml.gz files (2016), a .zip with .xml files (2018, 2024) or a folder with either, without
    unpacking an archive. Files that cannot be read are named and left out. The cleaned utterances stay in
    OUT/utterances as Parquet; a stopped run goes on with them. The bytes do not depend on workers, engine or the
    order of files. Files of these names that were not extracted there are kept: the folder is refused.

    \b
    Examples:
      duologue data extract subtitles en.tar.gz --out subtitles
      duologue data extract subtitles en.tar.gz --profile official --ratios 0.9,0.1 --eval 500 --out official
      duologue data extract subtitles xml/en --profile official --engine ray --workers 2 --out official
    """
    import msgspec

    from duologue.challenges.conversation.extraction.subtitles import extractor as subject
    from duologue.challenges.conversation.extraction.subtitles.utterances import Extraction

    chosen = {
        "ratios": _ratios(ratios),
        "samples": samples,
        "duplicates": duplicates,
        "leaks": leaks,
        "max_length": max_length,
    }
    wanted: Any = msgspec.structs.replace(
        subject.DEFAULTS[profile], **{key: value for key, value in chosen.items() if value is not None}
    )
    with writing_folder(out), options.progress_bar(quiet=quiet) as progress:
        made = subject.extract(
            source, out, wanted, Extraction(check_every=check_every),
            workers=workers, engine=engine, address=address, say=console.line, progress=progress,
        )  # fmt: skip
    _report(made)


def _ratios(text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError as error:
        raise UsageError(f"expected ratios such as 0.9,0.1, found '{text}'") from error


def _report(made: Made) -> None:
    """Say on standard error what the official lines do not: pairs written, files left out."""
    summary = made.summary
    for name, reason in summary.skipped[:20]:
        console.line(f"left out {_shown(name)}: {reason}", err=True)
    if len(summary.skipped) > 20:
        console.line(f"... and {len(summary.skipped) - 20:,} more", err=True)
    for name in summary.differing:
        console.line(
            f"{_shown(name)}: the fast reader and the strict one disagree; the strict one was used. "
            "This is a fault of duologue: please report the file",
            err=True,
        )
    written = ", ".join(f"{part} {count:,}" for part, count in made.written.items())
    console.line(
        f"pairs written: {written}; files read: {summary.read:,}, left out: {len(summary.skipped):,}, of an unusual "
        f"layout: {summary.strictly:,}, read both ways: {summary.checked:,}; copies left out: {made.copies:,}",
        err=True,
    )
    if summary.read and not summary.sentences:
        console.line("no file has words (w elements); is this the untokenised release ('raw')? Get 'xml'", err=True)


def _shown(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode("utf-8")
