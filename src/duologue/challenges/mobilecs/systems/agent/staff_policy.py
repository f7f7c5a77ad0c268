"""The decision: which labels the staff's turn has and which pieces of knowledge it tells.

`options` lists the actions of a turn with what the supervised network expects of each; a `StaffPolicy` takes one.
Another policy, such as a reinforced one, is put in the place of `SupervisedPolicy` (`CustomerAgent.policy`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from duologue.challenges.mobilecs.schema.intents import ASK, CONFIRM
from duologue.challenges.mobilecs.schema.ontology import CONSULT
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.call_view import CallView
    from duologue.challenges.mobilecs.systems.agent.network import TurnProbabilities

    Floats = NDArray[np.float32]

_TELLABLE = 3
"""Most probable pieces that actions are made of."""
CLOSING = frozenset({"再见", "客套"})
"""Labels of a turn that ends a call, or offers to."""


class StaffAction(NamedTuple):
    """What the staff do in one turn."""

    labels: tuple[str, ...]
    """In the order of `STAFF_LABELS`."""
    tells: tuple[int, ...]
    """Pieces of the view that the reply tells, the most probable first."""

    @property
    def kind(self) -> str:
        """`answer`, `ask`, `confirm`, `close`, or `say` for a turn that does none of these.

        >>> StaffAction(("通知",), (2,)).kind, StaffAction(("客套", "询问"), ()).kind
        ('answer', 'ask')
        """
        if CONFIRM in self.labels:
            return "confirm"
        if self.tells:
            return "answer"
        if ASK in self.labels:
            return "ask"
        return "close" if CLOSING & set(self.labels) else "say"


class StaffDecision(NamedTuple):
    """A turn with the actions that are open."""

    view: CallView
    read: TurnProbabilities
    actions: list[StaffAction]
    tell_values: Floats
    """(n,): sum over the told pieces of their probability less the threshold."""
    label_values: Floats
    """(n,): expected F1 of the labels, given what is told."""

    @property
    def values(self) -> Floats:
        """(n,): what the supervised network expects of each action; the highest is its choice."""
        return self.tell_values + self.label_values


class StaffPolicy(Protocol):
    """Chooses among the actions of a turn."""

    def choose(self, decision: StaffDecision) -> int:
        """Return the number of an action."""
        ...


class SupervisedPolicy:
    """Does what is most like what people did in training."""

    def choose(self, decision: StaffDecision) -> int:
        """Return the action of the highest value, the first of several."""
        return int(decision.values.argmax())


def options(
    view: CallView,
    read: TurnProbabilities,
    label_sets: Sequence[tuple[str, ...]],
    shares: Callable[[Sequence[tuple[int, ...]]], Floats],
    *,
    tell: float,
    most_told: int,
) -> StaffDecision:
    """Return the actions of a turn: each label set with nothing told, one, or several probable pieces.

    `shares` gives the probability (n, k) of each label set for n ways to tell.
    """
    ways = ways_to_tell(view, read.told, most_told)
    chances = shares(ways)  # (n, k)
    expected = chances @ _agreement(label_sets)  # (n, k)
    told = np.array([sum(float(read.told[one]) - tell for one in way) for way in ways], dtype=np.float32)
    actions = [StaffAction(labels, way) for way in ways for labels in label_sets]
    return StaffDecision(view, read, actions, np.repeat(told, len(label_sets)), expected.reshape(-1))


def ways_to_tell(view: CallView, told: Floats, most: int) -> list[tuple[int, ...]]:
    """Return what a reply can tell: nothing, or one or more of the most probable pieces, no value twice.

    Types are told by the names of their entities, and a name is no news beside a slot of its entity.
    """
    ways: list[tuple[int, ...]] = [()]
    ranked = sorted(
        (number for number, one in enumerate(view.pieces) if one.owner != CONSULT),
        key=lambda number: (-round(float(told[number]), 4), number),
    )[:_TELLABLE]
    if most >= 1:
        ways += [(one,) for one in ranked]
    joint: list[int] = []
    for one in ranked:
        if len(joint) < most and not any(_overlap(view, one, other) for other in joint):
            joint.append(one)
            if len(joint) > 1:
                ways.append(tuple(joint))
    return ways


def _overlap(view: CallView, one: int, other: int) -> bool:
    first, second = view.pieces[one], view.pieces[other]
    if set(first.values) & set(second.values):
        return True
    return first.owner == second.owner and NAME in {first.slot, second.slot}


def _agreement(label_sets: Sequence[tuple[str, ...]]) -> Floats:
    """Return the F1 (k, k) of each label set against each other."""
    return np.array(
        [[2 * len(set(one) & set(other)) / (len(one) + len(other)) for other in label_sets] for one in label_sets],
        dtype=np.float32,
    )
