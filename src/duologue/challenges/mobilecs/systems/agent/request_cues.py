"""Words that ask for a slot, learned in simulated calls: the reading of a turn is corrected by what was answered.

A logistic regression over the slot of a piece and the runs of characters of the user's last utterance, on top of the
probability that the supervised networks give. It learns from each piece that was told whether that answered anything.
"""

from __future__ import annotations

import sys
from math import exp, log, sqrt
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.schema.ontology import CONSULT, USER
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME
from duologue.core.sums import added
from duologue.metrics.ngrams import char_ngrams

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.call_view import CallView
    from duologue.challenges.mobilecs.systems.agent.kb_pieces import KbPiece

    Floats = NDArray[np.float32]

_LONGEST = 3
"""Characters of the longest runs that are looked at."""
_LEAST = 1e-3
"""Probability that is taken for the least one: what the networks rule out may be asked for all the same."""
_LOWEST = -700.0
"""Logit below which a probability is nothing, and its exponential no number."""
_KEPT = 0.005
"""Weight from which one is kept when the cues are saved."""


class RequestReading(NamedTuple):
    """What the supervised networks make of the requests of a turn."""

    wanted: Floats
    """Probabilities (c,) that the user wants to know each piece."""
    runs: tuple[str, ...]
    """Runs of characters of the last utterance, with one that every text has."""

    @classmethod
    def of(cls, view: CallView, wanted: Floats) -> RequestReading:
        """Return the reading of a turn."""
        runs = sorted(set(char_ngrams(view.masked, 1, _LONGEST)))
        return cls(wanted, ("", *map(sys.intern, runs)))  # many are kept, and most runs are common


class RequestCues:
    """Weights of a slot and a run of characters, as `slot|run`."""

    def __init__(self, weights: Mapping[str, float] | None = None, *, rate: float = 0.0) -> None:
        """Take weights learned earlier, and the learning rate."""
        self._weights = dict(weights or {})
        self._rate = rate
        self._squares: dict[str, float] = {}

    @property
    def weights(self) -> dict[str, float]:
        """The weights that make a difference, by their keys in order."""
        return {key: round(weight, 4) for key, weight in sorted(self._weights.items()) if abs(weight) >= _KEPT}

    def corrected(self, pieces: Sequence[KbPiece], reading: RequestReading) -> Floats:
        """Return the probabilities (c,) that the last utterance asks for each of the pieces, corrected."""
        if not self._weights:
            return reading.wanted
        slots = sorted({one.slot for one in pieces if one.slot != NAME})
        shifts = {slot: self._shift(slot, reading.runs) for slot in slots}
        found = reading.wanted.copy()
        for number, piece in enumerate(pieces):
            if shifts.get(piece.slot):
                found[number] = _shifted(float(reading.wanted[number]), shifts[piece.slot])
        return found

    def learn(
        self, pieces: Sequence[KbPiece], reading: RequestReading, told: Iterable[int], answered: Collection[str]
    ) -> None:
        """Learn from a turn: the numbers of the pieces told, the arguments of the requests newly answered."""
        if not self._rate:
            return
        for number in dict.fromkeys(found for one in told for found in _asked_by(pieces, reading.wanted, one)):
            piece = pieces[number]
            expected = _shifted(float(reading.wanted[number]), self._shift(piece.slot, reading.runs))
            self._step(piece.slot, reading.runs, float(argument_of(piece) in answered) - expected)

    def _shift(self, slot: str, runs: Collection[str]) -> float:
        return added(self._weights.get(f"{slot}|{run}", 0.0) for run in runs) / sqrt(len(runs))

    def _step(self, slot: str, runs: Collection[str], error: float) -> None:
        """Go a step of Adagrad along the gradient of the log-likelihood."""
        slope = error / sqrt(len(runs))
        for run in runs:
            key = f"{slot}|{run}"
            square = self._squares[key] = self._squares.get(key, 0.01) + slope**2
            self._weights[key] = self._weights.get(key, 0.0) + self._rate * slope / sqrt(square)


def argument_of(piece: KbPiece) -> str:
    """Return the argument by which a goal asks for a piece: `<id>-<slot>`, a slot of the user, or a type."""
    return piece.slot if piece.owner in {USER, CONSULT} else f"{piece.owner}-{piece.slot}"


def _asked_by(pieces: Sequence[KbPiece], wanted: Floats, told: int) -> list[int]:
    """Return the piece that a request would be about which a told piece answers, if any; for a name, its type."""
    piece = pieces[told]
    if piece.slot != NAME:
        return [told]
    types = [n for n, one in enumerate(pieces) if one.owner == CONSULT and set(one.values) & set(piece.values)]
    return sorted(types, key=lambda one: -float(wanted[one]))[:1]


def _shifted(probability: float, shift: float) -> float:
    share = min(max(probability, _LEAST), 1 - _LEAST)
    return 1 / (1 + exp(-max(log(share / (1 - share)) + shift, _LOWEST)))
