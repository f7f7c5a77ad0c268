"""Rows and batches of the `Postks` network.

A triple that several samples of a batch share (`person_topic_a 领域 明星` is in most of them) is encoded once; its
gradients add up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from duologue.models.recurrent import Packed, pack
from duologue.models.vocabulary import BEGIN, END, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


class PostksRow(NamedTuple):
    """Token ids of one sample, without begin and end."""

    source: tuple[int, ...]
    """Goal, knowledge and history; at least one token."""
    reply: tuple[int, ...]
    """At least one token in training; empty if unknown."""
    triples: tuple[tuple[int, ...], ...]
    """At least one token each."""


class PostksBatch(NamedTuple):
    """A batch: b samples with at most k triples each, n tokens of all replies including their ends."""

    source: Packed
    triples: Packed
    """The u distinct triples."""
    which: Tensor
    """Indices of each sample's triples (b, k), 0 for padding."""
    known: Tensor
    """Mask of `which` (b, k), True for a triple."""
    reply: Packed | None
    """Replies as input of the posterior; `None` if unknown."""
    said: Packed | None
    """Begin and reply, the decoder input (n tokens)."""
    targets: Tensor
    """Reply and end, the target after each token of `said` (n,)."""

    @property
    def size(self) -> int:
        """Number of samples."""
        return len(self.which)


def collate(rows: Sequence[PostksRow], *, replies: bool = True) -> PostksBatch:
    """Collate samples into a batch; without `replies` for decoding only.

    Raises `ValueError` for an empty source, triple or, with `replies`, reply.
    """
    different: dict[tuple[int, ...], int] = {}
    numbers = [[different.setdefault(triple, len(different)) for triple in row.triples] for row in rows]
    slots = max(1, *map(len, numbers))
    which, known = np.zeros((len(rows), slots), np.int64), np.zeros((len(rows), slots), bool)
    for place, of_row in enumerate(numbers):
        which[place, : len(of_row)] = of_row
        known[place, : len(of_row)] = True
    reply = said = None
    targets = torch.empty(0, dtype=torch.int64)
    if replies:
        reply = pack([row.reply for row in rows])
        said = pack([(BEGIN, *row.reply) for row in rows])
        targets = pack([(*row.reply, END) for row in rows]).tokens
    return PostksBatch(
        source=pack([row.source for row in rows]),
        triples=pack(list(different) or [(UNKNOWN,)]),  # a placeholder, masked everywhere
        which=torch.from_numpy(which),
        known=torch.from_numpy(known),
        reply=reply,
        said=said,
        targets=targets,
    )
