"""Reports put in order, with ranks and ties."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.core.errors import UsageError
from duologue.core.records import Problem
from duologue.metrics.significance import PairedTest
from duologue.report.board import boards
from duologue.report.comparison import Comparison
from duologue.report.leaderboard import ranks

if TYPE_CHECKING:
    from duologue.core.records import Report
    from tests.report.conftest import MakeReport


def comparison(a: str, b: str, *, real: bool) -> Comparison:
    p = 0.001 if real else 0.5
    tested = PairedTest("p@1", 0.9, 0.8, 0.1, 0.0, 0.2, p, p, 0.1)
    return Comparison("one", a, b, 100, tested, "all pairs", "all swaps")


def test_a_rank_is_one_more_than_the_systems_shown_to_be_better() -> None:
    tests = [comparison("a", "b", real=False), comparison("a", "c", real=True), comparison("b", "c", real=False)]
    assert ranks(["a", "b", "c"], tests) == [1, 1, 2]


def test_all_ties_share_the_first_rank() -> None:
    tests = [comparison(*pair, real=False) for pair in (("a", "b"), ("a", "c"), ("b", "c"))]
    assert ranks(["a", "b", "c"], tests) == [1, 1, 1]


def test_all_real_differences_give_all_ranks() -> None:
    tests = [comparison(*pair, real=True) for pair in (("a", "b"), ("a", "c"), ("b", "c"))]
    assert ranks(["a", "b", "c"], tests) == [1, 2, 3]


def test_untested_systems_rank_behind_those_before_them() -> None:
    assert ranks(["a", "b"], []) == [1, 2]


def test_reports_meet_by_task_variant_and_name_of_the_test_set(make_report: MakeReport) -> None:
    reports = [
        make_report("good", test_set="one"),
        make_report("poor", wrong=30, test_set="one"),
        make_report("poor", wrong=10, test_set="two"),
        make_report("good", wrong=9, test_set="two"),
        make_report("good", test_set="one", variant="official"),
    ]
    strict, official = boards(reports)
    assert (strict.variant, official.variant) == ("strict", "official")
    assert [one.name for one in strict.sets] == ["one", "two"]
    assert list(strict.sets[1].cells) == ["good", "poor"]
    assert [(one.name, one.lowest) for one in strict.systems] == [("good", ("two", 0.91)), ("poor", ("one", 0.7))]
    assert [one.mean for one in strict.systems] == pytest.approx([0.955, 0.8])
    assert [(cell.rank, cell.tied) for cell in strict.sets[0].cells.values()] == [(1, False), (2, False)]
    assert [(cell.rank, cell.tied) for cell in strict.sets[1].cells.values()] == [(1, True), (1, True)]
    assert strict.n == 400


def test_systems_stand_by_their_means_and_those_without_one_come_last(make_report: MakeReport) -> None:
    wrong = {"a": (10, 60), "b": (20, 30), "c": (30, 10), "d": (0, None)}  # by their places in set one: d, a, b, c
    reports = [
        make_report(name, wrong=times, test_set=where)
        for name, both in wrong.items()
        for where, times in zip(("one", "two"), both, strict=True)
        if times is not None
    ]
    (found,) = boards(reports)
    assert [one.name for one in found.systems] == ["c", "b", "a", "d"]
    assert [one.mean for one in found.systems[:3]] == pytest.approx([0.8, 0.75, 0.65])
    assert found.systems[3].mean is None


def test_reports_without_a_named_test_set_meet_by_their_items(make_report: MakeReport) -> None:
    reports = [
        make_report("a", test_set=None, ids="xyz"),
        make_report("b", test_set=None, ids="pqr"),
        make_report("b", test_set=None, ids="zyx"),
    ]
    board = boards(reports)[0]
    assert {one.name: sorted(one.cells) for one in board.sets} == {"set 1": ["a", "b"], "set 2": ["b"]}


def test_a_system_that_skipped_a_test_set_has_no_mean(make_report: MakeReport) -> None:
    board = boards([make_report("a"), make_report("b"), make_report("a", test_set="two")])[0]
    assert [(one.name, one.mean, one.sets) for one in board.systems] == [("a", 1.0, 2), ("b", None, 1)]


def test_slices_problems_and_commands_are_gathered(make_report: MakeReport) -> None:
    problem = Problem(rule="odd", message="odd")
    board = boards(
        [
            make_report("a", slices=True, wrong=5, commands=["make x", "make a"]),
            make_report("b", slices=True, problems=(problem,), commands=["make x"]),
        ]
    )[0]
    assert board.score_names() == ["p@1", "p@2", "p@5", "mrr"]
    assert board.cuts() == ["answer-type"]
    assert board.sets[0].slices("answer-type") == [
        ("api_call", 50, {"b": 1.0, "a": 0.9}),
        ("question", 50, {"b": 1.0, "a": 1.0}),
    ]
    assert board.problems() == [("tst1", "b", problem)]
    assert board.commands() == ["make x", "make a"]


def test_a_cell_holds_the_score_that_ranks_wherever_it_stands(make_report: MakeReport) -> None:
    report = make_report("a", wrong=30)
    for scores in (report.scores, report.scores[::-1]):
        (cell,) = boards([msgspec.structs.replace(report, scores=scores)])[0].sets[0].cells.values()
        assert cell.score is not None
        assert cell.score.name == report.rank_by


def test_a_score_is_found_by_its_name(make_report: MakeReport) -> None:
    (cell,) = boards([make_report("a")])[0].sets[0].cells.values()
    for name in ("mrr", "p@2"):
        found = cell.named("".join(list(name)))
        assert found is not None
        assert found.name == name
    assert cell.named("bleu") is None


def test_a_report_without_its_ranking_score_has_no_rank(make_report: MakeReport) -> None:
    lost = msgspec.structs.replace(make_report("lost"), rank_by="charm", items=())
    cell = boards([make_report("a"), lost])[0].sets[0].cells["lost"]
    assert (cell.score, cell.rank, cell.tied) == (None, None, False)


def test_no_reports_are_refused() -> None:
    with pytest.raises(UsageError, match="no reports to show"):
        boards([])


def test_a_board_is_in_percent_where_all_its_scores_are_fractions(make_report: MakeReport) -> None:
    report = make_report("a", wrong=10)
    plain = msgspec.structs.replace(
        report, scores=tuple(msgspec.structs.replace(one, percent=False) for one in report.scores)
    )
    lost = msgspec.structs.replace(make_report("lost"), rank_by="charm", items=())
    assert boards([report, make_report("b")])[0].percent
    assert not boards([plain])[0].percent
    assert boards([report, lost])[0].percent


def test_a_score_that_is_no_number_has_no_rank_and_no_part_in_the_mean(make_report: MakeReport) -> None:
    broken = make_report("broken")
    nothing = tuple(msgspec.structs.replace(one, value=math.nan) for one in broken.scores)
    empty = tuple((name, (0.0,) * len(counts)) for name, counts in broken.items)
    broken = msgspec.structs.replace(broken, scores=nothing, items=empty)
    board = boards([make_report("a", wrong=10), broken])[0]
    assert [(name, cell.rank, cell.score is None) for name, cell in board.sets[0].cells.items()] == [
        ("a", 1, False),
        ("broken", None, True),
    ]
    assert [(one.name, one.number, one.mean, one.lowest, one.sets) for one in board.systems] == [
        ("a", 0, 0.9, ("tst1", 0.9), 1),
        ("broken", 1, None, None, 0),
    ]


def test_the_warning_of_one_report_is_that_of_the_board(make_report: MakeReport) -> None:
    reports = [make_report("a", test_set="one"), make_report("a", test_set="two", dialogues=False)]
    assert boards(reports)[0].caution == reports[1].caution != ""
    assert boards(reports[:1])[0].caution == ""


def test_reports_without_items_meet_by_their_signatures(make_report: MakeReport) -> None:
    bare = [
        msgspec.structs.replace(make_report(system, n=n, test_set=None), items=())
        for system, n in (("a", 5), ("a", 6), ("b", 5))
    ]
    same = msgspec.structs.replace(bare[2], signature=bare[0].signature)
    assert [(one.name, one.n, list(one.cells)) for one in boards([*bare[:2], same])[0].sets] == [
        ("set 1", 5, ["a", "b"]),
        ("set 2", 6, ["a"]),
    ]


def test_a_test_set_is_as_large_as_its_largest_report(make_report: MakeReport) -> None:
    bare = msgspec.structs.replace(make_report("b", n=7), items=())
    assert boards([bare, make_report("a", n=9)])[0].sets[0].n == 9
    assert boards([make_report("a", n=9), bare])[0].sets[0].n == 9


def test_the_parts_of_a_cut_are_its_own(make_report: MakeReport) -> None:
    report = msgspec.structs.replace(make_report("a", slices=True, wrong=5), rank_by="mrr")
    first, second = report.slices
    others = tuple(msgspec.structs.replace(first, by=by, value=by.upper()) for by in ("age", "mood"))
    (board,) = boards([msgspec.structs.replace(report, slices=(others[0], second, others[1]))])
    mrr = {part.value: part.scores[-1].value for part in (first, second)}
    assert board.cuts() == ["age", "answer-type", "mood"]
    assert board.sets[0].slices("answer-type") == [("question", 50, {"a": mrr["question"]})]
    assert board.sets[0].slices("mood") == [("MOOD", 50, {"a": mrr["api_call"]})]


def test_tests_stand_with_their_test_set(make_report: MakeReport) -> None:
    """A difference shown on one test set gives no rank on another."""
    wrong = {"one": (0, 1), "three": (40, 0), "two": (0, 40)}
    reports = [
        make_report(system, wrong=times, test_set=name)
        for name, both in wrong.items()
        for system, times in zip("ab", both, strict=True)
    ]
    (board,) = boards(reports)
    ranked = {one.name: {system: cell.rank for system, cell in one.cells.items()} for one in board.sets}
    assert ranked == {"one": {"a": 1, "b": 1}, "three": {"b": 1, "a": 2}, "two": {"a": 1, "b": 2}}
    assert [[cell.tied for cell in one.cells.values()] for one in board.sets] == [[True] * 2, [False] * 2, [False] * 2]


def test_a_system_without_a_mean_comes_last_even_where_scores_are_below_0(make_report: MakeReport) -> None:
    def scored(system: str, test_set: str, value: float) -> Report:
        report = make_report(system, test_set=test_set)
        score = msgspec.structs.replace(report.scores[0], value=value, low=None, high=None, percent=False)
        return msgspec.structs.replace(report, scores=(score,))

    values = {"part": (0.5,), "poor": (-0.25, -0.75), "fair": (0.5, -0.5)}
    given = [
        (name, where, one)
        for name, several in values.items()
        for where, one in zip(("one", "two"), several, strict=False)
    ]
    (found,) = boards([scored(*one) for one in given])
    assert [(one.name, one.number, one.mean, one.lowest) for one in found.systems] == [
        ("fair", 0, 0.0, ("two", -0.5)),
        ("poor", 1, -0.5, ("two", -0.75)),
        ("part", 2, None, ("one", 0.5)),
    ]


def test_a_board_is_not_changed(make_report: MakeReport) -> None:
    (found,) = boards([make_report("a")])
    with pytest.raises(FrozenInstanceError):
        found.__setattr__("score", "mrr")
