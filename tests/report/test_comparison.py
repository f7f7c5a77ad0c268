"""Paired comparisons between reports."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.core.errors import UsageError
from duologue.core.records import Report
from duologue.metrics.rank import PrecisionAt, ranking_metric
from duologue.report import compare, compare_all, rank_all
from duologue.report.board import boards
from duologue.report.comparison import Comparison, in_order, rank_value, system_names, widest_gaps
from tests.report.lower_is_better import Errors, with_lower_better

if TYPE_CHECKING:
    from duologue.metrics.counts import Floats, Metric
    from tests.report.conftest import MakeReport


def test_the_score_that_ranks_is_a_family_and_the_others_are_one(make_report: MakeReport) -> None:
    found = compare(a=make_report("good", wrong=2), b=make_report("poor", wrong=30))
    assert [one.tested.name for one in found] == ["p@1", "p@2", "p@5", "mrr"]
    assert {(one.a, one.b, one.n) for one in found} == {("good", "poor", 100)}
    assert [one.better for one in found] == ["a", "a", None, "a"]
    assert found[0].tested.p_adjusted == found[0].tested.p
    assert all(one.tested.p_adjusted >= one.tested.p for one in found)
    families = [one.family for one in found]
    assert families[0] == "one pair of systems on p@1, which ranks"
    assert set(families[1:]) == {"one pair of systems on 3 scores beside that which ranks"}


def test_a_pair_is_judged_alike_in_a_comparison_a_leaderboard_and_a_page(make_report: MakeReport) -> None:
    for wrong in range(0, 24, 2):
        a, b = make_report("a", wrong=5), make_report("b", wrong=wrong)
        alone = compare(a, b)[0]
        (ranked,) = rank_all([a, b]).comparisons
        ((paged,),) = [board.comparisons for board in boards([b, a])]
        assert ranked.tested == paged.tested
        assert abs(ranked.tested.difference) == abs(alone.tested.difference)
        assert (ranked.better is None) == (alone.better is None)
        assert ranked.tested.p_adjusted == alone.tested.p_adjusted


def test_where_dialogues_are_not_known_a_warning_stands_beside_every_test(make_report: MakeReport) -> None:
    a, b = make_report("a", dialogues=False), make_report("b", wrong=3, dialogues=False)
    assert all("dialogues are not known" in one.caution for one in compare(a, b))
    assert not any(one.caution for one in compare(make_report("a"), make_report("b", wrong=3)))


def test_a_difference_that_is_not_known_is_not_tested_in_either_order(make_report: MakeReport) -> None:
    a, b = make_report("a"), make_report("b", wrong=50)
    empty = msgspec.structs.replace(b, items=tuple((name, (0.0,) * len(counts)) for name, counts in b.items))
    for pair in ((a, empty), (empty, a)):
        found = compare(*pair)
        assert {(one.better, one.is_tested, one.has_interval) for one in found} == {(None, False, False)}


def test_a_small_difference_is_a_tie(make_report: MakeReport) -> None:
    found = compare(make_report("a", wrong=10), make_report("b", wrong=12))
    assert found[0].tested.difference == pytest.approx(0.02)
    assert found[0].better is None


def test_a_report_against_itself_is_a_tie_with_p_1(make_report: MakeReport) -> None:
    report = make_report("same", wrong=10)
    assert {(one.tested.p_adjusted, one.better, one.b) for one in compare(report, report)} == {(1.0, None, "same (2)")}


def test_chosen_metrics_take_the_place_of_the_known_ones(make_report: MakeReport) -> None:
    found = compare(make_report(wrong=1), make_report(wrong=40), metrics=[PrecisionAt(1)], resamples=200)
    assert [one.tested.name for one in found] == ["p@1"]
    assert found[0].tested.p == 1 / 251  # swaps come in blocks of 250


class Unswapped(Errors):
    """Not additive: no swap can be counted."""

    name = "p@2"
    additive = False


def test_only_what_both_reports_have_and_what_can_be_added_up_is_tested(make_report: MakeReport) -> None:
    a, b = make_report("a", wrong=2), make_report("b", wrong=3)
    assert [one.tested.name for one in compare(a, b, metrics=[Errors(), Unswapped(), PrecisionAt(1)])] == ["p@1"]
    with pytest.raises(UsageError, match="no formula is known for the shared scores"):
        compare(a, b, metrics=[Errors(), Unswapped()])


def test_other_items_are_refused_with_the_difference(make_report: MakeReport) -> None:
    with pytest.raises(UsageError, match=r"2 are shared, 1 only in A \(first 'c'\), 1 only in B \(first 'd'\)"):
        compare(make_report(ids="abc"), make_report(ids="abd"))


def test_other_variants_and_other_truth_are_refused(make_report: MakeReport) -> None:
    with pytest.raises(UsageError, match="A was scored with variant 'strict', B with 'official'"):
        compare(make_report(), make_report(variant="official"))
    other = make_report(variant="conversation")
    other = msgspec.structs.replace(other, scores=(msgspec.structs.replace(other.scores[0], name="charm"),))
    with pytest.raises(UsageError, match="A was scored with variant 'strict', B with 'conversation'"):
        compare(make_report(), other)
    with pytest.raises(UsageError, match=r"different truth files \(a1 and b2 in their signatures\)"):
        compare(make_report(gold="a1"), make_report(gold="b2"))
    a, b = make_report("a", gold="a1", wrong=1), make_report("b", gold="a1")
    read_back = msgspec.json.decode(msgspec.json.encode(b), type=Report)  # a hash of its own, and the same one
    assert compare(a, read_back) == compare(a, b)
    assert compare(a, make_report("b")) == compare(a, b)  # of which truth that was is not known


def test_scores_without_a_known_formula_are_refused(make_report: MakeReport) -> None:
    report = make_report()
    strange = msgspec.structs.replace(report, scores=(msgspec.structs.replace(report.scores[0], name="charm"),))
    with pytest.raises(UsageError, match=r"no formula is known for the shared scores \(charm\)"):
        compare(strange, strange)


def test_a_report_without_counts_is_refused(make_report: MakeReport) -> None:
    with pytest.raises(UsageError, match="'bare' keeps no counts per item"):
        compare(make_report(), msgspec.structs.replace(make_report("bare"), items=()))


def test_pairs_within_each_test_set_are_a_family_of_their_own(make_report: MakeReport) -> None:
    sets = {
        name: [make_report(system, wrong=wrong, test_set=name) for system, wrong in (("c", 40), ("a", 0), ("b", 20))]
        for name in ("one", "two")
    }
    found = compare_all(sets, resamples=500)
    family = "all 3 pairs of systems on p@1, which ranks"
    assert [(one.test_set, one.a, one.b, one.family) for one in found[:3]] == [
        ("one", "a", "b", family),
        ("one", "a", "c", family),
        ("one", "b", "c", family),
    ]
    assert len(found) == 6


def test_an_error_names_test_set_and_systems(make_report: MakeReport) -> None:
    with pytest.raises(UsageError, match=r"^one: a \(A\) against b \(B\): a paired test needs the same items"):
        compare_all({"one": [make_report("a", n=5), make_report("b", wrong=1, n=6)]})


def test_reports_that_cannot_be_tested_are_left_out(make_report: MakeReport) -> None:
    bare = msgspec.structs.replace(make_report("bare"), items=())
    assert compare_all({"one": [make_report("a"), bare]}) == ()


def test_reports_are_ordered_best_first_and_equals_by_name(make_report: MakeReport) -> None:
    reports = [make_report("z"), make_report("poor", wrong=9), make_report("a")]
    assert [report.system for report in in_order(reports)] == ["a", "z", "poor"]


def test_systems_without_a_name_are_numbered(make_report: MakeReport) -> None:
    assert system_names([make_report(), make_report(), make_report("x")]) == ["unnamed", "unnamed (2)", "x"]
    named = [make_report("x"), make_report("x"), make_report("x (2)"), make_report("x")]
    assert system_names(named) == ["x", "x (3)", "x (2)", "x (4)"], "a system is really called x (2)"


def test_wins_losses_and_ties_are_counted_item_by_item(make_report: MakeReport) -> None:
    (found,) = compare(make_report("a", wrong=10), make_report("b", wrong=40), metrics=[PrecisionAt(1)], resamples=200)
    assert found.win_loss == (30, 0, 70)
    (turned,) = compare(make_report("b", wrong=40), make_report("a", wrong=10), metrics=[PrecisionAt(1)], resamples=200)
    assert turned.win_loss == (0, 30, 70)


def test_the_items_apart_most_come_first(make_report: MakeReport) -> None:
    gaps = widest_gaps(make_report("a", wrong=1), make_report("b", wrong=3), PrecisionAt(1), 5)
    assert [(gap.id, gap.a, gap.b) for gap in gaps] == [("tst1/0001", 1, 0), ("tst1/0002", 1, 0)]
    assert widest_gaps(make_report("a"), make_report("b"), PrecisionAt(1)) == ()


def test_where_less_is_better_the_lower_one_wins(make_report: MakeReport) -> None:
    good, poor = (with_lower_better(make_report(name, wrong=wrong)) for name, wrong in (("z", 10), ("a", 40)))
    (found,) = compare(good, poor, metrics=[Errors()])
    assert (found.better, found.win_loss) == ("a", (30, 0, 70))
    assert found.tested.difference == pytest.approx(-0.3)
    assert not found.higher_is_better
    (turned,) = compare(poor, good, metrics=[Errors()])
    assert (turned.better, turned.win_loss) == ("b", (0, 30, 70))
    assert [one.system for one in in_order([poor, good])] == ["z", "a"]
    assert [place.system for place in rank_all([poor, good], formulas=lambda _: [Errors()]).places] == ["z", "a"]


def test_a_family_is_said_in_words(make_report: MakeReport) -> None:
    a, b = make_report("a", wrong=2), make_report("b", wrong=3)
    others = compare(a, b, metrics=[PrecisionAt(2)])
    assert {one.family for one in others} == {"one pair of systems on 1 score beside that which ranks"}
    assert {one.swaps for one in others} == {"all 2 swaps"}
    elsewhere = compare(a, msgspec.structs.replace(b, rank_by="p@2"), metrics=[PrecisionAt(1)])
    assert len(elsewhere) == 1


def test_a_score_that_another_report_ranks_by_is_a_family_of_its_own(make_report: MakeReport) -> None:
    reports = [make_report(name, wrong=wrong) for name, wrong in (("a", 0), ("b", 30), ("c", 60), ("d", 90))]
    reports[2:] = [msgspec.structs.replace(one, rank_by="p@2") for one in reports[2:]]
    found = compare_all({"one": reports}, resamples=500)
    assert [(one.a, one.b, one.tested.name) for one in found] == [("a", "b", "p@1"), ("c", "d", "p@2")]
    alone = compare_all({"one": reports[:3]}, resamples=500)
    assert [(one.a, one.b) for one in alone] == [("a", "b")]


def test_reports_that_rank_by_a_score_without_a_formula_are_left_out(make_report: MakeReport) -> None:
    reports = [make_report(name, wrong=wrong) for name, wrong in (("a", 0), ("b", 30))]
    assert len(compare_all({"one": reports})) == 1
    assert compare_all({"one": [msgspec.structs.replace(one, rank_by="charm") for one in reports]}) == ()
    assert (
        compare_all({"one": [msgspec.structs.replace(one, rank_by="p@2") for one in reports]}, formulas=_unswapped)
        == ()
    )
    assert compare_all({"one": reports[:1]}) == ()


def _unswapped(report: Report) -> list[Metric[Any]]:
    return [PrecisionAt(1), Unswapped()]


def test_a_report_of_no_items_or_no_counts_is_left_out(make_report: MakeReport) -> None:
    whole = make_report("a")
    for lacking in ({"items": ()}, {"columns": ()}):
        odd = msgspec.structs.replace(make_report("b"), **lacking)
        assert compare_all({"one": [whole, odd]}) == ()


def test_the_items_apart_most_are_in_order_of_their_gap_then_their_id(make_report: MakeReport) -> None:
    a, b = make_report("a", ids="zyxw"), make_report("b", ids="wxyz", wrong=3)
    assert [gap.id for gap in widest_gaps(a, b, ranking_metric_of("mrr"))] == ["w", "x", "y"]
    rows = dict(b.items)
    half = tuple((name, (*rows["z"][:-1], 0.5) if name == "w" else counts) for name, counts in b.items)
    found = widest_gaps(a, msgspec.structs.replace(b, items=half), ranking_metric_of("mrr"))
    assert [gap.id for gap in found] == ["x", "y", "w"]
    assert [gap.a for gap in found] == [1.0, 1.0, 1.0]
    assert [gap.b for gap in found] == pytest.approx([1 / 3, 1 / 3, 1 / 2])
    turned = widest_gaps(msgspec.structs.replace(b, items=half), a, ranking_metric_of("mrr"), 2)
    assert [gap.id for gap in turned] == ["x", "y"]
    assert widest_gaps(a, b, ranking_metric_of("mrr"), 1)[0].id == "w"


def ranking_metric_of(name: str) -> Metric[Any]:
    found = ranking_metric(name)
    assert found is not None
    return found


def test_a_report_without_its_ranking_score_comes_last(make_report: MakeReport) -> None:
    lost = msgspec.structs.replace(make_report("a"), rank_by="charm")
    broken = make_report("b")
    broken = msgspec.structs.replace(
        broken, scores=tuple(msgspec.structs.replace(one, value=math.nan) for one in broken.scores)
    )
    assert [one.system for one in in_order([broken, lost, make_report("c", wrong=99)])] == ["c", "a", "b"]
    assert (rank_value(lost), rank_value(make_report("c", wrong=50))) == (None, 0.5)


def test_a_comparison_is_of_fractions_of_which_more_is_better_unless_it_says_otherwise(make_report: MakeReport) -> None:
    tested = compare(make_report("a"), make_report("b", wrong=40))[0].tested
    bare = Comparison("one", "a", "b", 100, tested, "all pairs", "all swaps")
    assert (bare.higher_is_better, bare.percent, bare.win_loss, bare.caution, bare.note) == (True, True, None, "", "")
    assert bare.better == "a"
    for low, high in ((-math.inf, 0.5), (0.1, math.inf), (math.nan, math.nan)):
        assert not bare._replace(tested=tested._replace(low=low, high=high)).has_interval
    assert bare.has_interval


def test_a_score_that_one_report_lacks_is_left_out_in_either_order(make_report: MakeReport) -> None:
    a, b = make_report("a", wrong=2), make_report("b", wrong=30)
    for place, name in enumerate(("p@1", "p@2", "p@5", "mrr")):
        lacking = msgspec.structs.replace(b, scores=(*b.scores[:place], *b.scores[place + 1 :]))
        left = [one for one in ("p@1", "p@2", "p@5", "mrr") if one != name]
        for pair in ((a, lacking), (lacking, a)):
            assert [one.tested.name for one in compare(*pair, resamples=100)] == left


def test_where_two_reports_rank_by_different_scores_all_of_them_are_one_family(make_report: MakeReport) -> None:
    a, b = make_report("a", wrong=2), msgspec.structs.replace(make_report("b", wrong=3), rank_by="p@2")
    for pair in ((a, b), (b, a)):
        assert {one.family for one in compare(*pair)} == {"one pair of systems on 4 scores beside that which ranks"}


@pytest.mark.parametrize(
    ("names", "told"), [(("mrr",), "1 score"), (("p@5",), "1 score"), (("p@2", "mrr"), "2 scores")]
)
def test_scores_beside_that_which_ranks_are_counted(make_report: MakeReport, names: tuple[str, ...], told: str) -> None:
    a, b = make_report("a", wrong=2), make_report("b", wrong=3)
    found = compare(a, b, metrics=[ranking_metric_of(name) for name in names])
    assert {one.family for one in found} == {f"one pair of systems on {told} beside that which ranks"}


def test_ten_items_are_told_unless_another_number_is_asked_for(make_report: MakeReport) -> None:
    assert len(widest_gaps(make_report("a"), make_report("b", wrong=20), PrecisionAt(1))) == 10


@pytest.mark.parametrize("rank_by", ["p@5", "mrr"])
def test_reports_are_ordered_by_the_score_that_ranks_wherever_it_stands(make_report: MakeReport, rank_by: str) -> None:
    poor, good = (
        msgspec.structs.replace(make_report(name, wrong=wrong), rank_by=rank_by)
        for name, wrong in (("a", 40), ("z", 1))
    )
    assert rank_value(poor) == next(one.value for one in poor.scores if one.name == rank_by)
    assert [one.system for one in in_order([good, poor])] == (["a", "z"] if rank_by == "p@5" else ["z", "a"])


def test_other_variants_and_other_truth_are_refused_in_either_order(make_report: MakeReport) -> None:
    with pytest.raises(UsageError, match="A was scored with variant 'official', B with 'strict'"):
        compare(make_report(variant="official"), make_report())
    other = msgspec.structs.replace(make_report(), task="play")
    for pair, told in (
        ((make_report(), other), "'toy', B with 'play'"),
        ((other, make_report()), "'play', B with 'toy'"),
    ):
        with pytest.raises(UsageError, match=f"A was scored with task {told}"):
            compare(*pair)
    with pytest.raises(UsageError, match=r"different truth files \(bbbbbbbb and aaaaaaaa in their signatures\)"):
        compare(make_report(gold="b" * 64), make_report(gold="a" * 64))


def test_the_formulas_are_those_of_the_best_report(make_report: MakeReport) -> None:
    reports = [make_report("a"), make_report("b", wrong=30), make_report("lost", wrong=60)]
    reports[2] = msgspec.structs.replace(reports[2], scores=reports[2].scores[1:])
    assert [(one.a, one.b) for one in compare_all({"one": reports}, resamples=200)] == [
        ("a", "b"),
        ("a", "lost"),
        ("b", "lost"),
    ]


def test_a_score_by_which_one_of_two_reports_is_ranked_is_not_said_to_rank(make_report: MakeReport) -> None:
    a, b = make_report("a", wrong=2), msgspec.structs.replace(make_report("b", wrong=3), rank_by="p@2")
    for pair in ((a, b), (b, a)):
        (found,) = compare(*pair, metrics=[PrecisionAt(1)])
        assert found.family == "one pair of systems on 1 score beside that which ranks"


def test_items_that_are_next_to_nothing_apart_are_ties(make_report: MakeReport) -> None:
    a, b = make_report("a", ids="wxyz"), make_report("b", ids="wxyz")
    counts = dict.fromkeys("wx", 1e-12) | {"y": 2e-12, "z": 0.0}
    near = msgspec.structs.replace(b, items=tuple((name, (counts[name], *rest)) for name, (_, *rest) in b.items))
    zero = msgspec.structs.replace(a, items=tuple((name, (0.0, *rest)) for name, (_, *rest) in a.items))
    first = _First()
    assert [compare(*pair, metrics=[first])[0].win_loss for pair in ((near, zero), (zero, near))] == [
        (1, 0, 3),
        (0, 1, 3),
    ]
    assert [gap.id for gap in widest_gaps(near, zero, first)] == ["y"]


class _First(PrecisionAt):
    """The first column as it is."""

    def __init__(self) -> None:
        super().__init__(1)

    def total(self, sums: Floats) -> Floats:
        return sums[..., 0]
