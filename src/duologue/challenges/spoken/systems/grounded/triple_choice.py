"""Triple selection from pair probabilities: which values of an attribute, how many triples, and when none.

Of an attribute with several values people mention some: a logistic regression over what was said of each predicts
which. The selected set of triples is the one with the highest expected F1, the measure of the challenge.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.spoken.systems.grounded.features import NONE
from duologue.challenges.spoken.systems.grounded.normalization import fold
from duologue.challenges.spoken.systems.logistic_regression import fit, sigmoid
from duologue.core.records import Record
from duologue.core.sums import added

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.spoken.systems.grounded.dialogue_state import DialogueState, StateTracker
    from duologue.challenges.spoken.systems.grounded.features import CandidatePairs
    from duologue.core.records import Fact

VALUE_WEIGHTS = 12
"""Weights of a value: its features and the rate of its attribute."""
_STEPS = 12
_PRIOR = 4.0  # values that an attribute's own rate is mixed with
_LEAST = 0.02
"""Probability of a pair below which its values are not considered."""


class ValueExample(NamedTuple):
    """A gold pair with the features of its values, and which of them are gold."""

    relation: str
    features: NDArray[np.float64]
    """(v, f): see `value_features`."""
    kept: NDArray[np.float64]
    """(v,): 1 where the value is gold."""


class ValueSelector(Record, frozen=True, kw_only=True):
    """Logistic regression that selects among the values of an attribute."""

    weights: tuple[float, ...]
    rates: dict[str, tuple[float, float]]
    """By attribute, over gold pairs with several values: the number of values, and of gold ones."""
    rate: float
    """Share of gold values over all attributes."""

    def probabilities(self, relation: str, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each value (v,) given that the pair is needed."""
        if len(features) == 1:
            return np.ones(1)
        there, kept = self.rates.get(relation, (0.0, 0.0))
        return sigmoid(_with_rate(features, _rate(kept, there, self.rate)) @ np.array(self.weights))


def value_features(state: DialogueState, tracker: StateTracker, pair: tuple[str, str]) -> NDArray[np.float64]:
    """Return the features (v, f) of the values of a pair, one row per value."""
    profile = tracker.profile(pair[0])
    places = profile.relations[pair[1]]
    lines = [tracker.overlaps(pair[0], text) for text in state.turns[:12]]
    asked = fold(state.turns[0]) if state.turns else ""
    before = fold(state.turns[1]) if len(state.turns) > 1 else ""
    rows = []
    for place in places:
        value = profile.values[place]
        overlaps = [line[place] for line in lines] + [0.0] * 2
        inside = any(value.folded in profile.values[other].folded for other in places if other != place)
        around = any(profile.values[other].folded in value.folded for other in places if other != place)
        rows.append(
            [
                1.0,
                math.log(len(places)),
                overlaps[0],
                overlaps[1],
                max(overlaps[1::2]),
                max(overlaps[2::2], default=0.0),
                math.log1p(len(value.folded)),
                float(inside),
                float(around),
                float("还" in asked or "其他" in asked or "别的" in asked or "还" in before[-8:]),
                float(any(sign in asked for sign in ("哪些", "都", "什么")) and len(places) > 2),
            ]
        )
    return np.array(rows)


def fit_value_selector(value_examples: Sequence[ValueExample]) -> ValueSelector:
    """Return the selector fitted on pairs with several values; without any, it keeps all values."""
    several = [one for one in value_examples if len(one.kept) > 1]
    rates: dict[str, tuple[float, float]] = {}
    for one in several:
        there, kept = rates.get(one.relation, (0.0, 0.0))
        rates[one.relation] = (there + len(one.kept), kept + float(one.kept.sum()))
    total = sum(there for there, _ in rates.values())
    rate = sum(kept for _, kept in rates.values()) / total if total else 1.0
    if not several:
        return ValueSelector(weights=(4.0, *([0.0] * (VALUE_WEIGHTS - 1))), rates={}, rate=1.0)
    rows = []
    for one in several:  # the rate of the other dialogues: a pair's own answer must not be in it
        there, kept = rates[one.relation]
        rows.append(_with_rate(one.features, _rate(kept - one.kept.sum(), there - len(one.kept), rate)))
    weights = fit(np.concatenate(rows), np.concatenate([one.kept for one in several]), steps=_STEPS)
    return ValueSelector(weights=tuple(round(float(weight), 6) for weight in weights), rates=rates, rate=rate)


def _rate(kept: float, there: float, rate: float) -> float:
    return (kept + _PRIOR * rate) / (there + _PRIOR)


def _with_rate(features: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    return np.column_stack([features, np.full(len(features), math.log(rate / (1 - rate) if rate < 1 else 1e3))])


class SelectedTriples(NamedTuple):
    """The triples selected for a reply."""

    facts: tuple[Fact, ...]
    silence: float
    """Probability that the reply needs no knowledge."""


def restrict_to(pairs: CandidatePairs, shares: NDArray[np.float32], allowed: Sequence[bool]) -> NDArray[np.float32]:
    """Return the probabilities renormalised over the allowed pairs and `NONE`; unchanged without such pairs."""
    kept = np.where([pair == NONE or here for pair, here in zip(pairs.pairs, allowed, strict=True)], shares, 0)
    total = kept.sum()
    return (kept / total).astype(np.float32) if kept[1:].any() else shares


def select_triples(
    pairs: CandidatePairs,
    shares: NDArray[np.float32],
    state: DialogueState,
    tracker: StateTracker,
    values: ValueSelector,
    silence: float,
) -> SelectedTriples:
    """Return the triples with the highest expected F1; none where `NONE` is more probable than `silence`.

    The expected F1 of a set is approximated by 2 (sum of its probabilities) / (its size + expected gold triples).
    """
    quiet = float(shares[0])
    if quiet > silence or len(pairs.pairs) < 2:
        return SelectedTriples((), quiet)
    known = shares[1:].astype(np.float64) / max(1e-9, 1 - quiet)
    found: list[tuple[float, Fact]] = []
    for pair, share in zip(pairs.pairs[1:], known.tolist(), strict=True):
        if share < _LEAST or pair == NONE:
            continue
        profile = tracker.profile(pair[0])
        probabilities = values.probabilities(pair[1], value_features(state, tracker, pair))
        found += [
            (round(share * probability, 5), profile.values[place].fact)
            for place, probability in zip(profile.relations[pair[1]], probabilities.tolist(), strict=True)
        ]
    found.sort(key=lambda entry: -entry[0])
    return SelectedTriples(tuple(_best([probability for probability, _ in found], [fact for _, fact in found])), quiet)


def _best(probabilities: Sequence[float], facts: Sequence[Fact]) -> list[Fact]:
    expected, best, size, taken = added(probabilities), -1.0, 0, 0.0
    for count, probability in enumerate(probabilities, 1):
        taken += probability
        promised = 2 * taken / (count + expected)
        if promised > best:
            best, size = promised, count
    unique: Mapping[tuple[str, str, str], Fact] = {
        (fact.subject, fact.relation, str(fact.object)): fact for fact in facts[:size]
    }
    return list(unique.values())
