"""The word model: how likely each word and slot is in the next reply, learned from what people said."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.proactive.systems.planner.slots import base_slot, is_slot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duologue.challenges.proactive.systems.planner.network import WordNetwork, WordRow
    from duologue.core.protocols import Run
    from duologue.models.train import TrainConfig

    Probabilities = Mapping[str, float]
    """Words and slots with how likely they are in the next reply; those not named are not likely."""

_TIMES = 2  # occurrences of a word in one reply that are predicted apart
_AGAIN = "\t2"  # behind the second


def reply_words(template: Iterable[str]) -> list[str]:
    """Return what the model predicts of a template: its words, slots without parts, a second occurrence apart."""
    times: Counter[str] = Counter()
    made = []
    for one in template:
        word = base_slot(one) if is_slot(one) else one
        times[word] += 1
        if times[word] <= _TIMES:
            made.append(word if times[word] == 1 else f"{word}{_AGAIN}")
    return made


def without_number(word: str) -> str:
    """Return a word of `reply_words` as it stands in a template."""
    return word.removesuffix(_AGAIN)


class WordModel:
    """Predicts the words of the next reply from those of a state."""

    def __init__(self, state_words: Sequence[str], words: Sequence[str], seed: int = 0) -> None:
        """Take the vocabularies of states and of replies, and the seed of the first weights."""
        from duologue.challenges.proactive.systems.planner.network import WordNetworkSize, new_network  # needs torch

        self.words = list(words)
        self._states = {word: number for number, word in enumerate(state_words, 1)}
        self._replies = {word: number for number, word in enumerate(words)}
        size = WordNetworkSize(state_words=len(state_words) + 1, reply_words=max(1, len(words)))
        self.network: WordNetwork = new_network(size, seed)

    def train(self, rows: Sequence[WordRow], held_out: Sequence[WordRow], config: TrainConfig, run: Run) -> None:
        """Train on states with replies; `held_out` decides which weights are best."""
        from duologue.challenges.proactive.systems.planner.network import learner  # these need torch
        from duologue.models.train import train

        self.network.start_from(rows)
        train(learner(self.network), rows, held_out, config, run)
        self.network.eval()

    def row(self, state: Iterable[str], template: Iterable[str] = ()) -> WordRow:
        """Return a state and the template of its reply as numbers."""
        from duologue.challenges.proactive.systems.planner.network import WordRow  # needs torch

        known = [self._states[word] for word in state if word in self._states]
        replied = [self._replies[word] for word in reply_words(template) if word in self._replies]
        return WordRow(np.array(known, dtype=np.int32), np.array(replied, dtype=np.int64))

    def probabilities(self, states: Sequence[Iterable[str]]) -> list[Probabilities]:
        """Return for each state the words of replies with how likely they are."""
        from duologue.challenges.proactive.systems.planner.network import probabilities  # needs torch

        found = probabilities(self.network, [self.row(one).state for one in states])
        return [dict(zip(self.words, line, strict=False)) for line in found.tolist()]
