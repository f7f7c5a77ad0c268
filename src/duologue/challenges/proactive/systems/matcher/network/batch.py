"""Rows and batches of the matcher: token ids of contexts with their candidate replies.

Shapes: b rows (samples), n lines (context and one candidate), l tokens of a line, k tokens of knowledge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch

from duologue.models.tokens import padded
from duologue.models.vocabulary import BEGIN, END

if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence

    from torch import Tensor

FIRST = BEGIN
"""Token id of `[CLS]`; `[PAD]`, `[UNK]` and `[SEP]` have those of padding, unknown words and the end."""
LONGEST_REPLY = 50
"""Maximum tokens of a reply; the rest is cut (specification, section 5.2)."""


class MatcherRow(NamedTuple):
    """Token ids of one sample, without special tokens."""

    history: array[int]
    replies: tuple[array[int], ...]
    """The candidates in order."""
    background: array[int]
    """Goal, `END` and knowledge; empty if the model uses none."""
    target: int = -1
    """Index of the reference among the replies; -1 if unknown."""


class MatcherBatch(NamedTuple):
    """Padded rows and the lines of their candidates, those of a row consecutive."""

    tokens: Tensor
    """(n, l): `[CLS] history [SEP] reply [SEP]`, padded on the right."""
    segments: Tensor
    """(n, l): 0 up to the first `[SEP]`, then 1."""
    background: Tensor
    """(b, k), padded on the right; k is 1 at least."""
    row_of: Tensor
    """(n,): row of each line."""
    labels: Tensor
    """(n,): 1 for the reference, else 0."""


def line(history: Sequence[int], reply: Sequence[int], longest: int) -> tuple[list[int], list[int]]:
    """Return token and segment ids of one line: the reply cut to 50 tokens, the history from the left to fit."""
    said = list(reply[: min(LONGEST_REPLY, longest - 3)])
    room = longest - 3 - len(said)
    before = list(history[max(0, len(history) - room) :])
    tokens = [FIRST, *before, END, *said, END]
    return tokens, [0] * (len(before) + 2) + [1] * (len(said) + 1)


def collate(rows: Sequence[MatcherRow], longest: int) -> MatcherBatch:
    """Collate rows into a batch; lines and knowledge have at most `longest` tokens each."""
    lines = [line(row.history, reply, longest) for row in rows for reply in row.replies]
    of = [place for place, row in enumerate(rows) for _ in row.replies]
    labels = [int(at == row.target) for row in rows for at in range(len(row.replies))]
    return MatcherBatch(
        padded([tokens for tokens, _ in lines]),
        padded([segments for _, segments in lines]),
        padded([row.background[:longest] for row in rows], least=1),
        torch.tensor(of, dtype=torch.int64),
        torch.tensor(labels, dtype=torch.int64),
    )


def length(row: MatcherRow, longest: int) -> int:
    """Return the length of a row's longest line, by which rows are bucketed into batches."""
    replies = max((len(reply) for reply in row.replies), default=0)
    return min(longest, len(row.history) + min(LONGEST_REPLY, replies) + 3)


def lines(row: MatcherRow) -> int:
    """Return the number of lines of a row, its weight in a mean over lines."""
    return len(row.replies)


def tokens(row: MatcherRow, longest: int) -> int:
    """Return the number of input tokens of a row."""
    before = len(row.history) + 3
    said = sum(min(longest, before + min(LONGEST_REPLY, len(reply))) for reply in row.replies)
    return said + min(longest, len(row.background))
