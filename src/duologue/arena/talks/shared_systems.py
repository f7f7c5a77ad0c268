"""Systems that talks share: each opened and prepared once, with threads of its own, so that none waits for another."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from duologue.arena.talks.replies import LivePartner
from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Grounded
from duologue.run.kept_answers import SharedSystem
from duologue.run.partners import conversable, is_address, open_talker

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.arena.talks.replies import KeptTurns
    from duologue.arena.talks.sessions import Talk
    from duologue.core.protocols import World
    from duologue.core.records import Turn

TALKS = 8
"""Talks that one system answers at the same time; others wait for them."""


class _Opened:
    """A system of a task, with the knowledge base that its talks are set in."""

    def __init__(self, talk: Talk, place: Path | None) -> None:
        self._task = conversable(talk.task)
        self._shared = SharedSystem(open_talker(self._task, talk.system, overrides=talk.settings))
        self._place: Path | World | None = place
        self._in_world = False
        if not self._task.info.kb_beside and isinstance(self._task, Grounded):
            self._in_world = True
            try:
                self._place = self._task.world(place)
            except UsageError:
                if place is not None:
                    raise

    def partner(self, talk: Talk, kept: KeptTurns, place: Path | None) -> LivePartner:
        system = self._shared.for_talk(kept.answers)
        set_in = self._place if self._in_world else place
        seed = 1 if talk.seed is None else talk.seed
        return LivePartner(self._task.partner(system, set_in, seed=seed, lang=talk.lang, name=talk.id), system)


class SharedSystems:
    """All systems that are talked with in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: dict[tuple[str, ...], _Opened] = {}
        self._locks: dict[tuple[str, ...], threading.Lock] = {}
        self._turns: dict[tuple[str, ...], threading.BoundedSemaphore] = {}

    def start(self, talk: Talk, work: Callable[[], None]) -> None:
        """Have something done in a thread, which waits for its turn where many talks ask one system."""
        with self._lock:
            turns = self._turns.setdefault(_key(talk), threading.BoundedSemaphore(TALKS))

        def in_turn() -> None:
            with turns:
                work()

        threading.Thread(target=in_turn, daemon=True, name="duologue-talk").start()

    def partner(self, talk: Talk, kept: KeptTurns) -> LivePartner:
        """Return a new partner for a talk. Raises what opening its system does."""
        name = talk.system or ""
        if is_address(name):
            from duologue.endpoints.chat_endpoint import ChatEndpoint

            address, _, model = name.partition("#")
            return LivePartner(
                ChatEndpoint(address, model or None, lang=talk.lang, name=talk.id, turns=_answered(kept)), None
            )
        place = None if talk.place is None else Path(talk.place)
        key = _key(talk)
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:  # others may open theirs meanwhile
            if key not in self._opened:
                self._opened[key] = _Opened(talk, place)
        return self._opened[key].partner(talk, kept, place)


def _key(talk: Talk) -> tuple[str, ...]:
    """Return what talks have in common that share a system: goals are drawn anew, a knowledge base is not read anew."""
    return talk.task, talk.system or "", talk.place or "", *talk.settings


def _answered(kept: KeptTurns) -> list[Turn]:
    """Return what was heard up to the last reply."""
    heard = list(kept.heard)
    while heard and heard[-1].speaker == "user":
        heard.pop()
    return heard
