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
from duologue.core.records import Problem, Report
from duologue.metrics.counts import Counts, Metric, share
from duologue.metrics.intervals import intervals
from duologue.report import (
    compare,
    comparisons_to_json,
    leaderboard,
    leaderboard_page,
    leaderboard_to_json,
    page,
    rank_all,
    render,
    render_comparisons,
    render_leaderboard,
)
from duologue.report.comparison import ranking_formulas
from tests.growth import LINEAR, growth

if TYPE_CHECKING:
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
    forth, back = rank_all(reports, resamples=500), rank_all(reports[::-1], resamples=500)
    assert leaderboard_to_json(forth) == leaderboard_to_json(back)


def test_intervals_are_those_of_the_scores_themselves(make_report: MakeReport) -> None:
    reports = [make_report("a", wrong=30), make_report("b", wrong=60)]
    found = rank_all(reports, resamples=500)
    assert [place.report.scores for place in found.places] == [report.scores for report in reports]
    alone = intervals(Counts.of_report(reports[0]), ranking_formulas(reports[0]))
    assert [(one.low, one.high) for one in reports[0].scores] == [(one.low, one.high) for one in alone]


def test_the_detectable_difference_is_that_of_the_tests_themselves(make_report: MakeReport) -> None:
    found = rank_all([make_report("a", wrong=100, n=1000), make_report("b", wrong=300, n=1000)], resamples=5_000)
    differ = np.zeros(1000)
    differ[100:300] = 1.0  # right in a, wrong in b
    assert found.detectable == pytest.approx((1.96 + 0.8416) * differ.std() / math.sqrt(1000), rel=0.05)
    assert found.detectable == found.comparisons[0].tested.detectable


def test_the_detectable_difference_is_that_of_pairs_with_the_first(make_report: MakeReport) -> None:
    """Systems that hardly differ among themselves would promise more than their tests against the first find."""
    reports = [make_report(name, wrong=wrong) for name, wrong in (("first", 5), ("b", 60), ("c", 61), ("d", 62))]
    found = rank_all(reports, resamples=2_000)
    least = {frozenset((one.a, one.b)): one.tested.detectable for one in found.comparisons}
    with_first = [value for pair, value in least.items() if "first" in pair]
    assert len(with_first) == 3
    assert found.detectable == np.median(with_first)
    assert found.detectable > np.median(list(least.values()))


def test_where_dialogues_are_not_known_a_warning_stands_beside_every_interval(make_report: MakeReport) -> None:
    reports = [make_report(name, wrong=wrong, dialogues=False) for name, wrong in (("a", 3), ("b", 60))]
    found = rank_all(reports, resamples=500)
    console = Console(width=200, record=True, file=io.StringIO())
    for part in (render(reports[0]), render_comparisons(found.comparisons), render_leaderboard(found)):
        console.print(part)
        assert "95 % interval\N{DAGGER}" in (text := console.export_text())
        assert "\N{DAGGER} warning: dialogues are not known" in text
    assert "dialogues are not known" in leaderboard_to_json(found)["caution"]
    for html in (leaderboard_page(found, title="t"), page(reports)):
        assert html.count("Dialogues are not known") >= 1
        assert "\N{DAGGER}</small>" in html
    known = rank_all([make_report("a"), make_report("b", wrong=60)], resamples=500)
    assert "caution" not in leaderboard_to_json(known)
    assert [found.caution in text for text in (str(found), found._repr_html_())] == [True, True]
    assert "dialogues are not known" not in str(known)
    assert "\N{DAGGER}" not in leaderboard_page(known, title="t")


def test_equal_systems_are_never_told_apart(make_report: MakeReport) -> None:
    found = rank_all([make_report("a", wrong=20), make_report("b", wrong=20)], resamples=500)
    assert [(place.tier, place.best, place.worst) for place in found.places] == [(1, 1, 2), (1, 1, 2)]
    assert found.detectable is None, "equal items tell nothing of what difference would be found"


def test_one_report_given_twice_is_two_equal_systems_of_two_names(make_report: MakeReport) -> None:
    """The second of the two stood in a tier of its own, and both had one name."""
    twice = make_report("a", wrong=20)
    found = rank_all([twice, twice], resamples=500)
    assert [(place.system, place.tier, place.best, place.worst) for place in found.places] == [
        ("a", 1, 1, 2),
        ("a (2)", 1, 1, 2),
    ]
    assert [(one.a, one.b, one.better) for one in found.comparisons] == [("a", "a (2)", None)]


