"""Systems that talks share: each opened and prepared once, with threads of its own, so that none waits for another.

One that nobody talks with for a while is let go, with the program that it may run; it is opened anew when it is asked.
"""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from duologue.arena.talks.replies import LivePartner
from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Grounded
from duologue.run.kept_answers import SharedSystem
from duologue.run.partners import conversable, is_address, open_live_system, systems_lead

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duologue.arena.talks.replies import KeptTurns
    from duologue.arena.talks.sessions import Talk
    from duologue.core.protocols import World
    from duologue.core.records import Turn

IDLE_SECONDS = 1800.0
"""Seconds without an answer after which a system is let go."""
TALKS = 8
"""Talks that one system answers at the same time; others wait for them."""


class _Opened:
    """A system of a task, with the knowledge base that its talks are set in."""

    def __init__(self, talk: Talk, place: Path | None) -> None:
        self._task = conversable(talk.task)
        self._shared = SharedSystem(open_live_system(self._task, talk.system, overrides=talk.settings))
        self._place: Path | World | None = place
        self._in_world = False
        if not self._task.info.kb_beside and isinstance(self._task, Grounded):
            self._in_world = True
            try:
                self._place = self._task.world(place)
            except UsageError:
                if place is not None:
                    raise

    def end(self) -> None:
        """Let go of the system."""
        self._shared.end()

    def partner(self, talk: Talk, kept: KeptTurns, place: Path | None) -> LivePartner:
        system = self._shared.for_talk(kept.answers)
        set_in = self._place if self._in_world else place
        seed = 1 if talk.seed is None else talk.seed
        return LivePartner(self._task.partner(system, set_in, seed=seed, lang=talk.lang, name=talk.id), system)


class SharedSystems:
    """All systems that are talked with in this process; `on_end` is called when one was let go."""

    def __init__(self, on_end: Callable[[], object], idle_seconds: float = IDLE_SECONDS) -> None:
        self._on_end, self._idle_seconds = on_end, idle_seconds
        self._lock = threading.Lock()
        self._busy: Counter[tuple[str, ...]] = Counter()
        self._idle: dict[tuple[str, ...], threading.Timer] = {}
        self._opened: dict[tuple[str, ...], _Opened] = {}
        self._locks: dict[tuple[str, ...], threading.Lock] = {}
        self._turns: dict[tuple[str, ...], threading.BoundedSemaphore] = {}

    def start(self, talk: Talk, work: Callable[[], None]) -> None:
        """Have something done in a thread, which waits for its turn where many talks ask one system."""
        key = _key(talk)
        with self._lock:
            turns = self._turns.setdefault(_common_key(talk), threading.BoundedSemaphore(TALKS))
            self._busy[key] += 1
            if timer := self._idle.pop(key, None):
                timer.cancel()

        def in_turn() -> None:
            try:
                with turns:
                    work()
            finally:
                self._done(key)

        try:
            threading.Thread(target=in_turn, daemon=True, name="duologue-talk").start()
        except RuntimeError:
            self._done(key)
            raise

    def _done(self, key: tuple[str, ...]) -> None:
        """Note that something is done; the last begins the time after which the system is let go."""
        with self._lock:
            self._busy[key] -= 1
            if self._busy[key] or key not in self._opened:
                return
            timer = self._idle[key] = threading.Timer(self._idle_seconds, self._let_go, (key,))
            timer.daemon = True
            with suppress(RuntimeError):  # no thread is to be had: the next answer sees to it
                timer.start()

    def _let_go(self, key: tuple[str, ...]) -> None:
        with self._lock:
            if self._busy[key] or self._idle.get(key) is not threading.current_thread():
                return  # somebody has just asked
            del self._idle[key]
            opened = self._opened.pop(key)
        opened.end()
        self._on_end()

    def partner(self, talk: Talk, kept: KeptTurns) -> LivePartner:
        """Return a new partner for a talk. Raises what opening its system does."""
        name = talk.system or ""
        if is_address(name) and not systems_lead(conversable(talk.task)):
            from duologue.endpoints.chat_endpoint import ChatEndpoint

            address, _, model = name.partition("#")
            heard, card = _answered(kept), partial(_card, talk)
            return LivePartner(
                ChatEndpoint(address, model or None, lang=talk.lang, name=talk.id, turns=heard, card=card), None
            )
        place = None if talk.place is None else Path(talk.place)
        key = _key(talk)
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:  # others may open theirs meanwhile
            if key not in self._opened:
                self._opened[key] = _Opened(talk, place)
        return self._opened[key].partner(talk, kept, place)


def _card(talk: Talk) -> Sequence[str]:
    """Return the goal card of the person who talks with a chat endpoint: that of the task, whoever the system is."""
    task = conversable(talk.task)
    if "goal" not in talk.shows or not task.default_system:
        return ()
    place = None if talk.place is None else Path(talk.place)
    seed = 1 if talk.seed is None else talk.seed
    return task.partner(open_live_system(task, None), place, seed=seed, lang=talk.lang, name=talk.id).goal_card()


def _key(talk: Talk) -> tuple[str, ...]:
    """Return what talks have in common that share what is opened.

    The address of a chat endpoint is opened for each talk: servers answer many at the same time, and a call that hangs
    holds up no other talk.
    """
    return (*_common_key(talk), talk.id) if is_address(talk.system or "") else _common_key(talk)


def _common_key(talk: Talk) -> tuple[str, ...]:
    """Return what talks have in common that ask one system: goals are drawn anew, a knowledge base is not read anew."""
    return talk.task, talk.system or "", talk.place or "", *talk.settings


def _answered(kept: KeptTurns) -> list[Turn]:
    """Return what was heard up to the last reply."""
    heard = list(kept.heard)
    while heard and heard[-1].speaker == "user":
        heard.pop()
    return heard
