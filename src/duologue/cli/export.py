"""`duologue export`: results in the forms of other tools."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from duologue.core.disk import write_text
from duologue.core.errors import UsageError
from duologue.core.plugins import read_card
from duologue.exports.formats import FORMATS, export_format
from duologue.exports.hub import ExportDetails
from duologue.run.saved import read_report
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"


@click.command()
@click.argument("files", type=options.PATH, nargs=-1, required=True, metavar="FILE.report.json ...")
@click.option(
    "--to",
    "target",
    required=True,
    type=click.Choice([one.name for one in FORMATS]),
    help="; ".join(f"{one.name}: {one.about}" for one in FORMATS) + ".",
)
@click.option("--out", type=options.OUT_FILE, required=True, help="The file to write.")
@click.option("--name", default="", metavar="LAB/NAME", help="What a hub calls it.  [default: local/SYSTEM]")
@click.option("--by", default="", metavar="LAB", help="Organisation that ran the evaluation.")
@click.option("--licence", default="", help="Licence of the system, such as apache-2.0.")
@click.option("--model", type=options.PATH, default=None, help="model-card: the model's folder; adds its training.")
@click.option("--date", default="", metavar="YYYY-MM-DD", help="Day to be told.  [default: today, in UTC]")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def export(
    *,
    files: tuple[Path, ...],
    target: str,
    out: Path,
    name: str,
    by: str,
    licence: str,
    model: Path | None,
    date: str,
    force: bool,
) -> None:
    """Write results in the form of another tool, with every figure to its last digit.

    FILE.report.json is what `duologue score --out` saved. Intervals, signature, data seen and items go where the form
    has a place for them; texts of data sets and folders of this machine do not leave with it. Several reports of one
    system go into one model card.

    \b
    Examples:
      duologue export FILE.report.json --to inspect --out logs/FILE.json
      duologue export FILE.report.json --to every-eval-ever --name our-lab/bot --by our-lab --out FILE.json
      duologue export tst1.report.json tst2.report.json --to model-card --model model --out MODEL_CARD.md
    """
    chosen = export_format(target)
    if out.exists() and (out.is_dir() or out.stat().st_size) and not force:
        raise UsageError(f"{out} is there already; choose another --out, or write over it with --force")
    if model is not None and target != "model-card":
        raise UsageError("--model adds the training to a model card; leave it out, or export --to model-card")
    card = read_card(model) if model is not None else None
    details = ExportDetails(_day(date), _hub(name), by, licence, card)
    write_text(out, chosen.load()([read_report(path) for path in files], details))
    console.line(f"{target} in {out}")


def _day(given: str) -> str:
    """Return the day to be told: as given, of SOURCE_DATE_EPOCH where that is set, or today."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        if given:
            return datetime.strptime(given, "%Y-%m-%d").replace(tzinfo=UTC).date().isoformat()
        moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    except (ValueError, OverflowError, OSError) as error:
        what = f"--date {given}" if given else f"SOURCE_DATE_EPOCH={epoch}"
        raise UsageError(f"{what}: expected {'YYYY-MM-DD' if given else 'seconds since 1970'}") from error
    return moment.date().isoformat()


def _hub(name: str) -> str:
    if name and not re.fullmatch(f"{_NAME}/{_NAME}", name):
        raise UsageError(f"--name {name}: expected LAB/NAME in letters, digits, dots and hyphens")
    return name