def test_the_names_of_places_are_those_of_the_tests_where_an_unpaired_system_has_one_of_them(
    make_report: MakeReport,
) -> None:
    other = make_report("a", ids=[f"other/{number}" for number in range(100)])
    found = rank_all([other, make_report("a", wrong=10), make_report("b", wrong=20)], resamples=500)
    assert [place.system for place in found.places] == ["a", "b"]
    assert found.detectable is not None


def test_a_board_of_reports_without_a_test_set_is_titled_by_their_task_alone(make_report: MakeReport) -> None:
    assert str(rank_all([make_report("a", test_set=None)])).startswith("toy, strict, ")


def test_a_system_alone_has_a_place_and_nothing_to_detect(make_report: MakeReport) -> None:
    found = rank_all([make_report("a", wrong=20)], resamples=500)
    assert [(place.tier, place.best, place.worst) for place in found.places] == [(1, 1, 1)]
    assert found.detectable is None


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


def test_a_score_that_ranks_and_of_which_no_test_can_be_made_has_no_board(make_report: MakeReport) -> None:
    report = make_report("a", wrong=10)
    for rank_by, formulas in (("spread", lambda one: [*ranking_formulas(one), Spread()]), ("charm", ranking_formulas)):
        ranked = msgspec.structs.replace(report.scores[0], name=rank_by)
        one = msgspec.structs.replace(report, scores=(*report.scores, ranked), rank_by=rank_by)
        with pytest.raises(UsageError, match=f"'{rank_by}' ranks systems and keeps no counts that can be resampled"):
            rank_all([one], formulas=formulas, resamples=500)


def test_the_page_shows_every_system_and_what_was_refused(make_report: MakeReport) -> None:
    reports = [make_report("<a>", wrong=10), make_report("b", wrong=60)]
    found = rank_all(reports, resamples=500, refused=[("x.json", 3, "line 1: <no>")])
    page = leaderboard_page(found, title="Board", commands=["duologue board"])
    assert "&lt;a&gt;" in page
    assert "<a>" not in page
    assert "line 1: &lt;no&gt;" in page
    assert page == leaderboard_page(found, title="Board", commands=["duologue board"])


def test_the_json_holds_tiers_ranks_and_intervals(make_report: MakeReport) -> None:
    told = leaderboard_to_json(rank_all([make_report("a"), make_report("b", wrong=50)], resamples=500))
    assert [(one["system"], one["tier"], one["rank"]) for one in told["systems"]] == [
        ("a", 1, [1, 1]),
        ("b", 2, [2, 2]),
    ]
    assert set(told["systems"][0]["scores"]["p@1"]) == {"value", "low", "high"}
    assert set(told["minimum_detectable_difference"]) == {"p@1"}
    assert told["comparisons"][0]["better"] == "a"


@pytest.mark.parametrize("rule", ["result-equals-truth", "note-of-another-result", "result-of-another-task"])
def test_what_casts_doubt_on_a_whole_result_is_told_wherever_it_is_ranked(make_report: MakeReport, rule: str) -> None:
    """A copy of the truth stood first with 100 %, and not a word was said."""
    doubt = Problem(rule=rule, severity="warning", message="it is <the> truth", advice="give another")
    found = rank_all([make_report("a", problems=(doubt,)), make_report("b", wrong=50)], resamples=500)
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(render_leaderboard(found))
    assert "warning: a: it is <the> truth; give another" in console.export_text()
    assert "it is &lt;the&gt; truth; give another" in leaderboard_page(found, title="t")
    told = leaderboard_to_json(found)["systems"]
    assert [one["doubts"] for one in told] == [["it is <the> truth"], []]
    assert "a: it is <the> truth" in str(found)
    assert "a: it is &lt;the&gt; truth" in found._repr_html_()


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
    assert found.detectable == next(one.tested.detectable for one in found.comparisons if one.is_tested)
    text = json.dumps(leaderboard_to_json(found), allow_nan=False)
    assert '"value": null' in text
    tested = compare(reports[0], reports[2], resamples=500)
    assert {(one.is_tested, one.better) for one in tested} == {(False, None)}
    json.dumps(comparisons_to_json(tested), allow_nan=False)
    console = Console(width=200, record=True, file=io.StringIO())
    for part in (render(reports[2]), render_comparisons(tested), render_leaderboard(found)):
        console.print(part)
    for printed in (console.export_text(), leaderboard_page(found, title="t"), page(reports)):
        assert not re.search(r"(?<![a-z])nan(?![a-z])|(?<![a-z])inf(?![a-z])", printed)


