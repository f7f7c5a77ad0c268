"""End-to-end memory network over the turns of a dialogue (Sukhbaatar et al. 2015), ranking candidates.

Shapes: b rows, m memories, c candidates, u distinct bags, d width.

As Bordes et al. 2017 (section 4.1) lay it out for dialogues: a turn is the sum of its words, who said it and how long
ago; the query is the last turn; in each hop the query finds memories by softmax and is added to what it found, turned
by one matrix for all hops; a candidate, with words of its own, scores by its product with the last query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from duologue.challenges.restaurant.systems.trained_ranker.network import Bags, Ints, bags_of, padded, whole
from duologue.core.records import Record
from duologue.models.vocabulary import PAD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

SPEAKERS = 4


class MemoryRow(NamedTuple):
    """One sample as numbers, int32."""

    query: int
    """Bag of the last turn."""
    memories: Ints
    """(m, 3): bag, speaker, age in turns, from 1."""
    candidates: Ints
    """(c,): bags."""
    target: int = -1
    """Place of the right candidate; -1 when not known."""

    @property
    def length(self) -> int:
        """Number of memories: what batches are sorted by."""
        return len(self.memories)


class MemoryBatch(NamedTuple):
    """Rows padded to tensors; masks are True where something is."""

    turns: Bags
    replies: Bags
    """The distinct bags of turns and of candidates, apart: their words have other vectors."""
    queries: Tensor
    """(b,): index into `turns`."""
    memories: Tensor
    """(b, m, 3): index into `turns`, speaker, age."""
    memory_mask: Tensor
    """(b, m)."""
    candidates: Tensor
    """(b, c): index into `replies`."""
    candidate_mask: Tensor
    """(b, c)."""
    targets: Tensor
    """(b,)."""


class MemorySize(Record, frozen=True):
    """Sizes of a `MemoryNetwork`."""

    vocabulary: int
    width: int
    hops: int
    memories: int
    """Turns that are remembered at most."""


class MemoryNetwork(nn.Module):
    """Score the candidates of each row: `MemoryBatch` -> (b, c), the higher the better."""

    def __init__(self, size: MemorySize) -> None:
        super().__init__()
        self.hops = size.hops
        self.turns = nn.EmbeddingBag(size.vocabulary, size.width, mode="sum", padding_idx=PAD)
        self.replies = nn.EmbeddingBag(size.vocabulary, size.width, mode="sum", padding_idx=PAD)
        self.speakers = nn.Embedding(SPEAKERS, size.width)
        self.ages = nn.Embedding(size.memories + 1, size.width)
        self.turned = nn.Linear(size.width, size.width, bias=False)
        for table in (self.turns, self.replies, self.speakers, self.ages):
            nn.init.normal_(table.weight, std=0.1)

    def forward(self, batch: MemoryBatch) -> Tensor:
        """Return the scores of the candidates, -1e9 where there is none."""
        said = self.turns(batch.turns.words, batch.turns.starts)  # (u, d)
        bag, speaker, age = batch.memories.unbind(-1)  # each (b, m)
        memories = functional.embedding(bag, said) + self.speakers(speaker) + self.ages(age)  # (b, m, d)
        query = functional.embedding(batch.queries, said)  # (b, d)
        for _ in range(self.hops):
            fit = torch.einsum("bd,bmd->bm", query, memories).masked_fill(~batch.memory_mask, -1e9)
            weights = fit.softmax(-1) * batch.memory_mask  # of no memories nothing is found
            query = query + self.turned(torch.einsum("bm,bmd->bd", weights, memories))
        offered = functional.embedding(batch.candidates, self.replies(batch.replies.words, batch.replies.starts))
        scores = torch.einsum("bd,bcd->bc", query, offered)
        out: Tensor = scores.masked_fill(~batch.candidate_mask, -1e9)
        return out


def collate(rows: Sequence[MemoryRow], table: Sequence[Sequence[int]]) -> MemoryBatch:
    """Pad rows into one batch; `table` holds the token numbers of each bag."""
    memories, memory_mask = padded([row.memories for row in rows], least=1)
    candidates, candidate_mask = padded([row.candidates for row in rows], least=1)
    queries = np.array([row.query for row in rows], np.int32)
    index, turns = bags_of(np.concatenate([queries, memories[..., 0].ravel()]), table)
    remembered = whole(memories)
    remembered[..., 0] = index[len(rows) :].view(memory_mask.shape)
    offered, replies = bags_of(candidates, table)
    return MemoryBatch(
        turns=turns,
        replies=replies,
        queries=index[: len(rows)],
        memories=remembered,
        memory_mask=torch.from_numpy(memory_mask),
        candidates=offered,
        candidate_mask=torch.from_numpy(candidate_mask),
        targets=torch.tensor([row.target for row in rows]),
    )
