"""`duologue verify`: a stored number, computed again from its stored files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from duologue.core.amounts import amount
from duologue.run.verify import FileLocations, find, paths_in
from duologue.run.verify import verify as verify_report
from duologue.terminal import console, options

if TYPE_CHECKING:
    from duologue.judges.note import JudgeVerdict
    from duologue.run.verify import Verdict

_JUDGED = ".judge.json"
"""How notes of `duologue judge` end."""


@click.command()
@click.argument("what", metavar="SIGNATURE | FILE.report.json | FILE.judge.json")
@click.option(
    "--in",
    "folders",
    type=options.FOLDER,
    multiple=True,
    help="Where saved reports (default: workspace) and their files are looked for; may be repeated.",
)
@options.gold_option
@click.option("--pred", type=options.PATH, default=None, help="The result file, where it is not beside the report.")
@click.option("--input", "data", type=options.PATH, default=None, help="The data file, where it is not beside it.")
@click.option(
    "--option",
    "chosen",
    multiple=True,
    metavar="NAME=PATH",
    help="A file or program that was an option, such as meteor=meteor-1.5.jar; may be repeated.",
)
@options.json_option
def verify(
    *,
    what: str,
    folders: tuple[Path, ...],
    gold: tuple[Path, ...],
    pred: Path | None,
    data: Path | None,
    chosen: tuple[str, ...],
    as_json: bool,
) -> None:
    """Compute a stored number again from its stored files, and say that it is equal or what differs.

    FILE.judge.json is what `duologue judge` wrote: it is judged again from the recording, without the endpoint.
    A report that `duologue score --out FILE.report.json` saved names its truth, result and data files with
    their hashes. Give that file, or a signature to be looked up among saved reports. Exit code 0: everything is
    equal to the last digit; 1: something differs, or a file is not to be had and nothing was compared.

    Files are looked for by their stored path beside the report and in the current folder, and anywhere below the
    folders given with --in; paths in a report that lead elsewhere are not followed, and a program (METEOR's) is never
    taken from a report.

    \b
    Examples:
      duologue verify FILE.report.json
      duologue verify FILE.report.json --in data --in results
      duologue verify FILE.judge.json
      duologue verify "p@1 = hit@1 / items | restaurant | strict | ..." --in results
    """
    if what.endswith(_JUDGED):
        options.refuse(
            "the files of a judgement are told by its note and found with --in", "gold", "pred", "data", "chosen"
        )
        _verify_judge(Path(what), folders, as_json=as_json)
        return
    given = FileLocations(folders, gold, data, pred, paths_in(chosen))
    verdicts = [verify_report(path, given) for path in find(what, folders or (options.WORKSPACE,))]
    if as_json:
        rows = [
            {
                "report": str(one.path),
                "equal": not (one.differences or one.missing),
                "checked": one.checked,
                "differences": list(one.differences),
                "missing": list(one.missing),
                "remarks": list(one.remarks),
                "signature": one.signature,
            }
            for one in verdicts
        ]
        console.as_json({"verified": rows})
    else:
        for one in verdicts:
            if not (one.differences or one.missing):
                console.line(f"{one.path}: equal, {amount(one.checked, 'figure')} computed again")
            _tell(one.path, one)
            for remark in one.remarks:
                console.line(f"{one.path}: {remark}")
    if any(one.differences or one.missing for one in verdicts):
        raise click.exceptions.Exit(1)


def _verify_judge(note: Path, folders: tuple[Path, ...], *, as_json: bool) -> None:
    from duologue.judges.note import verify_note

    verdict = verify_note(note, folders)
    equal = not (verdict.differences or verdict.missing)
    if as_json:
        console.as_json({"verified": [{"report": str(note), "equal": equal, **verdict._asdict()}]})
    elif equal:
        console.line(f"{note}: equal, {verdict.checked} ratings and figures judged again from the recording")
    else:
        _tell(note, verdict)
    if not equal:
        raise click.exceptions.Exit(1)


def _tell(what: Path, verdict: Verdict | JudgeVerdict) -> None:
    """Print what differs, and what could not be compared for want of a file."""
    for difference in verdict.differences:
        console.line(f"{what}: differs: {difference}")
    for file in verdict.missing:
        console.line(f"{what}: not compared: {file}")
