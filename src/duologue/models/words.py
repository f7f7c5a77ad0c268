"""Words as numbers, with numbers of their own for words that only one source knows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PAD, UNKNOWN, BEGIN, END = 0, 1, 2, 3
SPECIAL = ("<pad>", "<unk>", "<bos>", "<eos>")
"""The first four words of every vocabulary, in the order of their numbers."""


class Words:
    """A vocabulary. A word of the source that is not in it gets the number v + its place among such words.

    >>> words = Words(["I", "saw"])
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
        """Without the special ones."""
        self._all = (*SPECIAL, *self.words)
        self._number = {word: number for number, word in enumerate(self.words, len(SPECIAL))}  # "<pad>" said is a word

    @classmethod
    def of(cls, texts: Iterable[Iterable[str]], *, least: int = 1, most: int | None = None) -> Words:
        """Return the words that occur `least` times, at most `most`: frequent ones first, ties by code point."""
        counts = Counter(word for text in texts for word in text)
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return cls([word for word, count in ordered if count >= least][:most])

    def __len__(self) -> int:
        return len(self._all)

    def source(self, text: Iterable[str]) -> tuple[list[int], list[str]]:
        """Return the numbers of a source's words, and its unknown words in the order of their first place."""
        unknown: dict[str, int] = {}
        numbers = [
            self._number[word] if word in self._number else len(self) + unknown.setdefault(word, len(unknown))
            for word in text
        ]
        return numbers, list(unknown)

    def target(self, text: Iterable[str], unknown: Sequence[str] = ()) -> list[int]:
        """Return the numbers of words to be said beside a source with these unknown words."""
        of_source = {word: len(self) + place for place, word in enumerate(unknown)}
        return [self._number.get(word, of_source.get(word, UNKNOWN)) for word in text]

    def text(self, numbers: Iterable[int], unknown: Sequence[str] = ()) -> list[str]:
        """Return the words of numbers beside a source with these unknown words."""
        return [self._all[one] if one < len(self) else unknown[one - len(self)] for one in numbers]
