"""A model card (Markdown with the metadata of Hugging Face): figures with intervals, data seen, how to verify."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tomli_w

from duologue.core.amounts import amount
from duologue.core.errors import DuologueError, UsageError
from duologue.core.plugins import describe, entries
from duologue.core.version import __version__
from duologue.exports.hub import hub_name, named_set, one_system, remarks
from duologue.exports.hugging_face import metadata
from duologue.exports.markdown import code, table, words
from duologue.exports.portable import names_for_folders
from duologue.exports.yaml_text import to_yaml
from duologue.report.background import external_data, overlap_with_training
from duologue.report.notes import in_lines, notes_of
from duologue.report.numbers import figure, interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.plugins import SystemCard
    from duologue.core.records import Report, Score
    from duologue.exports.hub import ExportDetails

_ON_FIGURES = (
    "Fractions are told in percent, to two places; the head of this file has them to the last digit. How the intervals "
    "were made is in the signature."
)
_ON_SIGNATURES = (
    "Each line is the signature of figures above: formulas, variant, version, items, hashes of truth and result. "
    "`duologue verify FILE.report.json` scores the files again and compares every figure."
)
_COLUMNS = ("value", "95 % interval", "n")


def to_model_card(reports: Sequence[Report], details: ExportDetails) -> str:
    """Return the card of the one system that the reports are of.

    Raises `UsageError` for reports of several systems, and for the folder of another system's model.
    """
    system, card = one_system(reports), details.card
    if card is not None and card.system != system:
        raise UsageError(f"the reports are of '{system}', the model is a '{card.system}'; give the folder of its model")
    parts = [
        f"---\n{to_yaml(metadata(reports, details))}---",
        f"# {words(hub_name(details, system).rpartition('/')[2])}",
        _about(system, reports),
        *([_training(card)] if card is not None else []),
        "## Data seen",
        *(_seen(report) for report in reports),
        "## Figures",
        _ON_FIGURES,
        *(part for report in reports for part in _figures(report)),
        "## Verify",
        _ON_SIGNATURES,
        code("\n".join(str(report.signature) for report in reports)),
        f"Made on {details.date} by duologue {__version__} (`duologue export`).",
    ]
    return "\n\n".join(parts) + "\n"


def _about(system: str, reports: Sequence[Report]) -> str:
    tasks = ", ".join(dict.fromkeys(report.task for report in reports))
    return f"System **{words(system)}**, measured on {words(tasks)}. {words(_described(system))}".rstrip()


def _described(system: str) -> str:
    """Return what a registered system says of itself; nothing for any other."""
    for entry in entries("systems"):
        if entry.name == system:
            try:
                return describe(entry).about
            except DuologueError:
                return ""
    return ""


def _training(card: SystemCard) -> str:
    external = "not declared" if card.external is None else ", ".join(card.external) or "none"
    rows = [
        ("system", f"{card.system} of {card.distribution} {card.version}"),
        ("trained for", card.task),
        ("seed", str(card.seed)),
        ("training data", card.data),
        ("hash of the training data", card.data_hash),
        *([("hash of the knowledge bases", card.world_hash)] if card.world_hash else []),
        ("external data", external),
        ("hash of the recipe", card.recipe_hash),
    ]
    recipe = tomli_w.dumps(names_for_folders(card.recipe))
    return "\n\n".join(["## Training", table(("what", "value"), rows), *([code(recipe, "toml")] if recipe else [])])


def _seen(report: Report) -> str:
    told = [f"**{words(report.task)}, {words(named_set(report))}.**"]
    told.append(f"In training: {words(report.seen or 'not told')}.")
    told.append(f"External data: {words(external_data(report))}.")
    if overlap := overlap_with_training(report):
        told.append(f"Of the truth stood in the training data: {words(overlap)}.")
    return " ".join(told)


def _figures(report: Report) -> list[str]:
    heading = (
        f"### {words(report.task)}, {words(named_set(report))} ({words(report.variant)}, {amount(report.n, 'item')})"
    )
    parts = [heading, table(("score", *_COLUMNS), [(one.name, *_row(one, report.n)) for one in report.scores])]
    for by in dict.fromkeys(part.by for part in report.slices):
        cut = [(part, score) for part in report.slices if part.by == by for score in part.scores]
        rows = [(part.value, *_row(score, part.n)) for part, score in cut if score.name == report.rank_by]
        parts.append(table((f"{report.rank_by} by {by}", *_COLUMNS), rows))
    told = [*in_lines(notes_of([report])), *remarks(report)]
    return [*parts, *(["\n".join(f"* {words(line)}" for line in told[:20])] if told else [])]


def _row(score: Score, n: int) -> tuple[str, str, str]:
    value, between = figure(score.value, score.percent), interval(score.low, score.high, of_one=score.percent)
    return f"{value} %" if score.percent else value, between, f"{n:,}"
