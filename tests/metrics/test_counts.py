"""Counting, adding up, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.core.errors import UsageError
from duologue.core.records import Report, Signature
from duologue.metrics.counts import Counts, Metric, share, tally
from duologue.metrics.rank import PrecisionAt, ReciprocalRank

if TYPE_CHECKING:
    from duologue.metrics.counts import Floats


class Length(Metric[str]):
    name = "mean length"
    columns = ("items", "characters")
    formula = "mean length = characters / items"

    def count(self, seen: str) -> tuple[float, float]:
        return 1.0, float(len(seen))

    def total(self, sums: Floats) -> Floats:
        return share(sums[..., 1], sums[..., 0])


def small() -> Counts:
    return Counts(("a", "b", "c"), ("items", "hit"), np.array([[1, 1], [1, 0], [1, 1]]), ("x", "y", "x"))


def test_a_metric_without_a_total_cannot_be_made() -> None:
    lacking = type("Lacking", (Length,), {"total": vars(Metric)["total"]})
    with pytest.raises(TypeError, match=r"abstract.*total"):
        lacking()


def test_a_metric_counts_each_item_and_totals_the_sums() -> None:
    counts = tally([Length()], ["a", "b"], ["one", "three"])
    assert counts.array.tolist() == [[1, 3], [1, 5]]
    assert Length().value(counts) == 4


def test_totals_are_vectorised_over_leading_axes() -> None:
    sums = np.arange(24, dtype=np.float64).reshape(3, 4, 2)
    assert Length().total(sums).shape == (3, 4)
    assert Length().total(sums)[2, 3] == 23 / 22


def test_nothing_counted_is_nan_and_never_zero() -> None:
    empty = tally([Length()], [], [])
    assert len(empty) == 0
    assert np.isnan(Length().value(empty))


def test_a_column_that_two_metrics_share_is_kept_once() -> None:
    counts = tally([PrecisionAt(1), PrecisionAt(2), ReciprocalRank()], ["a"], [2])
    assert counts.columns == ("items", "hit@1", "hit@2", "reciprocal rank")
    assert counts.array.tolist() == [[1, 0, 1, 0.5]]


def test_counts_cannot_be_changed_and_leave_the_given_array_alone() -> None:
    given_array = np.ones((1, 1))
    counts = Counts(("a",), ("items",), given_array)
    given_array[0, 0] = 7
    assert counts.sums().tolist() == [1]
    with pytest.raises(ValueError, match="read-only"):
        counts.array[0, 0] = 2


def test_counts_that_a_share_of_could_be_infinite_are_zero() -> None:
    counts = Counts(("a", "b"), ("items", "characters"), np.array([[1e-320, 1.0], [0.0, 1e-30]]))
    assert counts.array.tolist() == [[0.0, 1.0], [0.0, 1e-30]]
    assert np.isnan(Length().value(counts))  # a warning that the division overflows would fail the test


def test_grouped_items_are_drawn_as_dialogues_in_order_of_their_names() -> None:
    names, rows = small().units()
    assert names == ("x", "y")
    assert rows.tolist() == [[2, 2], [1, 0]]


def test_single_items_are_drawn_in_order_of_their_ids() -> None:
    counts = Counts(("b", "a"), ("n",), np.array([[1], [2]]))
    names, rows = counts.units()
    assert (names, rows.tolist()) == (("a", "b"), [[2], [1]])


def test_a_slice_keeps_ids_and_groups() -> None:
    part = small().take([0, 2])
    assert (part.ids, part.groups, part.sums().tolist()) == (("a", "c"), ("x", "x"), [2, 2])


@given(st.lists(st.tuples(st.integers(0, 50), st.booleans()), min_size=1, max_size=30))
def test_slices_add_up_to_the_whole(items: list[tuple[int, bool]]) -> None:
    counts = tally([Length()], [str(n) for n in range(len(items))], ["x" * length for length, _ in items])
    here = [row for row, (_, chosen) in enumerate(items) if chosen]
    there = [row for row, (_, chosen) in enumerate(items) if not chosen]
    assert (counts.take(here).sums() + counts.take(there).sums()).tolist() == counts.sums().tolist()


def test_counts_go_into_a_report_and_come_back() -> None:
    counts = small()
    report = Report(
        task="t",
        variant="strict",
        n=3,
        scores=(),
        rank_by="",
        columns=counts.columns,
        items=counts.rows(),
    )
    back = Counts.of_report(report)
    assert (back.ids, back.columns, back.array.tolist()) == (counts.ids, counts.columns, counts.array.tolist())


def test_a_report_without_counts_says_what_to_do() -> None:
    report = Report(task="t", variant="strict", n=0, scores=(), rank_by="", system="parrot")
    with pytest.raises(UsageError, match=r"'parrot' keeps no counts per item.*score the result file again"):
        Counts.of_report(report)


@pytest.mark.parametrize("count", [float("nan"), float("inf"), -1e308])
def test_counts_of_a_report_that_nothing_can_be_made_of_are_told(count: float) -> None:
    report = Report(task="t", variant="v", n=1, scores=(), rank_by="", columns=("n",), items=(("a", (count,)),))
    with pytest.raises(UsageError, match=r"the report on 't' is damaged: item 'a': column 'n' is "):
        Counts.of_report(report)


@pytest.mark.parametrize(
    ("ids", "columns", "array", "groups", "message"),
    [
        (("a",), ("n",), [[1, 2]], None, r"shape \(1, 2\); \(1, 1\)"),
        (("a", "a"), ("n",), [[1], [2]], None, "item 'a' is counted 2 times"),
        (("a",), ("n", "n"), [[1, 2]], None, "column 'n' is counted 2 times"),
        (("a", "b"), ("n",), [[1], [2]], ("x",), "1 groups are given for 2 items"),
        (("a", "b"), ("n",), [[1], [np.nan]], None, "item 'b': column 'n' is nan"),
        (("a", "b"), ("n",), [[1], [1e300]], None, r"item 'b': column 'n' is 1e\+300, at most 1e\+100 is expected"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(
    ids: tuple[str, ...],
    columns: tuple[str, ...],
    array: list[list[float]],
    groups: tuple[str, ...] | None,
    message: str,
) -> None:
    with pytest.raises(ValueError, match=message):
        Counts(ids, columns, np.array(array, dtype=np.float64), groups)


def test_as_many_items_as_ids_are_expected() -> None:
    with pytest.raises(ValueError, match="2 ids are given for 1 items"):
        tally([Length()], ["a", "b"], ["x"])


def test_a_column_that_was_not_counted_is_named_with_those_that_were() -> None:
    with pytest.raises(UsageError, match="no column 'hit@9' was counted; there are items, hit"):
        PrecisionAt(9).value(small())


def test_a_signature_says_what_stands_alone() -> None:
    bare = Signature(formulas=("p@1 = hit@1 / items",), task="toy", n=3, hashes={"gold": "0123456789"})
    counts = Counts(("a", "b", "c"), ("items",), np.ones((3, 1)))
    told = "p@1 = hit@1 / items | toy | n 3 | {} | jackknife 2 | gold 01234567"
    assert str(counts.sign(bare)) == told.format("dialogues unknown, by sample")
    assert counts.sign(bare).dialogues is None
    grouped = Counts(counts.ids, counts.columns, counts.array, ("x", "x", "y"))
    assert str(grouped.sign(bare)) == told.format("2 dialogues")
    assert grouped.sign(bare).of([], "turn 1", 2).n == 2


def test_a_saved_report_keeps_the_dialogues_of_its_items() -> None:
    counts = Counts(("a", "b", "c"), ("items",), np.ones((3, 1)), ("x", "x", "y"))
    report = Report(
        task="t",
        variant="v",
        n=3,
        scores=(),
        rank_by="s",
        columns=counts.columns,
        items=counts.rows(),
        groups=counts.groups or (),
    )
    assert Counts.of_report(report).units()[0] == ("x", "y")