def test_the_items_of_most_reports_are_found_without_holding_each_report_against_each() -> None:
    """Thirty systems on 100,000 items took twenty seconds before the first test."""

    def report(*names: str) -> Report:
        return Report(task="t", variant="v", n=1, scores=(), rank_by="p", items=tuple((name, ()) for name in names))

    several = [report("a"), report("b", "c"), report("c", "b"), report("a")]
    assert leaderboard._commonest_items(several) == {"a"}  # of two as common ones the first
    assert leaderboard._commonest_items(several[:3]) == {"b", "c"}
    names = [str(number) for number in range(2_000)]
    assert growth(lambda n: [report(*names) for _ in range(n)], leaderboard._commonest_items, 10) < LINEAR


def test_a_row_has_each_score_under_its_name(make_report: MakeReport) -> None:
    """Where a system lacks a score those behind it moved up."""
    first, second = make_report("a", wrong=1), make_report("b", wrong=2)
    found = rank_all([first, msgspec.structs.replace(second, scores=(second.scores[0], second.scores[-1]))])
    assert found.columns()[3:] == ("p@1", "p@2", "p@5", "mrr")
    assert found.rows()[1][3:] == (second.scores[0].value, None, None, second.scores[-1].value)


@pytest.mark.parametrize("rank_by", ["p@2", "mrr"])
def test_a_board_is_ranked_by_any_score_wherever_it_stands(make_report: MakeReport, rank_by: str) -> None:
    reports = [make_report("a", wrong=50), make_report("b", wrong=1), make_report("c", wrong=2)]
    found = rank_all([msgspec.structs.replace(one, rank_by=rank_by) for one in reports], resamples=500)
    assert [(place.system, place.tier) for place in found.places] == [("b", 1), ("c", 1), ("a", 2)]
    assert {one.tested.name for one in found.comparisons} == {rank_by}
    assert found.rows()[0][:3] == ("1-2", 1, "b")
    assert found.rows()[2][:3] == ("3", 2, "a")
    assert found._title == f"toy tst1, strict, 100 items, ranked by {rank_by}"


def test_a_difference_of_nothing_or_without_end_is_not_told(make_report: MakeReport) -> None:
    (one,) = rank_all([make_report("a", wrong=3), make_report("b", wrong=40)]).comparisons
    for told in (0.0, math.inf, math.nan):
        assert leaderboard._detectable([one._replace(tested=one.tested._replace(detectable=told))], "a") is None
    assert leaderboard._detectable([one._replace(tested=one.tested._replace(detectable=0.5))], "b") == 0.5
    assert leaderboard._detectable([one], "c") is None


def test_reports_of_several_tasks_are_named_in_the_order_of_the_alphabet(make_report: MakeReport) -> None:
    with pytest.raises(UsageError, match="reports of one variant are ranked together, found official and strict"):
        rank_all([make_report("a"), make_report("b", variant="official")])
    with pytest.raises(UsageError, match=r"reports of one rank_by are ranked together, found mrr and p@1"):
        rank_all([make_report("a"), msgspec.structs.replace(make_report("b"), rank_by="mrr")])


def test_the_json_holds_the_board_its_unpaired_reports_and_refused_files(make_report: MakeReport) -> None:
    other = make_report("odd", ids="xyz")
    found = rank_all([make_report("a"), other, make_report("b", wrong=5)], resamples=500, refused=[("x.json", 3, "no")])
    told = leaderboard_to_json(found)
    assert [told[name] for name in ("task", "variant", "test_set", "n", "rank_by")] == [
        "toy",
        "strict",
        "tst1",
        100,
        "p@1",
    ]
    assert [(one["system"], one["n"]) for one in told["unpaired"]] == [("odd", 3)]
    assert told["refused"] == [{"file": "x.json", "problems": 3, "first": "no"}]
    assert told["minimum_detectable_difference"] == {"p@1": found.detectable}


def test_a_rank_that_the_tests_leave_no_choice_of_is_one_number_however_large(make_report: MakeReport) -> None:
    (place,) = rank_all([make_report("a")]).places
    for best, worst, told in (("1000", "1000", "1000"), ("999", "1000", "999-1000")):
        found = rank_all([make_report("a")])._replace(places=(place._replace(best=int(best), worst=int(worst)),))
        assert found.rows()[0][0] == told
        console = Console(width=120, record=True, file=io.StringIO())
        console.print(render_leaderboard(found))
        assert f" {told.replace('-', ' to ')} " in console.export_text()
