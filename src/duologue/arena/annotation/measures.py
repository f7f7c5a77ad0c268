"""What suggestions do to annotators: kept, changed and removed shares, time, and how far they are followed.

Suggestions anchor: people who see them agree with them more than people who do not. A control group annotates without
seeing them, while they are kept; the difference of the two groups' agreement with the suggestions is the anchoring.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.arena.annotation.items import tally_states
from duologue.metrics.overlap import count_overlap
from duologue.metrics.significance import FEWEST
from duologue.metrics.student import student_cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.arena.annotation.items import AnnotationItem, ItemLayer, ItemState
    from duologue.arena.annotation.sheets import DialogueWork, Sheet


class EstimatedDifference(NamedTuple):
    """A figure with its 95 % interval."""

    value: float | None
    """`None` where it is not defined."""
    low: float | None
    high: float | None
    n: int
    """Dialogues that it is of."""
    why: str = ""
    """Why there is no value or no interval, in a sentence."""


class SuggestionMeasures(NamedTuple):
    """What became of suggestions, and what they did."""

    states: Counter[ItemState]
    """Of finished sheets whose owner saw suggestions."""
    assisted: int
    """Such sheets."""
    control: int
    """Finished sheets of people who did not see the suggestions that there were."""
    seconds_assisted: float | None
    """Geometric mean of the time per dialogue."""
    seconds_control: float | None
    time_ratio: EstimatedDifference
    """Time per utterance with suggestions by that without."""
    followed_assisted: float | None
    """Mean F1 of a finished sheet against the suggestions."""
    followed_control: float | None
    anchoring: EstimatedDifference
    """Difference of these two, of different dialogues (Welch)."""
    anchoring_paired: EstimatedDifference
    """The same within dialogues that somebody annotated with and somebody without."""

    def share(self, state: ItemState) -> float | None:
        """Return the share of a state among the suggestions that were decided on."""
        suggested = sum(self.states[one] for one in ("confirmed", "changed", "removed"))
        return self.states[state] / suggested if suggested else None


def measure(work: Sequence[DialogueWork]) -> SuggestionMeasures:
    """Return the measures of the annotators' finished sheets."""
    states: Counter[ItemState] = Counter()
    followed: dict[bool, list[float]] = {True: [], False: []}
    pace: dict[bool, list[float]] = {True: [], False: []}
    seconds: dict[bool, list[float]] = {True: [], False: []}
    pairs = []
    for one in work:
        known = [sheet for sheet in one.done() if sheet.suggested_by is not None]
        here: dict[bool, list[float]] = {True: [], False: []}
        for sheet in known:
            if sheet.assisted:
                states += tally_states(sheet.suggested, sheet.items)
            agreed = follows(sheet)
            followed[sheet.assisted].append(agreed)
            here[sheet.assisted].append(agreed)
            if sheet.active_ms > 0:
                seconds[sheet.assisted].append(math.log(sheet.active_ms / 1000))
                pace[sheet.assisted].append(math.log(sheet.active_ms / 1000 / max(1, len(one.dialogue.turns))))
        if here[True] and here[False]:
            pairs.append(float(np.mean(here[True]) - np.mean(here[False])))
    ratio = welch(pace[True], pace[False])
    return SuggestionMeasures(
        states=states,
        assisted=len(followed[True]),
        control=len(followed[False]),
        seconds_assisted=math.exp(float(np.mean(seconds[True]))) if seconds[True] else None,
        seconds_control=math.exp(float(np.mean(seconds[False]))) if seconds[False] else None,
        time_ratio=EstimatedDifference(_power(ratio.value), _power(ratio.low), _power(ratio.high), ratio.n, ratio.why),
        followed_assisted=float(np.mean(followed[True])) if followed[True] else None,
        followed_control=float(np.mean(followed[False])) if followed[False] else None,
        anchoring=welch(followed[True], followed[False]),
        anchoring_paired=paired(pairs),
    )


def _power(logarithm: float | None) -> float | None:
    return None if logarithm is None else math.exp(logarithm)


def follows(sheet: Sheet) -> float:
    """Return the F1 of a sheet's items against the suggestions, by what they say; 1 where both are empty.

    Only layers that are suggested count; entities are compared by what they are called.
    """
    layers = {one.layer for one in sheet.suggested}
    said = count_overlap(_contents(sheet.items, layers), _contents(sheet.suggested, layers))
    return 2 * said.hits / (said.said + said.wanted) if said.said + said.wanted else 1.0


def _contents(items: Sequence[AnnotationItem], layers: set[ItemLayer]) -> list[tuple[object, ...]]:
    # people number entities as they like, so the words and the label are what can be followed
    return [(one.layer, one.turn, one.start, one.end, one.label) for one in items if one.layer in layers]


def welch(a: Sequence[float], b: Sequence[float]) -> EstimatedDifference:
    """Return mean(a) - mean(b) of independent groups with Welch's interval (1947).

    >>> found = welch([3.0, 4.0, 5.0, 4.0, 4.5], [1.0, 2.0, 2.5, 1.5, 2.0])
    >>> [round(one, 3) for one in found[:3]]
    [2.3, 1.324, 3.276]
    """
    n = len(a) + len(b)
    if not a or not b:
        which = "with suggestions" if not a else "without suggestions, the control group"
        return EstimatedDifference(None, None, None, n, f"nothing is finished {which}")
    value = float(np.mean(a) - np.mean(b))
    if min(len(a), len(b)) < 2 or n < FEWEST:
        return EstimatedDifference(value, None, None, n, f"{len(a)} and {len(b)} are too few for an interval")
    parts = [float(np.var(one, ddof=1)) / len(one) for one in (a, b)]
    if not sum(parts):
        return EstimatedDifference(value, None, None, n, "nothing differs within the groups, so there is no interval")
    freedom = sum(parts) ** 2 / sum(part**2 / (len(one) - 1) for part, one in zip(parts, (a, b), strict=True))
    half = student_cut(freedom) * math.sqrt(sum(parts))
    return EstimatedDifference(value, value - half, value + half, n)


def paired(differences: Sequence[float]) -> EstimatedDifference:
    """Return the mean of paired differences with Student's interval."""
    n = len(differences)
    if not n:
        return EstimatedDifference(None, None, None, 0, "no dialogue is finished both with and without suggestions")
    value = float(np.mean(differences))
    if n < FEWEST:
        return EstimatedDifference(
            value, None, None, n, f"{n} dialogues are too few for an interval; it takes {FEWEST}"
        )
    spread = float(np.std(differences, ddof=1))
    if not spread:
        return EstimatedDifference(value, None, None, n, "all differences are equal, so there is no interval")
    half = student_cut(n - 1) * spread / math.sqrt(n)
    return EstimatedDifference(value, value - half, value + half, n)
