"""A policy that has learned from rewards: a softmax over the options of a turn, linear in their features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.mobilecs.systems.agent.request_cues import RequestCues
from duologue.challenges.mobilecs.systems.agent.turn_options import OPTION_FEATURES, options_of
from duologue.core.bounds import Slope
from duologue.core.records import Record
from duologue.metrics.softmax import softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffDecision

    Floats = NDArray[np.float64]

FIRST_VALUE_WEIGHT = 4.0
"""Weight of the supervised value before anything is learned: the supervised choice is the likely one."""


class PolicyWeights(Record, frozen=True, kw_only=True):
    """Weights by the name of their feature."""

    weights: dict[str, Slope]
    cues: dict[str, Slope] = {}
    """Of the words that ask for a slot."""

    @classmethod
    def of(cls, weights: Floats, cues: RequestCues) -> PolicyWeights:
        """Return the weights (`OPTION_FEATURES`,) and those of the cues as a record."""
        return cls(weights=dict(zip(OPTION_FEATURES, weights.tolist(), strict=True)), cues=cues.weights)


def first_weights() -> Floats:
    """Return the weights of the supervised policy with some chance, (`OPTION_FEATURES`,)."""
    weights = np.zeros(len(OPTION_FEATURES))
    weights[OPTION_FEATURES.index("value")] = FIRST_VALUE_WEIGHT
    return weights


def shares(weights: Floats, features: Floats) -> Floats:
    """Return the probabilities (n,) of options (n, f)."""
    return softmax(features @ weights)


class ReinforcedPolicy:
    """Takes the option of the highest score."""

    def __init__(self, learned: PolicyWeights) -> None:
        self.cues = RequestCues(learned.cues)
        self._weights = np.array([learned.weights.get(name, 0.0) for name in OPTION_FEATURES])

    def choose(self, decision: StaffDecision) -> int:
        """Return the number of an action, the first of several equally good ones."""
        options = options_of(decision)
        return options.actions[int(np.round(options.features @ self._weights, 6).argmax())]
