"""Encodes dialogue states and candidates for the network: vocabularies, feature rows, target utilities."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.proactive.systems.planner.features import NAMES, features
from duologue.challenges.proactive.systems.planner.slots import base_slot, is_slot
from duologue.challenges.proactive.systems.planner.state import state_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.proactive.systems.planner.state import PlannerState
    from duologue.challenges.proactive.systems.planner.template_index import AgentTurnIndex, TurnCandidate
    from duologue.models.utility import Choice, UtilitySize

_RESERVED = 2  # padding and the unknown word
_LONGEST = 32  # words of a template that are encoded
_SAMPLED = 20_000  # candidates sampled for mean and spread of the features
AIMS = 2
"""Number of target utilities, see `candidate_utilities`."""
_CORPUS_F1 = 0.43  # about the score reached: the cost of a character in the second utility
_BOTH_SIZES = 42.0  # mean characters of a reply and its reference together


class CandidateEncoder:
    """Encodes dialogue states and candidates by its vocabularies."""

    def __init__(self, situation_words: list[str], template_words: list[str]) -> None:
        self.situation_words, self.template_words = situation_words, template_words
        self._situation = {word: number for number, word in enumerate(situation_words, start=_RESERVED)}
        self._template = {word: number for number, word in enumerate(template_words, start=_RESERVED)}
        self._table: tuple[AgentTurnIndex, NDArray[np.int32]] | None = None

    @classmethod
    def of(cls, index: AgentTurnIndex, states: Iterable[PlannerState], *, rare: int) -> CandidateEncoder:
        """Return an encoder with all words of at least `rare` states or templates, by frequency."""
        document_counts = Counter(word for state in states for word in set(state_words(state)))
        said = Counter(word for entry in index.entries for word in {_base_word(word) for word in entry.template})
        return cls(_frequent_words(document_counts, rare), _frequent_words(said, rare))

    def size(self, *, width: int, hidden: int, members: int, word_dropout: float, text: bool) -> UtilitySize:
        """Return the network size for this encoder."""
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

    def table(self, index: AgentTurnIndex) -> NDArray[np.int32]:
        """Return the word ids of each template of the index (entries, 32), padded with 0."""
        if self._table is None or self._table[0] is not index:
            table = np.zeros((len(index.entries), _LONGEST), dtype=np.int32)
            for row, entry in enumerate(index.entries):
                words = [self._template.get(_base_word(word), 1) for word in entry.template[:_LONGEST]]
                table[row, : len(words)] = words
            self._table = index, table
        return self._table[1]

    def choice(
        self, state: PlannerState, found: Sequence[TurnCandidate], index: AgentTurnIndex, reference: str | None = None
    ) -> Choice:
        """Return the encoded candidates of a state; with a reference, their utilities too."""
        from duologue.models.utility import Choice  # needs torch

        figures = np.clip(features(state, found, index), -30_000, 30_000).astype(np.float16)
        known = [self._situation[word] for word in state_words(state) if word in self._situation]
        utility = np.zeros((len(found), AIMS), dtype=np.float32)
        if reference is not None:
            wanted = Counter("".join(reference.split()))
            utility[:] = [candidate_utilities(Counter("".join(one.filling.words)), wanted) for one in found]
        entries = np.array([one.entry for one in found], dtype=np.int32)
        return Choice(np.array(known or [1], dtype=np.int32), entries, figures, utility)

    def sample_features(self, rows: Sequence[Choice]) -> NDArray[np.float16]:
        """Return the features of a sample of candidates, to estimate mean and spread."""
        step = max(1, sum(len(row.templates) for row in rows) // _SAMPLED)
        return np.concatenate([row.figures for row in rows[::step]])


def _base_word(word: str) -> str:
    return base_slot(word) if is_slot(word) else word


def _frequent_words(counts: Counter[str], rare: int) -> list[str]:
    return sorted((word for word, times in counts.items() if times >= rare), key=lambda word: (-counts[word], word))


def candidate_utilities(said: Counter[str], wanted: Counter[str]) -> tuple[float, float]:
    """Return two utilities of a reply from the character counts of it and its reference.

    The first is its F1. The second is its contribution to corpus F1 = 2 h / (p + r) (h characters shared, p predicted,
    r in the reference), linearised at the F1 assumed here: 2 h - F1 p. The first weights all replies equally, the
    second long ones more.
    """
    shared, size = (said & wanted).total(), said.total()
    return 2 * shared / max(1, size + wanted.total()), (2 * shared - _CORPUS_F1 * size) / _BOTH_SIZES
