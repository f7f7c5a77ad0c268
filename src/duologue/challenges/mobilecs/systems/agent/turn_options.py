"""The few actions of a turn between which a reinforced policy chooses, and what it knows of each as numbers.

For each way to tell something the labels that the supervised network likes most, and turns that tell nothing once for
each kind (ask, confirm, close, or just say something) whose labels fit about as well as the best.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.mobilecs.schema.intents import ASK, CONFIRM, QUERY, USER_LABELS
from duologue.challenges.mobilecs.schema.ontology import CONSULT, USER
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME
from duologue.challenges.mobilecs.systems.agent.open_requests import has_untold, replies_of_type, times
from duologue.challenges.mobilecs.systems.agent.staff_policy import OFTEN
from duologue.core.sums import added

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffAction, StaffDecision

    Floats = NDArray[np.float64]

BYE, BYE_KIND = "再见", "bye"
KINDS = ("answer", "ask", "confirm", "close", BYE_KIND, "say")
"""Kinds of actions; `bye` is a turn that ends the call."""
STATE_FEATURES = (
    "any",
    "user asks",
    "user thanks or leaves",
    "user confirms or says little",
    "user is not content",
    "most wanted, untold",
    "most wanted, told",
    "most remembered",
    "turn",
    "last reply told",
    "likeness to the turn before",
    "nothing told so far",
    "likeness to an earlier turn",
)
OPTION_FEATURES = (
    "value",
    "pieces",
    "wanted",
    "told by people",
    "told before",
    "another value of what was told",
    "told twice",
    "replies with names of the type",
    "remembered",
    "wanted more than these",
    "remembered more than these",
    "names",
    "of the user",
    *(f"{kind}: {state}" for kind in KINDS for state in STATE_FEATURES),
    *(f"tells: {state}" for state in STATE_FEATURES),
)
"""Names of the features of an option, in their order."""
_GROUPS = ((QUERY, ASK, CONFIRM), ("客套", "再见"), ("被动确认", "其他"), ("否认", "投诉反馈", "请求重复"))
"""User intents of which the state has the highest probability."""
_FITTING = 0.15
"""How much less fit than the best one a turn that tells nothing may be, in expected F1 of its labels."""
_LONG = 20
"""Turns that count as many."""


class TurnOptions(NamedTuple):
    """The options of one turn."""

    actions: list[int]
    """Numbers of the actions of the decision."""
    features: Floats
    """(n, `OPTION_FEATURES`)."""
    supervised: int
    """The option that the supervised policy takes."""


def options_of(decision: StaffDecision) -> TurnOptions:
    """Return the options of a turn; the supervised choice is one of them."""
    values = decision.values
    best: dict[tuple[tuple[int, ...], str], int] = {}
    for number, action in enumerate(decision.actions):
        key = (action.tells, "" if action.tells else _kind(action))
        if key not in best or values[number] > values[best[key]]:
            best[key] = number
    chosen = int(values.argmax())
    silent = {kind: one for (tells, kind), one in best.items() if not tells}
    least = max((values[one] for one in silent.values()), default=0.0) - _FITTING
    staying = max(
        (one for kind, one in silent.items() if kind != BYE_KIND), key=lambda one: values[one], default=chosen
    )
    kept = {chosen, staying}
    actions = [one for (tells, _), one in best.items() if tells or values[one] >= least or one in kept]
    state = _state(decision)
    top = float(values[chosen])
    features = np.array([_option(decision, number, top, state) for number in actions])
    return TurnOptions(actions, features, actions.index(chosen))


def _state(decision: StaffDecision) -> Floats:
    """Return the features of a turn, (`STATE_FEATURES`,)."""
    view, read = decision.view, decision.read
    shares = dict(zip(USER_LABELS, read.user_labels.tolist(), strict=True))
    told = {number for reply in view.told_before for number in reply}
    wanted = read.wanted.tolist()
    return np.array(
        [
            1.0,
            *(max(shares[label] for label in group) for group in _GROUPS),
            max((share for number, share in enumerate(wanted) if number not in told), default=0.0),
            max((share for number, share in enumerate(wanted) if number in told), default=0.0),
            float(_memory(decision).max(initial=0.0)),
            min(view.turn, _LONG) / _LONG,
            float(bool(view.told_before and view.told_before[-1])),
            _likeness(view.last, view.users[-1] if view.users else ""),
            not told,
            max((_likeness(view.last, one) for one in view.users), default=0.0),
        ]
    )


def _option(decision: StaffDecision, number: int, top: float, state: Floats) -> Floats:
    view, read, action = decision.view, decision.read, decision.actions[number]
    pieces = [view.pieces[one] for one in action.tells]
    told = {one for reply in view.told_before for one in reply}
    wanted = [_wanted(decision, one) for one in action.tells]
    rest = [float(read.wanted[one]) for one in range(len(view.pieces)) if one not in action.tells and one not in told]
    memory = _memory(decision)
    kept = [float(memory[one]) for one in action.tells]
    left = [float(memory[one]) for one in range(len(view.pieces)) if one not in action.tells]
    own = np.array(
        [
            max(-2.0, float(decision.values[number]) - top),
            len(pieces) / 2,
            added(wanted),
            max((float(read.told[one]) for one in action.tells), default=0.0),
            float(any(one in told for one in action.tells)),
            float(any(one in told and has_untold(view, one) for one in action.tells)),
            float(any(times(view, one) >= OFTEN and not has_untold(view, one) for one in action.tells)),
            max((replies_of_type(view, one) for one in pieces), default=0) / OFTEN,
            added(kept),
            max(0.0, max(rest, default=0.0) - max(wanted, default=0.0)),
            max(0.0, max(left, default=0.0) - max(kept, default=0.0)),
            float(any(one.slot == NAME for one in pieces)),
            float(any(one.owner == USER for one in pieces)),
        ]
    )
    kind = _kind(action)
    kinds = np.concatenate([state * (kind == one) for one in KINDS])
    return np.concatenate([own, kinds, state * bool(pieces)])


def _kind(action: StaffAction) -> str:
    """Return the kind of an action, `bye` where it ends the call."""
    return BYE_KIND if action.kind == "close" and BYE in action.labels else action.kind


def _memory(decision: StaffDecision) -> NDArray[np.float32]:
    """Return what the decision remembers (c,); nothing where nobody does."""
    return np.zeros(len(decision.view.pieces), np.float32) if decision.memory is None else decision.memory


def _wanted(decision: StaffDecision, number: int) -> float:
    """Return the probability that a piece is asked for; that of its type, for a name."""
    view, read = decision.view, decision.read
    piece = view.pieces[number]
    if piece.slot != NAME:
        return float(read.wanted[number])
    return max(
        (
            float(read.wanted[other])
            for other, one in enumerate(view.pieces)
            if one.owner == CONSULT and set(one.values) & set(piece.values)
        ),
        default=0.0,
    )


def _likeness(text: str, other: str) -> float:
    """Return the share of the bigrams of a text that another has."""
    own, others = ({one[place : place + 2] for place in range(len(one) - 1)} for one in (text, other))
    return len(own & others) / len(own) if own else 0.0
