"""Contexts with candidate replies as numbers: a row per sample, a line per candidate, batches of both.

Letters: b rows (samples), n lines (pairs of context and candidate), l tokens of a line, k tokens of knowledge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch

if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence

    from torch import Tensor

PAD, UNKNOWN, FIRST, END = range(4)
"""Token numbers of `[PAD]`, `[UNK]`, `[CLS]`, `[SEP]`."""
LONGEST_REPLY = 50
"""Tokens of a reply that are read (specification, section 5.2)."""


class Row(NamedTuple):
    """One sample: token numbers, without special ones."""

    history: array[int]
    replies: tuple[array[int], ...]
    """Of the candidates, in their order."""
    background: array[int]
    """Goal, `END` and knowledge; empty where the model reads none."""
    target: int = -1
    """Place of the reply that was given; -1 where it is not known."""


class Batch(NamedTuple):
    """Rows and the lines of their candidates, those of a row one behind the other."""

    tokens: Tensor
    """(n, l): `[CLS] history [SEP] reply [SEP]`, padded on the right."""
    segments: Tensor
    """(n, l): 0 up to the first `[SEP]`, then 1."""
    background: Tensor
    """(b, k), padded on the right; k is 1 at least."""
    row_of: Tensor
    """(n,): the row that a line belongs to."""
    labels: Tensor
    """(n,): 1 for the reply that was given, else 0."""


def line(history: Sequence[int], reply: Sequence[int], longest: int) -> tuple[list[int], list[int]]:
    """Return tokens and segments of one line: the reply cut to 50 tokens, the history from the left to what is left."""
    said = list(reply[: min(LONGEST_REPLY, longest - 3)])
    room = longest - 3 - len(said)
    before = list(history[max(0, len(history) - room) :])
    tokens = [FIRST, *before, END, *said, END]
    return tokens, [0] * (len(before) + 2) + [1] * (len(said) + 1)


def collate(rows: Sequence[Row], longest: int) -> Batch:
    """Return rows as one batch with lines of at most `longest` tokens, and as many of knowledge."""
    lines = [line(row.history, reply, longest) for row in rows for reply in row.replies]
    of = [place for place, row in enumerate(rows) for _ in row.replies]
    labels = [int(at == row.target) for row in rows for at in range(len(row.replies))]
    return Batch(
        _padded([tokens for tokens, _ in lines]),
        _padded([segments for _, segments in lines]),
        _padded([list(row.background[:longest]) for row in rows]),
        torch.tensor(of, dtype=torch.int64),
        torch.tensor(labels, dtype=torch.int64),
    )


def length(row: Row, longest: int) -> int:
    """Return the length of a row's longest line: rows of like length share a batch."""
    replies = max((len(reply) for reply in row.replies), default=0)
    return min(longest, len(row.history) + min(LONGEST_REPLY, replies) + 3)


def lines(row: Row) -> int:
    """Return how many lines a row has: what it counts in a mean over lines."""
    return len(row.replies)


def tokens(row: Row, longest: int) -> int:
    """Return how many tokens a row makes the model read."""
    before = len(row.history) + 3
    said = sum(min(longest, before + min(LONGEST_REPLY, len(reply))) for reply in row.replies)
    return said + min(longest, len(row.background))


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Return rows of numbers as one table, padded on the right: (rows, longest, at least 1)."""
    out = torch.zeros(len(rows), max(1, max(map(len, rows), default=0)), dtype=torch.int64)
    for at, row in enumerate(rows):
        out[at, : len(row)] = torch.tensor(row, dtype=torch.int64)
    return out
