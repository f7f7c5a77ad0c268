"""The decision: which labels the staff's turn has and which pieces of knowledge it tells.

`options` lists the actions of a turn with what the supervised network expects of each; a `StaffPolicy` takes one.
Another policy, such as a reinforced one, is put in the place of `SupervisedPolicy` (`CustomerAgent.policy`).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from duologue.challenges.mobilecs.schema.intents import ASK, CONFIRM
from duologue.challenges.mobilecs.schema.ontology import CONSULT
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME
from duologue.core.sums import added

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.call_view import CallView
    from duologue.challenges.mobilecs.systems.agent.network import TurnProbabilities
    from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
    from duologue.challenges.mobilecs.systems.agent.request_cues import RequestReading

    Floats = NDArray[np.float32]

_TELLABLE = 3
_AGAIN = 0.1
"""Probability of a request from which something is told a second time."""
OFTEN = 2
"""Replies that may tell the same; a third one would be a habit."""
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
    """(n,): sum over the told pieces of their merit less the threshold."""
    label_values: Floats
    """(n,): expected F1 of the labels, given what is told."""
    memory: Floats | None = None
    """(c,): how sure it is that a piece was asked for in some turn and not told; `None` where nobody remembers."""
    reading: RequestReading | None = None
    """What the networks made of the requests, where `read` has them corrected."""

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
    recipe: AgentRecipe,
) -> StaffDecision:
    """Return the actions of a turn: each label set with nothing told, one, or several pieces of merit.

    `shares` gives the probability (n, k) of each label set for n ways to tell.
    """
    merits = merits_of(view, read, recipe.request_weight)
    ways = ways_to_tell(view, merits, recipe.max_told)
    chances = shares(ways)  # (n, k)
    expected = chances @ _agreement(tuple(label_sets))  # (n, k)
    told = np.array([added(float(merits[one]) - recipe.tell for one in way) for way in ways], dtype=np.float32)
    actions = [StaffAction(labels, way) for way in ways for labels in label_sets]
    return StaffDecision(view, read, actions, np.repeat(told, len(label_sets)), expected.reshape(-1))


def merits_of(view: CallView, read: TurnProbabilities, request_weight: float) -> Floats:
    """Return what telling each piece is worth (c,): that people would, and that the user asks for it.

    It is nothing for types, which are told by names, for what was told and is not asked for again, and for what two
    replies have told.
    """
    merits = np.zeros(len(view.pieces), dtype=np.float32)
    types = [(float(read.wanted[n]), set(one.values)) for n, one in enumerate(view.pieces) if one.owner == CONSULT]
    for number, piece in enumerate(view.pieces):
        requested = 0.0 if number in view.given_now else float(read.wanted[number])
        if piece.slot == NAME:
            requested = max((share for share, names in types if names & set(piece.values)), default=0.0)
        times = sum(number in told for told in view.told_before)
        if piece.owner != CONSULT and times < OFTEN and (not times or requested >= _AGAIN):
            merits[number] = read.told[number] + request_weight * requested
    return merits


def ways_to_tell(view: CallView, merits: Floats, limit: int) -> list[tuple[int, ...]]:
    """Return what a reply can tell: nothing, or one or more of the pieces of most merit, no value twice.

    A name is no news beside a slot of its entity.
    """
    ways: list[tuple[int, ...]] = [()]
    ranked = sorted(np.flatnonzero(merits > 0).tolist(), key=lambda number: (-round(float(merits[number]), 4), number))[
        :_TELLABLE
    ]
    if limit >= 1:
        ways += [(one,) for one in ranked]
    joint: list[int] = []
    for one in ranked:
        if len(joint) < limit and not any(_overlap(view, one, other) for other in joint):
            joint.append(one)
            if len(joint) > 1:
                ways.append(tuple(joint))
    return ways


def _overlap(view: CallView, one: int, other: int) -> bool:
    first, second = view.pieces[one], view.pieces[other]
    if set(first.values) & set(second.values):
        return True
    return first.owner == second.owner and NAME in {first.slot, second.slot}


@cache
def _agreement(label_sets: tuple[tuple[str, ...], ...]) -> Floats:
    """Return the F1 (k, k) of each label set against each other."""
    return np.array(
        [[2 * len(set(one) & set(other)) / (len(one) + len(other)) for other in label_sets] for one in label_sets],
        dtype=np.float32,
    )
