"""`duologue export`: results in the forms of other tools."""

from __future__ import annotations

import os
import re
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duologue.core.disk import write_bytes
from duologue.core.errors import UsageError
from duologue.core.locks import writing_folder
from duologue.core.plugins import names, read_card
from duologue.exports.formats import FORMATS, export_format
from duologue.exports.hub import ExportDetails
from duologue.run.saved import read_report
from duologue.terminal import console, options

if TYPE_CHECKING:
    from duologue.exports.dpo import DpoPairs
    from duologue.exports.formats import ExportFormat

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"


@click.command()
@click.argument(
    "words",
    type=options.TASK_OR_PATH,
    nargs=-1,
    required=True,
    metavar="[FILE.report.json ... | FILE.judge.json | TASK FOLDER | TASK DATA]",
)
@click.option(
    "--to",
    "target",
    required=True,
    type=click.Choice([one.name for one in FORMATS]),
    help="; ".join(f"{one.name}: {one.about}" for one in FORMATS) + ".",
)
@click.option(
    "--out",
    type=options.OUT_FILE_OR_FOLDER,
    required=True,
    help="The file to write; lm-eval: the folder; inspect: or one of logs.",
)
@click.option("--name", default="", metavar="LAB/NAME", help="What a hub calls it.  [default: local/SYSTEM]")
@click.option("--by", default="", metavar="LAB", help="Organisation that ran the evaluation or made the data.")
@click.option("--licence", default="", help="Licence of the system or data, such as apache-2.0.")
@click.option("--model", type=options.PATH, default=None, help="model-card: the model's folder; adds its training.")
@click.option("--gold", type=options.PATH, multiple=True, help="lm-eval: truth of DATA, where it has none itself.")
@click.option(
    "--in",
    "folders",
    type=options.FOLDER,
    multiple=True,
    help="dpo: where files of the judgement are looked for, beside its folder; may be repeated.",
)
@click.option("--date", default="", metavar="YYYY-MM-DD", help="Day to be told.  [default: today, in UTC]")
@options.force_option
def export(
    *,
    words: tuple[str, ...],
    target: str,
    out: Path,
    name: str,
    by: str,
    licence: str,
    model: Path | None,
    gold: tuple[Path, ...],
    folders: tuple[Path, ...],
    date: str,
) -> None:
    """Write results, or data of a simulator, in the form of another tool.

    FILE.report.json is what `duologue score --out` saved. Figures go to their last digit; intervals, signature, data
    seen and items where the form has a place for them; texts of data sets and folders of this machine do not leave
    with them. Several reports of one system go into one model card. FOLDER is what `duologue generate TASK` made.
    FILE.judge.json is what `duologue judge --pairs` wrote; ties are left out and counted.
    A task of lm-eval is a folder with a copy of DATA in it; its scores are those of `duologue score`.

    \b
    Examples:
      duologue export FILE.report.json --to inspect --out logs
      duologue export FILE.report.json --to every-eval-ever --name our-lab/bot --by our-lab --out FILE.json
      duologue export tst1.report.json tst2.report.json --to model-card --model model --out MODEL_CARD.md
      duologue export restaurant data --to croissant --licence CC0-1.0 --out data/croissant.json
      duologue export FILE.judge.json --to dpo --out pairs.jsonl
      duologue export restaurant FILE.json --gold TRUTH.json --to lm-eval --out tasks/restaurant
    """
    chosen = export_format(target)
    listed = chosen.file_name and out.is_dir()
    if not listed:
        options.demand_absent(out)
    if model is not None and target != "model-card":
        raise UsageError("--model adds the training to a model card; leave it out, or export --to model-card")
    if folders and target != "dpo":
        raise UsageError("--in says where the files of a judgement lie; leave it out, or export --to dpo")
    if gold and chosen.of != "data":
        raise UsageError(f"{chosen.name} needs no truth; leave --gold out")
    options.refuse(f"{chosen.name} has no place for that", *({"name", "by", "licence", "date"} - {*chosen.takes}))
    card = read_card(model) if model is not None else None
    details = ExportDetails(_day(date), _hub(name), by, licence, card)
    made = _judged(chosen, words, folders) if chosen.of == "judged" else _made(chosen, words, gold, details)
    if listed:
        out /= chosen.load_file_name()([read_report(Path(word)) for word in words], details)
        options.demand_absent(out)
    with writing_folder(out) if made.keys() - {""} else nullcontext():
        for place, content in made.items():
            write_bytes(out / place if place else out, content)
    console.line(f"{target} in {out}")


def _made(
    chosen: ExportFormat, words: tuple[str, ...], gold: tuple[Path, ...], details: ExportDetails
) -> dict[str, bytes]:
    """Return the files of an export by their names below its folder; one file has an empty name."""
    given = chosen.load()
    if chosen.of == "results":
        if words[0] in names("tasks"):
            raise UsageError(f"{chosen.name} is of results: give what `duologue score --out FILE.report.json` saved")
        made: str = given([read_report(Path(word)) for word in words], details)
        return {"": made.encode()}
    if len(words) != 2:
        what = "the FOLDER that `duologue generate TASK` made" if chosen.of == "corpus" else "a DATA file"
        raise UsageError(f"{chosen.name} is of data: give TASK and {what}")
    if chosen.of == "corpus":
        made = given(words[0], Path(words[1]), details)
        return {"": made.encode()}
    files: dict[str, bytes] = given(words[0], Path(words[1]), gold, details)
    return files


def _judged(chosen: ExportFormat, words: tuple[str, ...], folders: tuple[Path, ...]) -> dict[str, bytes]:
    """Return the one file of an export of judgements, and tell what is not in it."""
    if len(words) != 1 or words[0] in names("tasks"):
        raise UsageError(f"{chosen.name} is of judged pairs: give the FILE.judge.json of `duologue judge --pairs`")
    found: DpoPairs = chosen.load()(Path(words[0]), folders)
    for line in found.remarks():
        console.line(line)
    return {"": found.text.encode()}


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
