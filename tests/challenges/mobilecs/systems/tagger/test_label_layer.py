from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.systems.tagger.label_layer import (
    ALL_VALUES,
    MENTIONS,
    SERVICE_VALUES,
    USER_VALUES,
    KindSpan,
    LabelLayer,
    loose_spans,
)

LAYER = LabelLayer("x", ("a", "b"))


def test_labels_of_spans_are_read_back() -> None:
    spans = [KindSpan(0, 2, 1), KindSpan(2, 3, 0), KindSpan(4, 6, 0)]
    assert loose_spans(LAYER.labels(6, spans)) == spans


def test_spans_that_overlap_or_end_outside_do_not_count() -> None:
    assert LAYER.labels(4, [KindSpan(1, 5, 0), KindSpan(2, 2, 0)]) == [0, 0, 0, 0]
    assert LAYER.labels(4, [KindSpan(0, 3, 0), KindSpan(2, 4, 1)]) == [1, 2, 2, 0]


@pytest.mark.parametrize(
    ("labels", "spans"),
    [
        ([0, 2, 2, 0], [(1, 3, 0)]),  # goes on where nothing began
        ([1, 4, 2], [(0, 3, 0)]),  # a change of kind inside
        ([1, 3], [(0, 1, 0), (1, 2, 1)]),
        ([], []),
    ],
)
def test_spans_are_read_as_the_published_baseline_reads_them(
    labels: list[int], spans: list[tuple[int, int, int]]
) -> None:
    assert loose_spans(labels) == spans


def test_the_layers_have_all_types_and_slots_of_the_sources() -> None:
    assert [layer.size for layer in (MENTIONS, SERVICE_VALUES)] == [21, 35]
    assert {"故障问题", "账户余额（欠费）", "流量总量", "话费余额", "剩余话费"} <= set(USER_VALUES.kinds)
    assert set(ALL_VALUES.kinds) == {*SERVICE_VALUES.kinds, *USER_VALUES.kinds}
