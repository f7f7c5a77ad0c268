"""The engine: answers the talks whose system is due, one answer per talk at a time, and tells pieces as they come.

All that lasts stands in the rows. What is here may be lost at any time: a partner is taken up again from the rows.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING

from sqlalchemy import update

from duologue.arena.talks.replies import keep_opening, keep_reply, kept_turns, take_up, turns_shown
from duologue.arena.talks.sessions import answer_due, find_talk, last_turn
from duologue.arena.talks.shared_systems import IDLE_SECONDS, SharedSystems
from duologue.arena.talks.tables import talks
from duologue.core.errors import DuologueError
from duologue.run.system_worker import GIVEN_UP

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.database.database import Database
    from duologue.arena.talks.replies import LivePartner
    from duologue.arena.talks.sessions import Talk

ANSWER_SECONDS = 120.0
"""After so long a person is told that the system is slow."""
LIVE = 500
"""Partners that are held; others are taken up again when they are needed."""
SLOW, FAILED = "slow", "failed"
"""Beginnings of what is told as trouble; what follows after a colon is the error."""

_LOG = logging.getLogger(__name__)


class _UnderWay:
    """An answer that is being made."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.given_up = threading.Event()


class TalkEngine:
    """Answers talks in threads.

    `answer_seconds` is how long a person waits before being told, `idle_seconds` how long a system is kept that nobody
    talks with: its talks lose nothing, they are taken up again from the rows.
    """

    def __init__(
        self, database: Database, *, answer_seconds: float = ANSWER_SECONDS, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        self._database, self._seconds = database, answer_seconds
        self._systems = SharedSystems(self._forget_ended, idle_seconds)
        self._lock = threading.Lock()
        self._under_way: dict[str, _UnderWay] = {}
        self._live: OrderedDict[str, tuple[int, LivePartner]] = OrderedDict()
        """Talk -> position of the last turn that its partner knows, and the partner."""
        self._done = threading.Condition(self._lock)

    def answer(self, talk_id: str) -> None:
        """See to it that a talk gets the answer that is due, if any; returns at once."""
        with self._database.reading() as connection:
            talk = find_talk(connection, talk_id)
            due = talk is not None and answer_due(talk, last_turn(connection, talk_id))
        if talk is None or not due:
            return
        with self._lock:
            if talk_id in self._under_way:
                return
            here = self._under_way[talk_id] = _UnderWay()
        timer = threading.Timer(self._seconds, self._too_slow, (talk_id, here))
        timer.daemon = True

        def work() -> None:
            try:
                self._answer(talk_id, here)
            finally:
                self._ended(talk_id, timer)

        try:
            timer.start()
            self._systems.start(talk, work)
        except RuntimeError:  # no thread is to be had: the person is told, and may ask again
            _LOG.exception("there is no thread to answer talk %s", talk_id)
            self._ended(talk_id, timer)
            self._tell(talk_id, FAILED)

    def _ended(self, talk_id: str, timer: threading.Timer) -> None:
        """Note that no answer of a talk is under way any more."""
        timer.cancel()
        with self._lock:
            del self._under_way[talk_id]
            self._done.notify_all()

    def pieces(self, talk_id: str) -> str | None:
        """Return what has come of the answer under way; `None` where none is."""
        with self._lock:
            here = self._under_way.get(talk_id)
            return None if here is None else "".join(here.pieces)

    def wait(self, talk_id: str, seconds: float) -> bool:
        """Wait until no answer of a talk is under way; return whether that is so."""
        with self._lock:
            return self._done.wait_for(lambda: talk_id not in self._under_way, seconds)

    def _answer(self, talk_id: str, here: _UnderWay) -> None:
        GIVEN_UP.set(here.given_up)
        try:
            with self._database.reading() as connection:
                talk = find_talk(connection, talk_id)
                last = last_turn(connection, talk_id)
            if talk is None or not answer_due(talk, last):
                return
            live = self._partner(talk, -1 if last is None else last.position)
            live.partner.on_piece, live.partner.on_taken_back = here.pieces.append, here.pieces.clear
            if talk.setting is None:
                shown = turns_shown(live.partner, live.partner.opening())
                self._database.write(keep_opening(live, talk_id, shown, now=self._database.now))
                known = len(shown) - 1
            else:
                assert last is not None
                shown = turns_shown(live.partner, live.partner.reply(last.text))
                self._database.write(keep_reply(live, talk_id, last.position, shown, now=self._database.now))
                known = last.position + max(len(shown), 1)
            self._hold(talk_id, known, live)
        except CancelledError:
            _LOG.info("talk %s waited too long for its system", talk_id)  # which it has been told
        except DuologueError as error:
            self._tell(talk_id, f"{FAILED}: {error}")
        except BaseException:  # noqa: BLE001  # a system may fail in any way
            _LOG.exception("the system of talk %s failed", talk_id)
            self._tell(talk_id, FAILED)

    def _partner(self, talk: Talk, position: int) -> LivePartner:
        """Return the partner of a talk; one that does not know all turns but the last is made anew from the rows."""
        with self._lock:
            known, live = self._live.pop(talk.id, (-2, None))
        if live is not None and known == position - 1 and not live.ended:
            return live
        with self._database.reading() as connection:
            kept = kept_turns(connection, talk.id)
        made = self._systems.partner(talk, kept)
        take_up(made, kept)
        made.made()
        return made

    def _hold(self, talk_id: str, position: int, live: LivePartner) -> None:
        if live.partner.finished:
            return
        with self._lock:
            self._live[talk_id] = (position, live)
            while len(self._live) > LIVE:
                self._live.popitem(last=False)

    def _forget_ended(self) -> None:
        """Forget the partners of systems that were let go."""
        with self._lock:
            for talk_id in [one for one, (_, live) in self._live.items() if live.ended]:
                del self._live[talk_id]

    def _too_slow(self, talk_id: str, here: _UnderWay) -> None:
        here.given_up.set()  # what waits for its turn is not asked any more; an answer under way still counts
        self._tell(talk_id, SLOW)

    def _tell(self, talk_id: str, trouble: str) -> None:
        def action(connection: Connection) -> None:
            going = (talks.c.id == talk_id) & (talks.c.state == "open")
            connection.execute(update(talks).where(going).values(trouble=trouble[:1000]))

        try:
            self._database.write(action)
        except DuologueError:
            _LOG.exception("the trouble of talk %s cannot be kept", talk_id)
