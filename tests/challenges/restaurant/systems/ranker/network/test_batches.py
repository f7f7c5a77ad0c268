from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.restaurant.systems.ranker.network.batches import RankerRow, collate

if TYPE_CHECKING:
    from collections.abc import Sequence


def ints(rows: Sequence[tuple[int, ...]], columns: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return np.array(rows, np.int32).reshape(-1, columns)


FIRST = RankerRow(
    turns=ints([(2, 0), (0, 3)], 2),
    mentions=ints([(1, 1, 0, 9)], 4),
    fields=np.array([1, 0], np.int32),
    candidates=ints([(1, 0, 4), (3, 1, 5)], 3),
    values=ints([(1, 0, 9)], 3),
    links=ints([(1, 0)], 2),
    numeric=ints([(0, 1, 2)], 3),
    target=1,
)
SECOND = FIRST._replace(turns=ints([(2, 0)], 2), candidates=ints([(2, 0, 6)], 3), links=ints([], 2), target=0)
UTTERANCES = [(7,), (8, 9), (7, 7, 7), (5, 4)]
NAMES = [11, 12]


def test_distinct_utterances_are_encoded_once() -> None:
    batch = collate([FIRST, SECOND], UTTERANCES, NAMES)
    assert batch.tokens.tolist() == [[7, 0, 0], [8, 9, 0], [7, 7, 7], [5, 4, 0]]
    assert batch.turns.tolist() == [[0, 3], [0, 0]]
    assert batch.candidates.tolist() == [[1, 3], [2, 0]]
    assert batch.lengths.tolist() == [2, 1]


def test_masks_are_true_where_something_is() -> None:
    batch = collate([FIRST, SECOND], UTTERANCES, NAMES)
    assert batch.candidate_mask.tolist() == [[True, True], [True, False]]
    assert batch.mention_mask.tolist() == [[True], [True]]


def test_mentions_point_at_utterances_and_names_at_tokens() -> None:
    batch = collate([FIRST], UTTERANCES, NAMES)
    assert batch.tokens.tolist() == [[7, 0], [8, 9], [5, 4]]
    assert batch.mentions.tolist() == [[[2, 1, 0, 9]]]
    assert batch.fields.tolist() == [[12, 11]]
    assert batch.numeric.tolist() == [[[0, 12, 2]]]
    assert batch.links.tolist() == [[[0.0, 0.0], [1.0, 0.0]]]
    assert batch.codes.tolist() == [[[4], [5]]]
    assert batch.replies.tolist() == [[0, 1]]
    assert batch.targets.tolist() == [1]
    assert FIRST.length == 2


def test_rows_are_not_changed() -> None:
    before = FIRST.numeric.copy()
    collate([FIRST, SECOND], UTTERANCES, NAMES)
    assert (before == FIRST.numeric).all()
