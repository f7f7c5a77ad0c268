"""Pairwise agreement of replies from profiles that are kept: the same replies are candidates again and again."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.conversation.scoring.terms import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.conversation.scoring.ppmi import MeanVectors

KEPT = 10_000
"""Number of profiles kept, those asked for last: about 1 kB each."""
_BITS = 31  # of a word's number in the key of a bigram


class ReplyProfile(NamedTuple):
    """What the agreement of a reply with others is made of."""

    grams: NDArray[np.int64]
    """Keys of its distinct unigrams and bigrams."""
    vector: NDArray[np.float32]
    """Mean vector of its tokens, (R,)."""


class ReplyProfiles:
    """Profiles of replies, made when they are first asked for."""

    def __init__(self, vectors: MeanVectors) -> None:
        self._vectors = vectors
        self._words: dict[str, int] = {}
        """Numbers from 1."""
        self._profile = lru_cache(KEPT)(self._made)

    @property
    def kept(self) -> int:
        """Number of profiles that need not be made again."""
        return self._profile.cache_info().currsize

    def agreement(self, replies: Sequence[str], meaning: float) -> NDArray[np.float32]:
        """Return pairwise n-gram agreement plus `meaning` times the cosine of mean word vectors, (n, n).

        The n-gram agreement is that of `mbr.pairwise_agreement`.
        """
        profiles = [self._profile(reply) for reply in replies]
        sizes = [len(one.grams) for one in profiles]
        columns = np.unique(np.concatenate([one.grams for one in profiles]), return_inverse=True)[1]
        table = np.zeros((len(profiles), int(columns.max(initial=0)) + 1), dtype=np.float32)
        table[np.repeat(np.arange(len(profiles)), sizes), columns] = 1.0
        lengths = np.array(sizes, dtype=np.float32)
        alike = 2 * np.einsum("ik,jk->ij", table, table) / np.maximum(lengths[:, None] + lengths, 1)
        middles = np.stack([one.vector for one in profiles])
        agreements: NDArray[np.float32] = alike + np.float32(meaning) * (middles @ middles.T)
        return agreements

    def _made(self, reply: str) -> ReplyProfile:
        numbers = [self._words.setdefault(word, len(self._words) + 1) for word in reply.lower().split()]
        grams = {*numbers, *((first << _BITS) | second for first, second in pairwise(numbers))}
        return ReplyProfile(np.array(list(grams), dtype=np.int64), self._vectors.of([tokens(reply)])[0])
