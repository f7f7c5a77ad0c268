"""What a user has asked for so far and was not told: memory of a call, and actions that come back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import CONSULT
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME
from duologue.challenges.mobilecs.systems.agent.staff_policy import OFTEN, StaffAction
from duologue.core.sums import added

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.call_view import CallView
    from duologue.challenges.mobilecs.systems.agent.kb_pieces import KbPiece
    from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffDecision

    Floats = NDArray[np.float32]

_FADES = 0.85
"""What is left of a request after each turn."""
_REACH = 200
"""Turns that are looked back at; of a request that is older, less is left than a number of 32 bits tells."""
_LIMIT = 4
"""Remembered pieces that actions are made of."""
_LEAST = 0.02
"""What is remembered less is forgotten."""
_FAR_FETCHED = 0.6
"""What such an action must be sure of before it is worth as much as saying something else."""
_INFORM = ("通知",)


def remembered(view: CallView, wanted: Callable[[CallView], Floats]) -> Floats:
    """Return how sure it is that each piece (c,) was asked for in some turn so far; `wanted` reads one turn.

    What was told completely after a turn is not remembered of it; a value that is left to tell keeps a piece.
    """
    found = np.zeros(len(view.pieces), dtype=np.float32)
    for number in range(max(0, view.turn - _REACH), view.turn + 1):
        earlier = view if number == view.turn else view.before(number)
        share = of_names(view, wanted(earlier))
        later = " ".join(view.staff[number:]).lower()
        is_open = np.array([any(one.lower() not in later for one in piece.values) for piece in view.pieces], dtype=bool)
        found = np.maximum(_FADES * found, np.where(is_open, share, 0)) if len(found) else found
    return found


def of_names(view: CallView, wanted: Floats) -> Floats:
    """Return the probabilities (c,) with those of types at the names that tell them."""
    found = wanted.copy()
    for number, piece in enumerate(view.pieces):
        if piece.slot == NAME:
            types = [wanted[other] for other, one in enumerate(view.pieces) if _is_type_of(one, piece)]
            found[number] = max(types, default=0.0)
        elif piece.owner == CONSULT:
            found[number] = 0
    return found


def widened(decision: StaffDecision, memory: Floats) -> StaffDecision:
    """Return a decision with further actions: to tell what is remembered best, alone and two at a time."""
    view = decision.view
    open_ones = [one for one in np.flatnonzero(memory >= _LEAST).tolist() if not _is_worn(view, one)]
    ranked = sorted(open_ones, key=lambda one: (-round(float(memory[one]), 4), one))
    best = ranked[:_LIMIT]
    known = {frozenset(action.tells) for action in decision.actions}
    ways = [(one,) for one in best] + [(best[0], other) for other in best[1:3]]
    new = [StaffAction(_INFORM, way) for way in ways if frozenset(way) not in known]
    worth = [2 * added(float(memory[one]) for one in action.tells) - _FAR_FETCHED for action in new]
    likely = np.full(len(new), decision.label_values.max(), dtype=np.float32)
    return decision._replace(
        actions=[*decision.actions, *new],
        tell_values=np.concatenate([decision.tell_values, np.array(worth, dtype=np.float32)]),
        label_values=np.concatenate([decision.label_values, likely]),
        memory=memory,
    )


def _is_worn(view: CallView, piece: int) -> bool:
    """Whether a piece was told as often as it may be; of names, those of the same type count."""
    if replies_of_type(view, view.pieces[piece]) >= OFTEN:
        return True
    return times(view, piece) >= OFTEN and not has_untold(view, piece)


def times(view: CallView, piece: int) -> int:
    """Return how many replies have told a piece."""
    return sum(piece in told for told in view.told_before)


def has_untold(view: CallView, piece: int) -> bool:
    """Whether a slot has a value that no reply has told; a name is as good as the others of its service."""
    one = view.pieces[piece]
    if one.slot == NAME:
        return False
    said = " ".join(view.staff).lower()
    return any(value.lower() not in said for value in one.values)


def replies_of_type(view: CallView, piece: KbPiece) -> int:
    """Return how many replies have named a service of the type of a name; 0 for other pieces."""
    if piece.slot != NAME:
        return 0
    types = [number for number, one in enumerate(view.pieces) if _is_type_of(one, piece)]
    return max((times(view, one) for one in types), default=0)


def _is_type_of(one: KbPiece, piece: KbPiece) -> bool:
    return one.owner == CONSULT and bool(set(one.values) & set(piece.values))
