"""Scenes of conversations: what each side knows, who speaks first, and when the conversation is over."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Literal

from duologue.core.bounds import Count
from duologue.core.records import Candidate, Fact, Goal, Record, Turn

HANGS_UP = "hangs-up"
"""Act of a user's last words, where the task has no act of its own for that."""
TYPED = "typed"
"""Act of a user whose words are not the text of the turn; its argument are the words."""


class SystemView(Record, frozen=True, kw_only=True):
    """What the system's side knows and the user does not."""

    knowledge: tuple[Fact, ...] = ()
    world: str | None = None
    goal: Goal | None = None
    """Only where the task gives a goal to the agent."""


class UserView(Record, frozen=True, kw_only=True):
    """What the user's side knows and the system does not."""

    goal: Goal | None = None
    knowledge: tuple[Fact, ...] = ()


class Scene(Record, frozen=True, kw_only=True):
    """Where a conversation begins."""

    id: str
    max_turns: Count
    """Utterances of both partners together after which the conversation is cut."""
    system: SystemView = SystemView()
    user: UserView = UserView()
    first: Literal["user", "system"] | None = "user"
    """Who speaks first; `None` leaves it to chance."""
    candidates: Callable[[tuple[Turn, ...], random.Random], tuple[Candidate, ...]] | None = None
    """Makes the utterances that the system may choose from, given what it has heard."""
    api: Callable[[str], tuple[str, ...] | None] | None = None
    """Answers a call that the system utters; `None` for an utterance that is no call.

    The user hears neither the call nor what came back; `after_call` speaks next.
    """
    after_call: Literal["system", "user"] = "system"
    """Who speaks after a call. A user who does has heard nothing since its own last turn."""
    over: Callable[[tuple[Turn, ...]], bool] | None = None
    """Tells after each turn whether the conversation has come to its end: whoever watches both partners may know
    the goal that one of them does not. It must answer alike for equal turns."""
