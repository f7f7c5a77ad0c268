"""Input of the ranker's network: one `RankerRow` per sample, padded into a `RankerBatch`.

A row holds utterances as numbers into a shared table of token sequences, so that an utterance that
occurs a thousand times in a batch is encoded once. The feature extractor assigns the numbers; the
network only knows which of them are utterances, values, fields and categories.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from duologue.challenges.restaurant.systems.trained_ranker.network import Ints, padded, whole
from duologue.models.vocabulary import PAD

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor


class RankerRow(NamedTuple):
    """One sample as numbers. All arrays are int32; the letters are those of `model`."""

    turns: Ints
    """(t, 2): speaker, utterance."""
    mentions: Ints
    """(m, 4): turn, token position in its utterance, field, value; in the order in which they are said."""
    fields: Ints
    """(f,): the fields by number, in alphabetical order of their names."""
    candidates: Ints
    """(c, 2 + k): utterance, the turn that answered when its subject was last named (0: none), categories."""
    values: Ints
    """(v, 3): candidate, field, value, for every value that a candidate names."""
    links: Ints
    """(n, 2): candidate and field, where the candidate's text contains the field's name."""
    numeric: Ints
    """(n, 2 + q): candidate, number of a numeric field, one number per ranking of its value."""
    target: int = -1
    """Index of the right candidate; -1 when not known."""

    @property
    def length(self) -> int:
        """Number of turns: what batches are sorted by."""
        return len(self.turns)


class RankerBatch(NamedTuple):
    """Rows padded to tensors of int64; masks are True where something is."""

    tokens: Tensor
    """(u, l): the distinct utterances of the batch."""
    turns: Tensor
    """(b, t): index of the utterance."""
    speakers: Tensor
    """(b, t)."""
    lengths: Tensor
    """(b,): turns per row, at least 1."""
    mentions: Tensor
    """(b, m, 4): utterance index, token position, field, value."""
    mention_mask: Tensor
    """(b, m)."""
    fields: Tensor
    """(b, f): token number of the name."""
    field_mask: Tensor
    """(b, f)."""
    candidates: Tensor
    """(b, c): index of the utterance."""
    replies: Tensor
    """(b, c): a turn, 0 for none."""
    codes: Tensor
    """(b, c, k)."""
    candidate_mask: Tensor
    """(b, c)."""
    values: Tensor
    """(b, v, 3)."""
    value_mask: Tensor
    """(b, v)."""
    links: Tensor
    """(b, c, f) float: 1 where the candidate's text contains the field's name."""
    numeric: Tensor
    """(b, n, 2 + q): candidate, token number of the field's name, rankings."""
    numeric_mask: Tensor
    """(b, n)."""
    targets: Tensor
    """(b,): -1 when not known."""


def collate(rows: Sequence[RankerRow], utterances: Sequence[Sequence[int]], names: Sequence[int]) -> RankerBatch:
    """Pad rows into one batch.

    `utterances` holds the tokens of each utterance number, `names` the token number of each field's name.
    """
    turns, lengths = padded([row.turns for row in rows], least=1)
    candidates, candidate_mask = padded([row.candidates for row in rows], least=1)
    used, index = np.unique(np.concatenate([turns[..., 1].ravel(), candidates[..., 0].ravel()]), return_inverse=True)
    index = index.reshape(-1)
    turn_index = index[: turns.shape[0] * turns.shape[1]].reshape(turns.shape[:2])
    mentions, mention_mask = padded([row.mentions for row in rows], least=1)
    said_in = np.take_along_axis(turn_index, mentions[..., 0], axis=1)
    mentions[..., 0] = np.where(mention_mask, said_in, 0)
    fields, field_mask = padded([row.fields for row in rows], least=1)
    values, value_mask = padded([row.values for row in rows], least=1)
    numeric, numeric_mask = padded([row.numeric for row in rows], least=1)
    tokens_of_name = np.asarray([*names, PAD], np.int32)
    fields, numeric[..., 1] = tokens_of_name[fields], tokens_of_name[numeric[..., 1]]
    links = np.zeros((len(rows), candidates.shape[1], fields.shape[1]), np.float32)
    for number, row in enumerate(rows):
        links[number, row.links[:, 0], row.links[:, 1]] = 1.0
    tokens, _ = padded([np.asarray(utterances[number], np.int32) for number in used], least=1)
    return RankerBatch(
        tokens=whole(tokens),
        turns=whole(turn_index),
        speakers=whole(turns[..., 0]),
        lengths=whole(lengths.sum(1)),
        mentions=whole(mentions),
        mention_mask=torch.from_numpy(mention_mask),
        fields=whole(fields),
        field_mask=torch.from_numpy(field_mask),
        candidates=whole(index[turn_index.size :].reshape(candidates.shape[:2])),
        replies=whole(candidates[..., 1]),
        codes=whole(candidates[..., 2:]),
        candidate_mask=torch.from_numpy(candidate_mask),
        values=whole(values),
        value_mask=torch.from_numpy(value_mask),
        links=torch.from_numpy(links),
        numeric=whole(numeric),
        numeric_mask=torch.from_numpy(numeric_mask),
        targets=torch.tensor([row.target for row in rows]),
    )


def collator(utterances: Sequence[Sequence[int]], names: Sequence[int]) -> Callable[[Sequence[RankerRow]], RankerBatch]:
    """Return `collate` with the token numbers that rows point into."""
    return lambda rows: collate(rows, utterances, names)
