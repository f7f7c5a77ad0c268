"""Calls with other signs in the names of services, so that a tagger learns to know names by what stands around them.

Signs that many different names share (套餐, 流量包, numbers, 的) stay; others are exchanged for signs of other names,
the same name for the same one in the whole call. Lengths stay, so spans keep their places.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.schema.ontology import NOISE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.rng import Rng

_SHARED = 0.02
"""Share of the different names that have a sign from which on it stays as it is."""
_NUMERALS = "零〇一二三四五六七八九十百千万两幺半0123456789"
_SHORTEST = 2
"""Signs on end that are exchanged."""


class SignExchange:
    """Exchanges signs of names, learned from the names of a corpus."""

    def __init__(self, names: Iterable[str]) -> None:
        """Take the names, each as often as it occurs."""
        different = sorted({name.translate(str.maketrans("", "", NOISE)) for name in names})
        counts = Counter(sign for name in different for sign in sorted(set(name)))
        limit = max(2.0, _SHARED * len(different))
        self._kept = {sign for sign, count in counts.items() if count >= limit} | set(NOISE + _NUMERALS)
        self._signs = sorted(sign for sign in counts if sign not in self._kept)

    def exchanged(self, text: str, names: Sequence[str], rng: Rng) -> str:
        """Return a text of the same length in which the rare signs of these names are others."""
        if not self._signs:
            return text
        for piece in sorted(
            {piece for name in names for piece in self._pieces(name)}, key=lambda one: (-len(one), one)
        ):
            other = "".join(rng.choice(self._signs) for _ in piece)
            text = text.replace(piece, other)
        return text

    def _pieces(self, name: str) -> list[str]:
        """Return the stretches of a name without signs that stay."""
        parted = "".join("\0" if sign in self._kept else sign for sign in name).split("\0")
        return [piece for piece in parted if len(piece) >= _SHORTEST]
