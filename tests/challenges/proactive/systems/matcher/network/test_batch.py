from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.proactive.systems.matcher.network.batch import (
    FIRST,
    MatcherRow,
    collate,
    length,
    line,
    lines,
    tokens,
)
from duologue.models.vocabulary import END, PAD


def numbers(*of: int) -> array[int]:
    return array("i", of)


def test_a_line_is_history_and_reply_between_special_tokens() -> None:
    found, segments = line([5, 6, 7], [8, 9], 20)
    assert found == [FIRST, 5, 6, 7, END, 8, 9, END]
    assert segments == [0, 0, 0, 0, 0, 1, 1, 1]


def test_a_long_history_loses_its_beginning_and_a_long_reply_its_end() -> None:
    found, _ = line([5, 6, 7], [8, 9], 6)
    assert found == [FIRST, 7, END, 8, 9, END]
    found, _ = line([5], list(range(10, 90)), 128)
    assert found == [FIRST, 5, END, *range(10, 60), END]
    assert line([5, 6], [7, 8, 9, 10], 5)[0] == [FIRST, END, 7, 8, END]


@given(st.lists(st.integers(4, 9), max_size=40), st.lists(st.integers(4, 9), max_size=70), st.integers(4, 80))
def test_a_line_is_never_longer_than_asked_and_ends_with_both_parts(
    history: list[int], reply: list[int], longest: int
) -> None:
    found, segments = line(history, reply, longest)
    assert len(found) == len(segments) <= longest
    assert found.count(END) == 2
    assert found[-1] == END
    row = MatcherRow(array("i", history), (array("i", reply),), numbers())
    assert length(row, longest) == len(found) == tokens(row, longest)


def test_a_batch_has_a_line_per_candidate_and_a_row_of_knowledge_per_sample() -> None:
    rows = [
        MatcherRow(numbers(5), (numbers(6), numbers(7, 8)), numbers(9, 9, 9), target=1),
        MatcherRow(numbers(), (numbers(4),), numbers(), target=-1),
    ]
    batch = collate(rows, 16)
    assert batch.tokens.tolist() == [
        [FIRST, 5, END, 6, END, PAD],
        [FIRST, 5, END, 7, 8, END],
        [FIRST, END, 4, END, PAD, PAD],
    ]
    assert batch.segments.tolist() == [[0, 0, 0, 1, 1, 0], [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 0, 0]]
    assert batch.background.tolist() == [[9, 9, 9], [0, 0, 0]]
    assert batch.row_of.tolist() == [0, 0, 1]
    assert batch.labels.tolist() == [0, 1, 0]
    assert [lines(row) for row in rows] == [2, 1]


def test_knowledge_is_cut_to_the_same_length_and_without_any_one_pad_stands_there() -> None:
    assert collate([MatcherRow(numbers(5), (numbers(6),), numbers(7, 8, 9, 10, 11, 12))], 4).background.tolist() == [
        [7, 8, 9, 10]
    ]
    assert collate([MatcherRow(numbers(5), (numbers(6),), numbers())], 4).background.tolist() == [[PAD]]
