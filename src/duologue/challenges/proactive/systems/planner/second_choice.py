"""The second choice: recombined replies ranked anew, by weights learned on lists of such replies.

The ranker knows candidates alone, and recombination weighs its replies by few numbers. Here each reply of a list is
described by what its worth is made of (`recombination`) and by the words and slots that a person would likely use
(`word_model`); a linear model, fitted to replies to samples that the ranker has not seen, predicts its utility.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.proactive.systems.planner.recombination import MEASURES
from duologue.challenges.proactive.systems.planner.slots import Slotter, is_slot
from duologue.challenges.proactive.systems.planner.state import state_words
from duologue.challenges.proactive.systems.planner.voters import SHARED, agreement_with
from duologue.challenges.proactive.systems.planner.word_model import reply_words, without_number
from duologue.core.sums import added

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.proactive.systems.planner.recombination import Recombination, WeighedReply
    from duologue.challenges.proactive.systems.planner.slots import Tokens
    from duologue.challenges.proactive.systems.planner.state import PlannerState
    from duologue.challenges.proactive.systems.planner.word_model import Probabilities, WordModel

    Floats = NDArray[np.float64]

_LIKELY = ("words", "log odds", "characters", "slots", "slots expected", "log odds of slots")
NAMES = (*MEASURES, "characters, squared", *(f"{name}, by the word model" for name in _LIKELY))
DRAWN_NAMES = tuple(f"{name}, with drawn replies" for name in SHARED)
"""Features behind those of `NAMES` where replies are drawn."""
_SQUARED = 20.0  # characters whose square counts as much as they do
_FLOOR, _SLOT_FLOOR = 1e-4, 1e-3  # added to both sides of the odds of a word, of a slot
_RIDGE = 0.003  # of the rows: how far weights are drawn to zero
_DIGITS = 5  # of a worth: the digits below are those of the machine


class SecondChoice:
    """The word model, and the weights of the features of `NAMES`, or of these and `DRAWN_NAMES`.

    Another number of weights is a `ValueError`.
    """

    def __init__(self, words: WordModel, weights: Sequence[float]) -> None:
        few, all_ = len(NAMES), len(NAMES) + len(DRAWN_NAMES)
        if len(weights) not in {few, all_}:
            raise ValueError(f"the second choice has {len(weights)} weights, expected {few} or {all_}")
        self.words, self.weights = words, list(weights)

    def worths(
        self,
        state: PlannerState,
        made: Recombination,
        replies: Sequence[WeighedReply],
        drawn: Sequence[Tokens] | None = None,
    ) -> Floats:
        """Return the predicted utility of each reply, comparable within a list."""
        return self.predicted(reply_features(self.words, state, made, replies, drawn))

    def predicted(self, features: Floats) -> Floats:
        """Return the predicted utility (replies,) of each reply of a list from its features.

        Features of drawn replies count where they and their weights are there.
        """
        known = min(features.shape[1], len(self.weights))
        predicted: Floats = (features[:, :known] @ np.array(self.weights[:known])).round(_DIGITS)
        return predicted


def reply_features(
    words: WordModel,
    state: PlannerState,
    made: Recombination,
    replies: Sequence[WeighedReply],
    drawn: Sequence[Tokens] | None = None,
) -> Floats:
    """Return the features (replies, features) of a list of replies, each less its mean over the list.

    With `drawn` replies, of which there may be none, there are those of `DRAWN_NAMES`, too.
    """
    likely = words.probabilities([state_words(state)])[0]
    slotter = Slotter(state.values)
    measured = made.measures(replies)
    size = measured[:, MEASURES.index("characters")]
    told = [_expected(slotter(one.filling.words), likely) for one in replies]
    columns = [measured, size**2 / _SQUARED, np.array(told)]
    if drawn is not None:
        columns.append(agreement_with(drawn, [one.filling.words for one in replies]))
    features = np.column_stack(columns)
    centred: Floats = features - features.mean(axis=0)
    return centred


def _expected(template: Sequence[str], likely: Probabilities) -> tuple[float, ...]:
    """Return the features of a template by the word model."""
    words = reply_words(template)
    chances = [(word, likely.get(word, 0.0)) for word in words]
    slots = [chance for word, chance in chances if is_slot(without_number(word))]
    return (
        added(chance for _, chance in chances),
        added(_log_odds(chance, _FLOOR) for _, chance in chances),
        added(chance * len(without_number(word)) for word, chance in chances),
        len(slots),
        added(slots),
        added(_log_odds(chance, _SLOT_FLOOR) for chance in slots),
    )


def _log_odds(chance: float, floor: float) -> float:
    return math.log((chance + floor) / (1 - chance + floor))


def fitted(lists: Sequence[tuple[Floats, Floats]]) -> list[float]:
    """Return the weights that predict utilities (replies,) from features (replies, features) best, by ridge regression.

    Both are taken less their mean over the list; all weights are zero where there is nothing to learn from.
    """
    if not lists:
        return [0.0] * len(NAMES)
    rows = np.concatenate([features - features.mean(axis=0) for features, _ in lists])
    wanted = np.concatenate([utility - utility.mean() for _, utility in lists])
    spread = rows.std(axis=0) + 1e-6
    rows = rows / spread
    squares = rows.T @ rows + _RIDGE * len(rows) * np.eye(rows.shape[1])
    weights: list[float] = (np.linalg.solve(squares, rows.T @ wanted) / spread).round(_DIGITS + 1).tolist()
    return weights
