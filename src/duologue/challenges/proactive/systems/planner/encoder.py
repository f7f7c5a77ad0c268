"""From candidates to numbers: vocabularies of situations and templates, and rows for the network."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.proactive.systems.planner.features import NAMES, features
from duologue.challenges.proactive.systems.planner.slots import is_slot, plain
from duologue.challenges.proactive.systems.planner.state import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.proactive.systems.planner.state import Situation
    from duologue.challenges.proactive.systems.planner.template_index import Bank, Found
    from duologue.models.utility import Choice, UtilitySize

_RESERVED = 2  # padding and the unknown word
_LONGEST = 32  # words of a template that are read
_SOME = 20_000  # candidates that tell mean and spread of the figures
AIMS = 2
"""Ways in which utility is measured: see `utilities`."""
_CORPUS_F1 = 0.43  # about what is reached: the price of a character in the second aim
_BOTH_SIZES = 42.0  # characters of a reply and its reference together, on average


class Reader:
    """Reads situations and candidates by the words of its vocabularies."""

    def __init__(self, situation_words: list[str], template_words: list[str]) -> None:
        self.situation_words, self.template_words = situation_words, template_words
        self._situation = {word: number for number, word in enumerate(situation_words, start=_RESERVED)}
        self._template = {word: number for number, word in enumerate(template_words, start=_RESERVED)}
        self._table: tuple[Bank, NDArray[np.int32]] | None = None

    @classmethod
    def of(cls, bank: Bank, situations: Iterable[Situation], *, rare: int) -> Reader:
        """Return a reader of all words that occur in `rare` situations or templates or more, the frequent first."""
        heard = Counter(word for now in situations for word in set(words_of(now)))
        said = Counter(word for entry in bank.entries for word in {_plain(word) for word in entry.template})
        return cls(_frequent(heard, rare), _frequent(said, rare))

    def size(self, *, width: int, hidden: int, members: int, word_dropout: float, text: bool) -> UtilitySize:
        """Return the size of the network that reads what this reader makes."""
        from duologue.models.utility import UtilitySize  # needs torch

        return UtilitySize(
            words=len(self._situation) + _RESERVED,
            template_words=len(self._template) + _RESERVED,
            figures=len(NAMES),
            aims=AIMS,
            members=members,
            width=width,
            hidden=hidden,
            word_dropout=word_dropout,
            text=text,
        )

    def table(self, bank: Bank) -> NDArray[np.int32]:
        """Return the words of each template of the bank (entries, 32), padded with 0."""
        if self._table is None or self._table[0] is not bank:
            table = np.zeros((len(bank.entries), _LONGEST), dtype=np.int32)
            for row, entry in enumerate(bank.entries):
                words = [self._template.get(_plain(word), 1) for word in entry.template[:_LONGEST]]
                table[row, : len(words)] = words
            self._table = bank, table
        return self._table[1]

    def choice(self, now: Situation, found: Sequence[Found], bank: Bank, reference: str | None = None) -> Choice:
        """Return candidates as numbers; with a reference, their utility by it."""
        from duologue.models.utility import Choice  # needs torch

        figures = np.clip(features(now, found, bank), -30_000, 30_000).astype(np.float16)
        known = [self._situation[word] for word in words_of(now) if word in self._situation]
        utility = np.zeros((len(found), AIMS), dtype=np.float32)
        if reference is not None:
            wanted = Counter("".join(reference.split()))
            utility[:] = [utilities(Counter("".join(one.filling.words)), wanted) for one in found]
        entries = np.array([one.entry for one in found], dtype=np.int32)
        return Choice(np.array(known or [1], dtype=np.int32), entries, figures, utility)

    def some_figures(self, rows: Sequence[Choice]) -> NDArray[np.float16]:
        """Return figures of candidates spread over the rows: enough to tell their mean and spread."""
        step = max(1, sum(len(row.templates) for row in rows) // _SOME)
        return np.concatenate([row.figures for row in rows[::step]])


def _plain(word: str) -> str:
    return plain(word) if is_slot(word) else word


def _frequent(counts: Counter[str], rare: int) -> list[str]:
    return sorted((word for word, times in counts.items() if times >= rare), key=lambda word: (-counts[word], word))


def utilities(said: Counter[str], wanted: Counter[str]) -> tuple[float, float]:
    """Return how good a reply is, from the counts of its characters and of its reference's.

    First its F1. Second what it adds to F1 = 2 h / (p + r) over many replies (h characters shared, p said, r wanted):
    2 h / (p + r) grows by replies with 2 h - F1 p above average, so this is the same as long as F1 is near the price
    taken here. The first counts every reply alike, the second the long ones more.
    """
    shared, size = (said & wanted).total(), said.total()
    return 2 * shared / max(1, size + wanted.total()), (2 * shared - _CORPUS_F1 * size) / _BOTH_SIZES
