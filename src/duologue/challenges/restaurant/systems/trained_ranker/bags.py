"""Bags of words under numbers: equal bags are one, and a vocabulary is counted from all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.models.vocabulary import CopyVocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable


class BagTable:
    """Numbers bags of words in the order in which they come."""

    def __init__(self) -> None:
        self.bags: list[tuple[str, ...]] = []
        self._index: dict[tuple[str, ...], int] = {}

    def number(self, words: Iterable[str]) -> int:
        """Return the number of a bag, a new one when it is new."""
        bag = tuple(words)
        number = self._index.get(bag)
        if number is None:
            number = self._index[bag] = len(self.bags)
            self.bags.append(bag)
        return number

    def vocabulary(self, *, least: int) -> CopyVocabulary:
        """Return the words that occur in at least so many bags."""
        return CopyVocabulary.of((dict.fromkeys(bag) for bag in self.bags), least=least)

    def tokens(self, vocabulary: CopyVocabulary) -> list[list[int]]:
        """Return each bag as token numbers, words out of the vocabulary as unknown."""
        return [vocabulary.target(bag) for bag in self.bags]
