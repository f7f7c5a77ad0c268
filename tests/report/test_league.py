from __future__ import annotations

import io
import json
import math
import re
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from rich.console import Console

from duologue.core.errors import UsageError
from duologue.metrics.counts import Counts, Metric, share
from duologue.metrics.significance import bootstrap
from duologue.report import (
    compare,
    comparisons_to_json,
    league_page,
    league_to_json,
    page,
    rank_all,
    render,
    render_comparisons,
    render_league,
)
from duologue.report.comparison import ranking_formulas
from duologue.report.league import DETECTABLE

if TYPE_CHECKING:
    from duologue.core.records import Report
    from tests.report.conftest import MakeReport


def test_systems_that_cannot_be_told_apart_share_a_tier(make_report: MakeReport) -> None:
    ids = [f"tst1/{number:04}" for number in range(400)]
    wrong = {"c": (200, ids), "a": (40, ids), "d": (210, ids[::-1]), "b": (45, ids[::-1])}
    reports = [make_report(name, wrong=count, ids=order) for name, (count, order) in wrong.items()]
    found = rank_all(reports, resamples=2_000)
    assert [(place.system, place.tier, place.best, place.worst) for place in found.places] == [
        ("a", 1, 1, 2),
        ("b", 1, 1, 2),
        ("c", 2, 3, 4),
        ("d", 2, 3, 4),
    ]


def test_the_order_of_the_reports_does_not_matter(make_report: MakeReport) -> None:
    reports = [make_report(f"s{number}", wrong=10 * number) for number in range(5)]
    assert league_to_json(rank_all(reports, resamples=500)) == league_to_json(rank_all(reports[::-1], resamples=500))


def test_intervals_are_those_of_the_bootstrap(make_report: MakeReport) -> None:
    report = make_report("a", wrong=30)
    counts = Counts.of_report(report)
    alone = bootstrap(counts, ranking_formulas(report), seed=0, resamples=4_000)
    found = rank_all([report, make_report("b", wrong=60)], resamples=4_000).places[0].report
    for score, interval in zip(found.scores, alone, strict=True):
        assert score.value == interval.value
        assert score.low == pytest.approx(interval.low, abs=0.02)
        assert score.high == pytest.approx(interval.high, abs=0.02)


def test_the_detectable_difference_is_that_of_the_paired_standard_error(make_report: MakeReport) -> None:
    found = rank_all([make_report("a", wrong=100, n=1000), make_report("b", wrong=300, n=1000)], resamples=5_000)
    differ = np.zeros(1000)
    differ[100:300] = 1.0  # right in a, wrong in b
    expected = DETECTABLE * differ.std() / math.sqrt(1000)
    assert found.detectable["p@1"] == pytest.approx(expected, rel=0.05)


def test_equal_systems_are_never_told_apart(make_report: MakeReport) -> None:
    found = rank_all([make_report("a", wrong=20), make_report("b", wrong=20)], resamples=500)
    assert [(place.tier, place.best, place.worst) for place in found.places] == [(1, 1, 2), (1, 1, 2)]
    assert found.detectable["p@1"] == 0


def test_a_system_alone_has_a_place_and_nothing_to_detect(make_report: MakeReport) -> None:
    found = rank_all([make_report("a", wrong=20)], resamples=500)
    assert [(place.tier, place.best, place.worst) for place in found.places] == [(1, 1, 1)]
    assert found.detectable == {}


def test_a_report_over_other_items_is_listed_and_not_compared(make_report: MakeReport) -> None:
    other = make_report("odd", ids=[f"other/{number}" for number in range(100)])
    found = rank_all([make_report("a"), make_report("b", wrong=5), other], resamples=500)
    assert [place.system for place in found.places] == ["a", "b"]
    assert [report.system for report in found.unpaired] == ["odd"]


