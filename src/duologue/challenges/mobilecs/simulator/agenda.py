"""Agenda of a simulated user: what the goal asks for, what of it is answered, and what the user knows to tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.schema.ontology import (
    CONSULT,
    GOAL_ENTITY_INTENTS,
    GOAL_USER_INTENTS,
    REQUESTED,
    USER,
)
from duologue.challenges.mobilecs.simulator.requests import Request, requests_of
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.challenges.mobilecs.simulator.staff_turn import StaffTurn

CANCEL = "取消"
_NO_FACTS = {"name", "type", GOAL_ENTITY_INTENTS, GOAL_USER_INTENTS}


class KnownValue(NamedTuple):
    """A value that the goal has, so that the user can tell it."""

    owner: str
    slot: str
    value: str


class Agenda:
    """The requests of one goal and how far they are answered."""

    def __init__(self, goal: Mapping[str, Any], kb: Mapping[str, Mapping[str, str]]) -> None:
        """Take an official `goal` and `KB`.

        Raises `UsageError` for a goal of which the knowledge base answers no request, or with a request that cannot be
        looked up: of an unknown type, or of a type of which a service has no name.
        """
        try:
            self.open = [*requests_of(goal, kb), *_cancellations(goal)]
        except KeyError as error:
            what = (
                "a service of the knowledge base has no name" if error.args == ("name",) else f"type {error} is unknown"
            )
            raise UsageError(f"the goal asks for the services of a type, and {what}") from error
        self.official = [one for one in self.open if one.values]
        """The requested items of the official scorer."""
        if not self.official:
            raise UsageError("the goal has no request that the knowledge base answers, so it cannot be played")
        self.goal, self.kb = goal, kb
        self.answered: set[Request] = set()
        self.given_up: list[Request] = []
        """What the user asks for no more; an answer that comes all the same counts."""
        self.pending: list[Request] = []
        """What was asked last."""
        self.introduced: set[str] = set()
        """Owners that the user has spoken of."""
        self.untold = list(known_values(goal))

    @property
    def missing(self) -> int:
        """Official requested items without an answer so far."""
        return sum(one not in self.answered for one in self.official)

    @property
    def fulfilled(self) -> tuple[str, ...]:
        """Arguments of the official requested items answered so far, in the order of the goal."""
        return tuple(one.argument for one in self.official if one in self.answered)

    def waiting(self) -> list[Request]:
        """Return what was asked last and is not answered."""
        return [one for one in self.pending if one not in self.answered]

    def take(self, heard: StaffTurn) -> int:
        """Strike off what a turn of the staff answers; return how many official items are newly answered."""
        new = 0
        for one in (*self.open, *self.given_up):
            if one.labels == (CANCEL,):
                is_answered = one in self.pending and any(name in heard.text.lower() for name in self.names(one.owner))
            else:
                is_answered = any(value in heard.text for value in one.values)
            if is_answered:
                new += bool(one.values)
                self.answered.add(one)
                (self.open if one in self.open else self.given_up).remove(one)
        return new

    def give_up(self, request: Request) -> None:
        """Ask no more for an open request."""
        self.open.remove(request)
        self.given_up.append(request)

    def tell(self, owner: str, count: int) -> list[KnownValue]:
        """Return up to `count` known values of an owner that were not told yet; they count as told."""
        told = [one for one in self.untold if one.owner == owner][:count]
        self.untold = [one for one in self.untold if one not in told]
        return told

    def names(self, owner: str) -> list[str]:
        """Return the names of an entity in the base."""
        return [one for one in self.kb.get(owner, {}).get("name", "").split(",") if one and one != "na"]

    def spoken_names(self, owner: str) -> list[str]:
        """Return the names of an entity as the user says it: those of the goal, else of the base; never none."""
        own = [one for one in self.goal.get(owner, {}).get("name", "").split(",") if one and one not in {"NA", "?"}]
        return own or self.names(owner) or ["这个业务"]

    def is_about(self, text: str) -> bool:
        """Whether a text that the staff want confirmed names what is asked about, or at least nothing else."""
        owner = self.pending[0].owner
        if any(name in text for name in self.names(owner)):
            return True
        others = (name for one in self.kb if one not in {owner, USER} for name in self.names(one))
        return not any(name in text for name in others)


def known_values(goal: Mapping[str, Any]) -> list[KnownValue]:
    """Return the values of a goal in its order, none of a slot that is asked for."""
    return [
        KnownValue(owner, slot, next(one for one in known.split(",") if one))
        for owner, entry in goal.items()
        if owner != CONSULT
        for slot, known in entry.items()
        if slot not in _NO_FACTS and REQUESTED not in known and any(known.split(","))
    ]


def _cancellations(goal: Mapping[str, Any]) -> list[Request]:
    """Return the services that a goal wants cancelled; a goal says so with the intent and no requested slot."""
    return [
        Request(owner, "", (CANCEL,), ())
        for owner, entry in goal.items()
        if owner not in {CONSULT, USER} and CANCEL in entry.get(GOAL_ENTITY_INTENTS, "").split(",")
    ]
