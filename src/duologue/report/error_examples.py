"""Error analysis: the distribution of a score over the items, and its best and worst items in context."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from duologue.core.answer_lines import CHINESE, answer_lines, fact_line
from duologue.core.dialogue_view import in_two
from duologue.metrics.counts import Counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.dialogue_view import Said
    from duologue.core.marked_text import MarkedText
    from duologue.core.records import Answer, Example, Report
    from duologue.metrics.counts import Floats, Metric

MAX_FACTS = 30
"""Facts shown of one item; the rest is counted."""
MAX_RANKED = 3
"""Candidates shown of one ranking."""
BINS = 10


class Bar(NamedTuple):
    """Items whose score lies in one range."""

    low: float
    high: float
    """Exclusive, but for the last range."""
    items: int
    share: float


class Distribution(NamedTuple):
    """How one score spreads over the items, each scored by itself."""

    score: str
    percent: bool
    """Whether the score is a fraction."""
    bars: tuple[Bar, ...]
    unknown: int
    """Items that the score says nothing about."""
    grouped: bool = False
    """Whether the items are whole dialogues: the score counts something once per dialogue."""


class ErrorExample(NamedTuple):
    """One item, or one dialogue, with what the system saw, what was wanted and what it said."""

    id: str
    value: float
    history: tuple[tuple[str, str | MarkedText], ...]
    """Speaker and text of each turn, with the mentions and values that are wanted marked."""
    knowledge: tuple[Said, ...]
    more_knowledge: int
    """Facts that are not shown."""
    references: tuple[Said, ...]
    answer: tuple[Said, ...]
    """What the system said, in lines; empty when it said nothing."""


class ErrorExamples(NamedTuple):
    """The best and the worst items of one report by the score that ranks."""

    best: tuple[ErrorExample, ...]
    worst: tuple[ErrorExample, ...]


def distributions(report: Report, formulas: Sequence[Metric[Any]]) -> tuple[Distribution, ...]:
    """Return how each score that can be taken of single items spreads; nothing for a report without counts.

    Ten ranges from 0 to 1, or from the lowest to the highest value where some lie outside. A score that counts
    something once per dialogue is taken of whole dialogues.
    """
    if not report.items:
        return ()
    counts = Counts.of_report(report)
    return tuple(_distribution(metric, counts) for metric in formulas if metric.additive)


class _Unit(NamedTuple):
    """What is scored by itself: an item, or a dialogue."""

    name: str
    rows: list[int]


def _units(counts: Counts, metric: Metric[Any]) -> list[_Unit]:
    """Return what a metric is to be taken of: items, or the dialogues in which it counts something once."""
    groups: dict[str, list[int]] = {}
    for row, name in enumerate(counts.groups or ()):
        groups.setdefault(name, []).append(row)
    rest = np.array([row for rows in groups.values() for row in rows[1:]], dtype=np.int64)
    columns = counts.array[:, counts.positions(metric.columns)]
    if len(rest) and (columns.any(axis=0) & ~columns[rest].any(axis=0)).any():  # all of it stands in first rows
        return [_Unit(name, rows) for name, rows in groups.items()]
    return [_Unit(name, [row]) for row, name in enumerate(counts.ids)]


def _values(counts: Counts, metric: Metric[Any], units: Sequence[_Unit]) -> Floats:
    """Return the score of each unit by itself; NaN where it says nothing."""
    whole = len(units) == len(counts)
    sums = counts.array if whole else np.array([counts.array[unit.rows].sum(axis=0) for unit in units])
    with np.errstate(all="ignore"):  # a formula over one item may divide by nothing; it then says nothing
        values: Floats = metric.total(sums[:, counts.positions(metric.columns)])
    return values


def _distribution(metric: Metric[Any], counts: Counts) -> Distribution:
    units = _units(counts, metric)
    grouped = len(units) < len(counts)
    values = _values(counts, metric, units)
    known = values[np.isfinite(values)]
    if not len(known):
        return Distribution(metric.name, metric.percent, (), len(values), grouped)
    low, high = min(0.0, float(known.min())), max(1.0, float(known.max()))
    edges = np.linspace(low, high, BINS + 1)
    places = np.minimum(np.searchsorted(edges, known + 1e-12, side="right") - 1, BINS - 1)
    times = np.bincount(places, minlength=BINS)
    bars = tuple(
        Bar(float(edges[one]), float(edges[one + 1]), int(times[one]), float(times[one] / len(known)))
        for one in range(BINS)
    )
    return Distribution(metric.name, metric.percent, bars, len(values) - len(known), grouped)


def find_error_examples(
    report: Report,
    formulas: Sequence[Metric[Any]],
    examples: Sequence[Example],
    answers: Mapping[str, Answer],
    *,
    limit: int = 5,
    names: Mapping[str, str] = MappingProxyType({}),
) -> ErrorExamples:
    """Return the best and the worst items by the score that ranks, with their context.

    Of equal ones those come first that are further out in the mean of all scores, then by id. Where the ranking score
    counts something once per dialogue, dialogues are ranked and shown, their turns one after the other. Items whose
    sample is not among `examples` are left out, and everything where the ranking score cannot be taken of items.
    `names` are English names of labels, told beside them.
    """
    ranking = next((metric for metric in formulas if metric.name == report.rank_by and metric.additive), None)
    if ranking is None or not report.items:
        return ErrorExamples((), ())
    counts = Counts.of_report(report)
    known = {example.sample.id: example for example in examples}
    units = _units(counts, ranking)
    values = _values(counts, ranking, units)
    others = np.vstack([_values(counts, metric, units) for metric in formulas if metric.additive])
    mean = np.where(np.isfinite(others), others, 0.0).mean(axis=0)
    shown = [
        place
        for place, unit in enumerate(units)
        if np.isfinite(values[place]) and all(counts.ids[row] in known for row in unit.rows)
    ]
    shown.sort(key=lambda place: (values[place], mean[place], units[place].name))
    half = min(limit, (len(shown) + 1) // 2)

    def example(place: int) -> ErrorExample:
        name, rows = units[place]
        parts = [known[counts.ids[row]] for row in rows]
        return _example_of(name, parts, [answers.get(one.sample.id) for one in parts], float(values[place]), names)

    return ErrorExamples(tuple(map(example, shown[: -half - 1 : -1])), tuple(map(example, shown[:half])))


def _example_of(
    name: str, parts: Sequence[Example], answers: Sequence[Answer | None], value: float, names: Mapping[str, str]
) -> ErrorExample:
    """Return what there is to see of the items of a unit; the lines of several are numbered by item."""
    last = parts[-1].sample
    reference = parts[-1].references[0].annotation if parts[-1].references else None
    facts, chinese = ([fact_line(fact, told) for fact in last.knowledge[:MAX_FACTS]] for told in (names, {}))
    wanted, said = _wanted_and_said(parts, answers, names, {})
    wanted_chinese, said_chinese = _wanted_and_said(parts, answers, {}, CHINESE)
    return ErrorExample(
        id=name,
        value=value,
        history=tuple(
            (turn.speaker, turn.text if reference is None else reference.marked(turn.text, at, names))
            for at, turn in enumerate(last.history)
        ),
        knowledge=_in_both(facts, chinese),
        more_knowledge=max(len(last.knowledge) - MAX_FACTS, 0),
        references=_in_both(wanted, wanted_chinese),
        answer=_in_both(said, said_chinese),
    )


def _wanted_and_said(
    parts: Sequence[Example], answers: Sequence[Answer | None], names: Mapping[str, str], speakers: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    wanted: list[str] = []
    said: list[str] = []
    for number, (part, answer) in enumerate(zip(parts, answers, strict=True), start=1):
        mark = f"{number}. " if len(parts) > 1 else ""
        wanted += [mark + " / ".join(answer_lines(one, part.sample, 1, names, speakers)) for one in part.references]
        lines = () if answer is None else answer_lines(answer, part.sample, MAX_RANKED, names, speakers)
        said += [mark + " / ".join(lines)] if mark and lines else lines
    return wanted, said


def _in_both(english: Sequence[str], chinese: Sequence[str]) -> tuple[Said, ...]:
    """Return lines that are alike in both languages as they are, the others in both."""
    return tuple(map(in_two, english, chinese))
