"""`duologue verify`: a stored number, computed again from its stored files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from duologue.cli import options
from duologue.run.verify import find
from duologue.run.verify import verify as verify_report

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("what", metavar="SIGNATURE | FILE.report.json")
@click.option(
    "--in",
    "folders",
    type=options.PATH,
    multiple=True,
    default=(options.WORKSPACE,),
    help="Where saved reports are looked for; may be repeated (default: workspace).",
)
@options.json_option
def verify(*, what: str, folders: tuple[Path, ...], as_json: bool) -> None:
    """Compute a stored number again from its stored files, and say that it is equal or what differs.

    A report that `duologue score --out FILE.report.json` saved names its truth, result and data files with
    their hashes. Give that file, or a signature to be looked up among saved reports. Exit code 0: everything is
    equal to the last digit; 1: something differs.

    \b
    Examples:
      duologue verify FILE.report.json
      duologue verify "p@1 = hit@1 / items | restaurant | strict | ..." --in results
    """
    verdicts = [verify_report(path) for path in find(what, folders)]
    if as_json:
        rows = [
            {
                "report": str(one.path),
                "equal": not one.differences,
                "checked": one.checked,
                "differences": list(one.differences),
                "signature": one.signature,
            }
            for one in verdicts
        ]
        click.echo(json.dumps({"verified": rows}, ensure_ascii=False))
    else:
        for one in verdicts:
            if not one.differences:
                click.echo(f"{one.path}: equal, {one.checked} figures computed again")
            for difference in one.differences:
                click.echo(f"{one.path}: differs: {difference}")
    if any(one.differences for one in verdicts):
        raise click.exceptions.Exit(1)
