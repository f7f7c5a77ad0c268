"""Samples as numbers for the `Postks` network.

A triple that several samples of a batch have (`person_topic_a 领域 明星` is in most of them) is read once: the gradient
of a sum is the sum of the gradients.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from duologue.models.recurrent import Packed, pack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

PAD, UNKNOWN, BEGIN, END = range(4)
"""Numbers of the special tokens."""


class Row(NamedTuple):
    """One sample as token numbers, without begin and end."""

    source: tuple[int, ...]
    """Goal, knowledge and history; at least one token."""
    reply: tuple[int, ...]
    """At least one token in training; empty where it is not known."""
    triples: tuple[tuple[int, ...], ...]
    """At least one token each."""


class Batch(NamedTuple):
    """Samples laid out for the network: b samples, k triples each at most, n tokens of all replies with their end."""

    source: Packed
    triples: Packed
    """Each different triple once (u of them)."""
    which: Tensor
    """Numbers of each sample's triples (b, k), 0 where there is none."""
    known: Tensor
    """Where `which` holds a triple (b, k)."""
    reply: Packed | None
    """Replies as the posterior reads them; `None` where they are not known."""
    said: Packed | None
    """Begin and reply, as the decoder reads them (n tokens)."""
    targets: Tensor
    """Reply and end: what is wanted after each token of `said` (n,)."""

    @property
    def size(self) -> int:
        """Number of samples."""
        return len(self.which)


def collate(rows: Sequence[Row], *, replies: bool = True) -> Batch:
    """Return samples as one batch; without `replies` as one that can only be answered.

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
    return Batch(
        source=pack([row.source for row in rows]),
        triples=pack(list(different) or [(UNKNOWN,)]),  # what no sample has is masked wherever it stands
        which=torch.from_numpy(which),
        known=torch.from_numpy(known),
        reply=reply,
        said=said,
        targets=targets,
    )
