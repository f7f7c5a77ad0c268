"""`duologue data fetch`: how to obtain the data of a challenge, and whether a folder holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import msgspec

from duologue.core.amounts import amount
from duologue.core.errors import DuologueError, UsageError
from duologue.core.locks import writing_folder
from duologue.core.plugins import challenges
from duologue.run import fetch as subject
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.data_sets import DataSet


@click.command(cls=options.ResumableCommand)
@click.argument("challenge", required=False, metavar="[CHALLENGE]")
@click.option("--only", multiple=True, metavar="NAME", help="This data set of the challenge alone; may be repeated.")
@click.option(
    "--out", type=options.OUT_FOLDER, default=None, help="Fetch what is free and has an address here into this folder."
)
@click.option(
    "--check", "folder", type=options.PATH, default=None, help="Check that this folder has the files, and read them."
)
@options.json_option
@options.quiet_option
def fetch(
    *, challenge: str | None, only: tuple[str, ...], out: Path | None, folder: Path | None, as_json: bool, quiet: bool
) -> None:
    """Tell where the data of a CHALLENGE come from, fetch some that are free, and check what you have.

    Most data are licensed, and none are shipped. Without an option: source, licence, what to do, where to put
    the files, whom to cite, and their names and sizes; without a CHALLENGE a list of all. Commands take paths, so any
    folder will do.

    --out fetches what may be had without an agreement or a registration and has an address and checksums here; why the
    rest is not fetched is said. A file whose checksum is wrong is not kept, and one that breaks off is gone on with by
    the same command.
    --check looks for the files below a folder, by content and by name, packed or not, compares sizes, checksums and
    numbers of dialogues where they are known, and reads them. Exit code 1: one is damaged, is another, or is missing.
    Data sets of which nothing is there count only when --only names them, or when nothing at all is there.

    \b
    Examples:
      duologue data fetch
      duologue data fetch proactive
      duologue data fetch restaurant --only babi --out data
      duologue data fetch restaurant --check data/dstc6
    """
    if challenge is None:
        if only or out is not None or folder is not None:
            raise UsageError(f"name the challenge; known are {', '.join(challenges())}")
        _list_all(as_json=as_json)
        return
    if out is not None and folder is not None:
        raise UsageError("--out fetches and --check checks; give one of the two")
    chosen = subject.data_sets_of(challenge, only)
    if not chosen:
        raise UsageError(f"'{challenge}' tells of no data (it would have a data_sets.toml beside its task)")
    if out is not None:
        _fetch(chosen, out, quiet=quiet, as_json=as_json)
    elif folder is not None:
        _check(chosen, folder, named=bool(only), quiet=quiet, as_json=as_json)
    elif as_json:
        console.as_json({"challenge": challenge, "data_sets": [msgspec.to_builtins(one) for _, one in chosen]})
    else:
        for number, (_, one) in enumerate(chosen):
            if number:
                console.line("")
            _tell(challenge, one)


def _list_all(*, as_json: bool) -> None:
    found = {name: [one for _, one in subject.data_sets_of(name)] for name in challenges()}
    if as_json:
        console.as_json({name: [msgspec.to_builtins(one) for one in sets] for name, sets in found.items()})
        return
    for name, sets in found.items():
        console.line(f"{name}:" if sets else f"{name}: tells of no data")
        for one in sets:
            console.line(f"  {one.name}: {one.about}{' (fetched by --out)' if one.url else ''}")
    console.line("`duologue data fetch CHALLENGE` says how to get them.")


def _tell(challenge: str, one: DataSet) -> None:
    console.line(f"{one.name}: {one.about}", bold=True)
    console.line(f"  source   {one.source}")
    console.line(f"  licence  {one.licence}")
    for number, step in enumerate(one.obtain, start=1):
        console.line(f"  {'obtain' if number == 1 else '      '}   {number}. {step}")
    if one.url:
        console.line(f"  fetch    duologue data fetch {challenge} --only {one.name} --out FOLDER")
    place = f"data/{challenge}/{one.name}"
    console.line(f"  put      the files into a folder of yours, named as below, such as {place}")
    console.line(f"           then: duologue data fetch {challenge} --only {one.name} --check {place}")
    for number, cited in enumerate(one.cite):
        console.line(f"  {'    ' if number else 'cite'}     {cited.plain()}")
    if not one.files:
        console.line("  files    their names are not known here, so --check cannot look for them")
    for number, file in enumerate(one.files, start=1):
        known = [
            *([f"{file.bytes:,} bytes"] if file.bytes is not None else []),
            *([amount(file.rows, "row")] if file.rows is not None else []),
            *([f"SHA-256 {file.sha256[:16]}..."] if file.sha256 else []),
        ]
        if "*" in file.name:
            known = ["names are not known here; --check reads whatever there is"]
        console.line(f"  {'files' if number == 1 else '     '}    {file.name}{': ' if known else ''}{', '.join(known)}")


def _fetch(chosen: list[tuple[str, DataSet]], out: Path, *, quiet: bool, as_json: bool) -> None:
    free = [one for _, one in chosen if one.url]
    if not free:
        told = "; ".join(f"{one.name}: {one.not_fetched}" for _, one in chosen)
        raise DuologueError(f"nothing can be fetched here: {told}. Leave --out out, and it is said how to get them")
    with writing_folder(out), options.progress_bar(quiet=quiet) as progress:
        paths = {one.name: subject.fetch(one, out, progress=progress) for one in free}
    if as_json:
        console.as_json({name: [str(path) for path in found] for name, found in paths.items()})
        return
    for name, found in paths.items():
        console.line(f"{name}: {amount(len(found), 'file')} in {out / name}, checksums as expected")
    for _, one in chosen:
        if not one.url:
            console.line(f"{one.name}: {one.not_fetched}; source: {one.source}")


def _check(chosen: list[tuple[str, DataSet]], folder: Path, *, named: bool, quiet: bool, as_json: bool) -> None:
    with options.progress_bar(quiet=quiet) as progress:
        verdicts = subject.check(chosen, folder, progress=progress)
    there = {one.data_set for one in verdicts if one.state != "missing"}
    counted = [one for one in verdicts if named or not there or one.data_set in there]
    bad = [one for one in counted if one.state != "ok"]
    if as_json:
        rows = [{**one._asdict(), "path": one.path and str(one.path)} for one in verdicts]
        console.as_json({"ok": bool(counted) and not bad, "files": rows})
    else:
        for one in counted:
            console.line(f"{one.data_set}/{one.name}: {one.state}: {one.told}{f' ({one.path})' if one.path else ''}")
        for _, data_set in chosen:
            if not data_set.files:
                console.line(f"{data_set.name}: its files are not known here, so they cannot be checked")
            elif not named and there and data_set.name not in there:
                console.line(f"{data_set.name}: nothing of it is here")
    if bad or not counted:
        raise click.exceptions.Exit(1)