def test_reports_that_do_not_belong_together_are_refused(make_report: MakeReport) -> None:
    with pytest.raises(UsageError, match="one variant"):
        rank_all([make_report("a"), make_report("b", variant="official")])
    with pytest.raises(UsageError, match="no reports"):
        rank_all([])
    bare = msgspec.structs.replace(make_report("a"), items=())
    with pytest.raises(UsageError, match="no counts"):
        rank_all([bare])


class Spread(Metric[float]):
    """Not additive: no draw can tell how sure it is."""

    name = "spread"
    columns = ("items", "hit@1")
    formula = "spread"
    additive = False

    def count(self, seen: float) -> tuple[float, float]:
        return 1.0, seen

    def total(self, sums: Any) -> Any:
        return share(sums[..., 1], sums[..., 0])


def test_a_score_that_is_not_additive_keeps_its_own_interval(make_report: MakeReport) -> None:
    def formulas(report: Report) -> list[Metric[Any]]:
        return [*ranking_formulas(report), Spread()]

    report = make_report("a", wrong=10)
    own = msgspec.structs.replace(report.scores[0], name="spread", low=0.1, high=0.2)
    found = rank_all([msgspec.structs.replace(report, scores=(*report.scores, own))], formulas=formulas, resamples=500)
    assert (found.places[0].report.scores[-1].low, found.places[0].report.scores[-1].high) == (0.1, 0.2)


def test_the_page_shows_every_system_and_what_was_refused(make_report: MakeReport) -> None:
    reports = [make_report("<a>", wrong=10), make_report("b", wrong=60)]
    found = rank_all(reports, resamples=500, refused=[("x.json", 3, "line 1: <no>")])
    page = league_page(found, title="Board", commands=["duologue board"])
    assert "&lt;a&gt;" in page
    assert "<a>" not in page
    assert "line 1: &lt;no&gt;" in page
    assert page == league_page(found, title="Board", commands=["duologue board"])


def test_the_json_holds_tiers_ranks_and_intervals(make_report: MakeReport) -> None:
    told = league_to_json(rank_all([make_report("a"), make_report("b", wrong=50)], resamples=500))
    assert [(one["system"], one["tier"], one["rank"]) for one in told["systems"]] == [
        ("a", 1, [1, 1]),
        ("b", 2, [2, 2]),
    ]
    assert set(told["systems"][0]["scores"]["p@1"]) == {"value", "low", "high"}
    assert set(told["minimum_detectable_difference"]) == {"p@1", "p@2", "p@5", "mrr"}


def test_a_system_without_a_score_is_last_and_told_apart_from_nobody(make_report: MakeReport) -> None:
    reports = [make_report("a", wrong=10), make_report("b", wrong=90), make_report("nothing")]
    empty = tuple((name, (0.0,) * len(counts)) for name, counts in reports[2].items)
    unknown = tuple(msgspec.structs.replace(one, value=math.nan) for one in reports[2].scores)
    reports[2] = msgspec.structs.replace(reports[2], items=empty, scores=unknown)
    found = rank_all(reports, resamples=500)
    assert [(one.system, one.tier, one.best, one.worst) for one in found.places] == [
        ("a", 1, 1, 2),
        ("b", 2, 2, 3),
        ("nothing", 2, 1, 3),
    ]
    text = json.dumps(league_to_json(found), allow_nan=False)
    assert '"value": null' in text
    tested = compare(reports[0], reports[2], resamples=500)
    assert {(one.p_holm, one.better) for one in tested} == {(1.0, None)}
    json.dumps(comparisons_to_json(tested), allow_nan=False)
    console = Console(width=200, record=True, file=io.StringIO())
    for part in (render(reports[2]), render_comparisons(tested), render_league(found)):
        console.print(part)
    for printed in (console.export_text(), league_page(found, title="t"), page(reports)):
        assert not re.search(r"(?<![a-z])nan(?![a-z])|(?<![a-z])inf(?![a-z])", printed)
