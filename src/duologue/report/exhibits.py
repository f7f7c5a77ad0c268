"""What stands behind a score: how it spreads over the items, and the best and worst of them in their context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from duologue.metrics.counts import Counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.records import Annotation, Answer, Example, Report, Sample
    from duologue.metrics.counts import Floats, Metric

MOST_FACTS = 30
"""Facts shown of one item; the rest is counted."""
MOST_RANKED = 3
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


class Exhibit(NamedTuple):
    """One item with what the system saw, what was wanted and what it said."""

    id: str
    value: float
    history: tuple[tuple[str, str], ...]
    """Speaker and text of each turn."""
    knowledge: tuple[str, ...]
    more_knowledge: int
    """Facts that are not shown."""
    references: tuple[str, ...]
    answer: tuple[str, ...]
    """What the system said, in lines; empty when it said nothing."""


class Showcase(NamedTuple):
    """The best and the worst items of one report by the score that ranks."""

    best: tuple[Exhibit, ...]
    worst: tuple[Exhibit, ...]


def distributions(report: Report, formulas: Sequence[Metric[Any]]) -> tuple[Distribution, ...]:
    """Return how each score that can be taken of single items spreads; nothing for a report without counts.

    Ten ranges from 0 to 1, or from the lowest to the highest value where some lie outside.
    """
    if not report.items:
        return ()
    counts = Counts.of_report(report)
    return tuple(_distribution(metric, item_values(counts, metric)) for metric in formulas if metric.additive)


def item_values(counts: Counts, metric: Metric[Any]) -> Floats:
    """Return the score of each item by itself; NaN where it says nothing."""
    with np.errstate(all="ignore"):  # a formula over one item may divide by nothing; it then says nothing
        values: Floats = metric.total(counts.array[:, counts.positions(metric.columns)])
    return values


def _distribution(metric: Metric[Any], values: Floats) -> Distribution:
    known = values[np.isfinite(values)]
    if not len(known):
        return Distribution(metric.name, metric.percent, (), len(values))
    low, high = min(0.0, float(known.min())), max(1.0, float(known.max()))
    edges = np.linspace(low, high, BINS + 1)
    places = np.minimum(np.searchsorted(edges, known + 1e-12, side="right") - 1, BINS - 1)
    times = np.bincount(places, minlength=BINS)
    bars = tuple(
        Bar(float(edges[one]), float(edges[one + 1]), int(times[one]), float(times[one] / len(known)))
        for one in range(BINS)
    )
    return Distribution(metric.name, metric.percent, bars, len(values) - len(known))


def showcase(
    report: Report,
    formulas: Sequence[Metric[Any]],
    examples: Sequence[Example],
    answers: Mapping[str, Answer],
    *,
    most: int = 5,
) -> Showcase:
    """Return the best and the worst items by the score that ranks, with their context.

    Of equal ones those come first that are further out in the mean of all scores, then by id. Items whose sample is
    not among `examples` are left out; so is the whole where the ranking score cannot be taken of single items.
    """
    ranking = next((metric for metric in formulas if metric.name == report.rank_by and metric.additive), None)
    if ranking is None or not report.items:
        return Showcase((), ())
    counts = Counts.of_report(report)
    known = {example.sample.id: example for example in examples}
    values = item_values(counts, ranking)
    others = np.vstack([item_values(counts, metric) for metric in formulas if metric.additive])
    mean = np.where(np.isfinite(others), others, 0.0).mean(axis=0)
    rows = [row for row, name in enumerate(counts.ids) if name in known and np.isfinite(values[row])]
    rows.sort(key=lambda row: (values[row], mean[row], counts.ids[row]))
    half = min(most, (len(rows) + 1) // 2)

    def exhibit(row: int) -> Exhibit:
        name = counts.ids[row]
        return _exhibit(known[name], answers.get(name), float(values[row]))

    return Showcase(tuple(map(exhibit, rows[: -half - 1 : -1])), tuple(map(exhibit, rows[:half])))


def _exhibit(example: Example, answer: Answer | None, value: float) -> Exhibit:
    sample = example.sample
    facts = [f"{fact.subject} · {fact.relation} · {_object(fact.object)}" for fact in sample.knowledge]
    return Exhibit(
        id=sample.id,
        value=value,
        history=tuple((turn.speaker, turn.text) for turn in sample.history),
        knowledge=tuple(facts[:MOST_FACTS]),
        more_knowledge=max(len(facts) - MOST_FACTS, 0),
        references=tuple(" / ".join(_lines(one, sample, 1)) for one in example.references),
        answer=() if answer is None else _lines(answer, sample, MOST_RANKED),
    )


def _lines(answer: Answer, sample: Sample, ranked: int) -> tuple[str, ...]:
    """Return an answer as lines: its text, the first of its ranking, its annotation."""
    lines = [] if answer.text is None else [answer.text]
    if answer.ranking is not None and answer.text is None:
        texts = {candidate.id: candidate.text for candidate in sample.candidates}
        lines += [
            f"{place}. {texts.get(name, name)}" if ranked > 1 else texts.get(name, name)
            for place, name in enumerate(answer.ranking[:ranked], start=1)
        ]
    return (*lines, *_annotation_lines(answer.annotation))


def _annotation_lines(annotation: Annotation | None) -> list[str]:
    if annotation is None:
        return []
    lines = [f"{fact.subject} · {fact.relation} · {_object(fact.object)}" for fact in annotation.facts]
    lines += [f"{act.speaker}: {act.name}" + f"({', '.join(act.args)})" * bool(act.args) for act in annotation.acts]
    lines += [f"{one.label}: {one.text}" for one in annotation.mentions]
    lines += [f"{one.entity or 'user'} · {one.slot} · {one.text}" for one in annotation.values]
    return lines


def _object(value: object) -> str:
    return "、".join(value) if isinstance(value, tuple) else str(value)
