"""What the names of an entity tell of its type: n-grams of its characters, as the names of annotated calls have them.

Numbers are all alike, and units behind them are left out: 五元的, 十块的. Four types of plans have the same names and
count as one. Names without a sign of their own, such as 这个业务, tell nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import log
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES
from duologue.challenges.mobilecs.systems.extractor.link_features import signs_of_its_own
from duologue.metrics.ngrams import char_ngrams
from duologue.metrics.softmax import log_softmax

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

PLANS = tuple(ENTITY_TYPES.index(kind) for kind in ("套餐", "主套餐", "4G套餐", "5G套餐"))
"""Types that have the same names."""
BUCKETS = 1 << 13
"""Of n-grams."""
GROUP_OF = tuple(PLANS[0] if kind in PLANS else kind for kind in range(len(ENTITY_TYPES)))
"""For each type the one that stands for it and those that have the same names."""
_AMOUNT = re.compile("[零〇一二三四五六七八九十百千万两幺半0-9]+(?:块钱|元钱|块|元|兆|个?g|分钟|个月)?")
_LONGEST = 3
_UNLIKELY = -6.0
"""Log probability below which a name says nothing more."""
_SEEN = 2
"""Mentions from which on a name is learned: what was said once may be misheard."""


class TypedName(NamedTuple):
    """A name to learn from."""

    grams: NDArray[np.int64]
    """Buckets of its n-grams."""
    group: int
    weight: float
    """What it counts: more with its mentions, but much less than they do."""


class NameEvidence(NamedTuple):
    """Scores of each group of types by n-grams."""

    weights: NDArray[np.float32]
    """(buckets, types)"""
    bias: NDArray[np.float32]
    """(types,)"""

    def of(self, names: Iterable[str]) -> NDArray[np.float32]:
        """Return the mean log probability of each type by names, as `FoundPart` has them; zeros if none tells any."""
        told = [self._of_name(name) for name in names if signs_of_its_own(name)]
        if not told:
            return np.zeros(len(self.bias), dtype=np.float32)
        mean: NDArray[np.float32] = np.mean(told, axis=0)
        return mean[list(GROUP_OF)]

    def _of_name(self, name: str) -> NDArray[np.float32]:
        return log_softmax(self.weights[grams(name)].sum(0) + self.bias).clip(_UNLIKELY)


@lru_cache(4096)
def grams(name: str) -> NDArray[np.int64]:
    """Return the buckets of the different n-grams of a name, its ends marked."""
    marked = f"^{_plain(name)}$"
    found = set(char_ngrams(marked, 1, _LONGEST))
    return np.array(sorted(crc32(gram.encode("utf-8", "surrogatepass")) % BUCKETS for gram in found), dtype=np.int64)


def typed_names(mentions: Iterable[tuple[str, int]]) -> list[TypedName]:
    """Return the different names among mentions, given as `FoundPart` has them with their types."""
    counts = Counter((_plain(name), GROUP_OF[kind]) for name, kind in mentions if signs_of_its_own(name))
    return [TypedName(grams(name), group, 1 + log(count)) for (name, group), count in counts.items() if count >= _SEEN]


def _plain(name: str) -> str:
    """Return a name with all amounts alike.

    >>> _plain("十块钱的心享流量包"), _plain("五元的心享流量包")
    ('0的心享流量包', '0的心享流量包')
    """
    return _AMOUNT.sub("0", name)
