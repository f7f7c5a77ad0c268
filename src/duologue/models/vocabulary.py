"""Token vocabulary with extra ids for the unknown tokens of a source, which a copy mechanism can produce."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PAD, UNKNOWN, BEGIN, END = 0, 1, 2, 3
SPECIAL = ("<pad>", "<unk>", "<bos>", "<eos>")
"""The first four tokens of every vocabulary, in the order of their ids."""


class CopyVocabulary:
    """Maps tokens to ids; the unknown tokens of a source get the ids from v on, by first occurrence.

    >>> words = CopyVocabulary(["I", "saw"])
    >>> source, unknown = words.source(["I", "saw", "Ran", "twice", "Ran"])
    >>> source, unknown
    ([4, 5, 6, 7, 6], ['Ran', 'twice'])
    >>> words.target(["Ran", "saw", "me"], unknown)
    [6, 5, 1]
    >>> words.text([6, 5, 1], unknown)
    ['Ran', 'saw', '<unk>']
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        """All tokens but the special ones."""
        self._all = (*SPECIAL, *self.words)
        self._number = {word: number for number, word in enumerate(self.words, len(SPECIAL))}  # "<pad>" said is a word

    @classmethod
    def of(cls, texts: Iterable[Iterable[str]], *, least: int = 1, limit: int | None = None) -> CopyVocabulary:
        """Return at most `limit` tokens that occur at least `least` times: frequent ones first, ties by code point."""
        counts = Counter(word for text in texts for word in text)
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return cls([word for word, count in ordered if count >= least][:limit])

    def __len__(self) -> int:
        return len(self._all)

    def source(self, text: Iterable[str]) -> tuple[list[int], list[str]]:
        """Return the ids of a source's tokens, and its unknown tokens in the order of their first occurrence."""
        unknown: dict[str, int] = {}
        numbers = [
            self._number[word] if word in self._number else len(self) + unknown.setdefault(word, len(unknown))
            for word in text
        ]
        return numbers, list(unknown)

    def target(self, text: Iterable[str], unknown: Sequence[str] = ()) -> list[int]:
        """Return the ids of the tokens of a target, given the unknown tokens of its source."""
        of_source = {word: len(self) + place for place, word in enumerate(unknown)}
        return [self._number.get(word, of_source.get(word, UNKNOWN)) for word in text]

    def text(self, numbers: Iterable[int], unknown: Sequence[str] = ()) -> list[str]:
        """Return the tokens of ids, given the unknown tokens of the source."""
        return [self._all[one] if one < len(self) else unknown[one - len(self)] for one in numbers]
