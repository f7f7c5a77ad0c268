"""Ratings for the terminal, as JSON and as a page in two languages."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group
from rich.text import Text

from duologue.core.amounts import amount
from duologue.core.escapes import one_line
from duologue.core.version import __version__
from duologue.metrics.significance import ALPHA
from duologue.ratings.judged import TOTAL
from duologue.ratings.prediction_powered import CALIBRATED
from duologue.ratings.two_way import MIN_RATERS
from duologue.report.figures import Axis, score_axis
from duologue.report.html import template
from duologue.report.numbers import NOTHING, probability
from duologue.report.responsive_table import Column, ResponsiveTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import RenderableType

    from duologue.ratings.contrasts import Estimate, PairTest
    from duologue.ratings.judged import JudgedValue, JudgeReport
    from duologue.ratings.prediction_powered import PredictionPowered
    from duologue.ratings.preferences import PreferredSystems
    from duologue.ratings.scores import RatedSystems, SystemRating
    from duologue.ratings.summary import RatingsSummary

_SHARES = Axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))
_TESTS = 15
"""Pairs of systems that are listed on the terminal; the page and --json have all."""


def render_ratings(found: RatingsSummary) -> Group:
    """Return a summary of ratings for `rich.console.Console.print`."""
    given = amount(found.ratings, "pairwise judgement" if found.preferred else "rating")
    raters = amount(found.raters, "rater")
    parts: list[RenderableType] = [
        _line(f"{found.protocol.name}: {given}, {raters}, {amount(found.items, 'item')}", "bold"),
        _line(f"{found.protocol.source}.", "dim"),
    ]
    if found.agreement:
        parts += _agreement(found)
    if found.rated is not None:
        parts += _systems(found, found.rated)
    for name, preferred in found.preferred:
        parts += _preferred(name, preferred)
    if found.judge is not None:
        parts += _judge(found.judge)
    parts += [
        _line(f"warning: {one.place}: {one.message}", "yellow") for one in found.warnings if one.severity == "warning"
    ]
    return Group(*parts)


def _agreement(found: RatingsSummary) -> list[RenderableType]:
    rows = [
        (scale.name, one) for scale, told in zip(found.protocol.criterion, found.agreement, strict=True) for one in told
    ]
    table = ResponsiveTable(
        [
            Column("criterion", [name for name, _ in rows], words=True),
            Column("agreement", [one.name for _, one in rows], words=True),
            Column("value", [_number(one.value) for _, one in rows]),
            Column("95 % interval", [_ends(one.low, one.high) for _, one in rows]),
        ],
        [Column("answers", [f"{one.units:,}" for _, one in rows])],
        box.SIMPLE_HEAD,
    )
    return [_line("Agreement of the raters", "bold"), table, *(_line(one, "dim") for one in _whys(found))]


def _whys(found: RatingsSummary) -> list[str]:
    """Return why coefficients of agreement, or their intervals, are not there."""
    told = [
        f"{scale.name}, {one.name}: {one.why}."
        for scale, coefficients in zip(found.protocol.criterion, found.agreement, strict=bool(found.agreement))
        for one in coefficients
        if one.why
    ]
    return list(dict.fromkeys(told))


def _systems(found: RatingsSummary, rated: RatedSystems) -> list[RenderableType]:
    systems = rated.systems
    columns = [
        Column("rank", [str(one.rank) if one.rank else NOTHING for one in systems]),
        Column("tier", [str(one.standing.tier) if one.standing else NOTHING for one in systems]),
        Column("system", [one.system for one in systems], words=True),
        Column(_total_name(found), [_number(one.total.value if one.total else None) for one in systems]),
        Column("95 % interval", [_interval(one.total) for one in systems]),
    ]
    others = [
        Column(scale.name, [_number(one.value if one else None) for one in (row.criteria[place] for row in systems)])
        for place, scale in enumerate(found.protocol.criterion)
        if len(found.protocol.criterion) > 1
    ]
    if any(one.automatic is not None for one in systems):
        others += [
            Column("automatic", [_number(one.automatic) for one in systems]),
            Column("final", [_number(one.final) for one in systems]),
        ]
    others.append(Column("items", [f"{one.items:,}" for one in systems]))
    return [
        _line("Systems", "bold"),
        ResponsiveTable(columns, others, box.SIMPLE_HEAD),
        _line(f"Rank: {found.protocol.rule}. Tier: no system is shown to be worse than its first.", "dim"),
        *_speaks_of(both_ways=rated.both_ways),
        *_tests(rated.tests),
    ]


def _preferred(name: str, found: PreferredSystems) -> list[RenderableType]:
    rows = found.systems
    table = ResponsiveTable(
        [
            Column("tier", [str(one.standing.tier) for one in rows]),
            Column("system", [one.system for one in rows], words=True),
            Column("win share", [_number(one.win_share.value) for one in rows]),
            Column("95 % interval", [_interval(one.win_share) for one in rows]),
        ],
        [Column("wins/losses/ties", [f"{one.wins}/{one.losses}/{one.ties}" for one in rows])],
        box.SIMPLE_HEAD,
    )
    told = f"Win share: what a system wins against another at random, half of its ties with it ({found.tie_share:.0%})."
    return [
        _line(f"Pairwise judgements, {name}", "bold"),
        table,
        _line(f"{told} Bradley and Terry's model with ties (Davidson 1970).", "dim"),
        *_speaks_of(both_ways=found.both_ways),
        *_tests(found.tests),
    ]


def _tests(tests: Sequence[PairTest]) -> list[RenderableType]:
    if not tests:
        return []
    shown = sorted(tests, key=lambda one: (math.isnan(one.p_adjusted), one.p_adjusted))[:_TESTS]
    table = ResponsiveTable(
        [
            Column("A", [one.a for one in shown], words=True),
            Column("B", [one.b for one in shown], words=True),
            Column("A - B", [f"{one.difference:+.3f}" for one in shown]),
            Column("95 % interval", [_ends(one.low, one.high) for one in shown]),
            Column("p adj.", [probability(one.p_adjusted) for one in shown]),
        ],
        [Column("better", [one.better or "tie" for one in shown], words=True)],
        box.SIMPLE_HEAD,
    )
    more = (
        [_line(f"... and {amount(len(tests) - _TESTS, 'more pair')} (--json has all)")] if len(tests) > _TESTS else []
    )
    pairs = amount(len(tests), "pair")
    told = f"p adj.: Student's t with two-way errors, Holm's correction over {pairs}; better below {ALPHA}."
    return [table, *more, _line(told, "dim")]


def _judge(found: JudgeReport) -> list[RenderableType]:
    criteria = ResponsiveTable(
        [
            Column("criterion", [one.criterion for one in found.criteria], words=True),
            Column("kappa with people", [_number(one.agreement.value) for one in found.criteria]),
            Column("95 % interval", [_ends(one.agreement.low, one.agreement.high) for one in found.criteria]),
            Column("human labels", [f"{one.labels:,}" for one in found.criteria]),
            Column("", ["" if one.calibrated else "UNCALIBRATED" for one in found.criteria], words=True),
        ],
        [],
        box.SIMPLE_HEAD,
    )
    means = [one for one in found.means if one.criterion == (TOTAL if len(found.criteria) > 1 else one.criterion)]
    parts: list[RenderableType] = [_line("A judge beside people", "bold"), criteria]
    parts += [_line(f"{one.criterion}: {one.agreement.why}.", "dim") for one in found.criteria if one.agreement.why]
    for rows, title in ((means, "system"), (found.differences, "A - B")):
        if rows:
            parts.append(_three(rows, title))
    if found.uncalibrated:
        told = f"warning: uncalibrated ({', '.join(found.uncalibrated)}): fewer than {CALIBRATED} human labels."
        parts.append(_line(told, "yellow"))
    parts.append(
        _line(
            "PPI++ is right whatever the judge is like, if the answers that people rated were drawn at random; the "
            "judge alone is as wrong as the judge.",
            "dim",
        )
    )
    return parts


def _three(rows: Sequence[JudgedValue], title: str) -> ResponsiveTable:
    names = [f"{one.system} - {one.other}" if one.other else one.system for one in rows]
    return ResponsiveTable(
        [
            Column(title, names, words=True),
            Column("people", [_powered(one.people) for one in rows]),
            Column("PPI++", [_powered(one.both) for one in rows]),
            Column("judge alone", [_powered(one.judge) for one in rows]),
        ],
        [Column("weight", [_number(one.both.weight if one.both else None) for one in rows])],
        box.SIMPLE_HEAD,
    )


def _speaks_of(*, both_ways: bool) -> list[Text]:
    if both_ways:
        return [_line("Intervals and tests speak of other items and other raters.", "dim")]
    told = f"warning: fewer than {MIN_RATERS} raters of a system: intervals and tests speak of these raters alone."
    return [_line(told, "yellow")]


def _total_name(found: RatingsSummary) -> str:
    criteria = found.protocol.criterion
    return criteria[0].name if len(criteria) == 1 else f"total ({found.protocol.lowest} to {found.protocol.highest})"


def _number(value: float | None) -> str:
    return NOTHING if value is None or math.isnan(value) else f"{value:.3f}"


def _ends(low: float | None, high: float | None) -> str:
    return NOTHING if low is None or high is None else f"{low:.3f} to {high:.3f}"


def _interval(one: Estimate | None) -> str:
    return NOTHING if one is None else _ends(one.low, one.high)


def _powered(one: PredictionPowered | None) -> str:
    return NOTHING if one is None else f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})"


def _line(text: str, style: str = "") -> Text:
    return Text(one_line(text), style)


def ratings_to_json(found: RatingsSummary) -> dict[str, Any]:
    """Return a summary as a JSON object; figures are unrounded, null where there is none."""
    told: dict[str, Any] = {
        "protocol": found.protocol.name,
        "source": found.protocol.source,
        "rule": found.protocol.rule,
        "ratings": found.ratings,
        "raters": found.raters,
        "items": found.items,
        "warnings": [f"{one.place}: {one.message}" for one in found.warnings],
    }
    if found.agreement:
        told["agreement"] = {
            scale.name: [one._asdict() for one in coefficients]
            for scale, coefficients in zip(found.protocol.criterion, found.agreement, strict=True)
        }
    if found.rated is not None:
        told["systems"] = [_system_to_json(found, one) for one in found.rated.systems]
        told["tests"] = [_test_to_json(one) for one in found.rated.tests]
        told["speaks_of_other_raters"] = found.rated.both_ways
    if found.preferred:
        told["preferences"] = {
            name: {
                "tie_share": one.tie_share,
                "speaks_of_other_raters": one.both_ways,
                "systems": [
                    {**row._asdict(), "win_share": row.win_share._asdict(), "standing": row.standing._asdict()}
                    for row in one.systems
                ],
                "tests": [_test_to_json(test) for test in one.tests],
            }
            for name, one in found.preferred
        }
    if found.judge is not None:
        told["judge"] = {
            "criteria": [
                {
                    "criterion": one.criterion,
                    "kappa": one.agreement._asdict(),
                    "labels": one.labels,
                    "calibrated": one.calibrated,
                }
                for one in found.judge.criteria
            ],
            "means": [_judged_to_json(one) for one in found.judge.means],
            "differences": [_judged_to_json(one) for one in found.judge.differences],
        }
    return told


def _system_to_json(found: RatingsSummary, one: SystemRating) -> dict[str, Any]:
    criteria = {
        scale.name: value._asdict() if value else None
        for scale, value in zip(found.protocol.criterion, one.criteria, strict=True)
    }
    return {
        **one._asdict(),
        "criteria": criteria,
        "total": one.total._asdict() if one.total else None,
        "standing": one.standing._asdict() if one.standing else None,
    }


def _test_to_json(one: PairTest) -> dict[str, Any]:
    told = {
        name: None if isinstance(value, float) and math.isnan(value) else value for name, value in one._asdict().items()
    }
    return {**told, "better": one.better}


def _judged_to_json(one: JudgedValue) -> dict[str, Any]:
    told: dict[str, Any] = {"criterion": one.criterion, "system": one.system, "other": one.other or None}
    for name, value in (("people", one.people), ("ppi", one.both), ("judge", one.judge)):
        told[name] = None if value is None else {**value._asdict(), "low": value.low, "high": value.high}
    return told


def ratings_page(
    found: RatingsSummary,
    *,
    title: str,
    commands: Sequence[str] = (),
    name: str = "ratings.html.j2",
    more: Mapping[str, Any] = MappingProxyType({}),
) -> str:
    """Return a summary as an HTML page in English and Chinese; the same summary gives the same bytes.

    `name` is a template that goes on from that of ratings, with `more` values.
    """
    ends: list[float] = []
    for one in found.rated.systems if found.rated else ():
        if one.total is not None:
            ends += [value for value in (one.total.low, one.total.value, one.total.high) if value is not None]
    return template(name).render(
        **more,
        title=title,
        found=found,
        automatic=found.rated is not None and any(one.automatic is not None for one in found.rated.systems),
        whys=_whys(found),
        total=TOTAL,
        fewest=CALIBRATED,
        fewest_raters=MIN_RATERS,
        axis=score_axis(ends, of_one=False),
        share_axis=_SHARES,
        number=_number,
        ends=_ends,
        powered=_powered,
        probability=probability,
        commands=list(commands),
        version=__version__,
    )
