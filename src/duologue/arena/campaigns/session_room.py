"""Talks of the site as the room that live campaigns talk in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.campaigns.live_talks import FinishedTalk
from duologue.arena.campaigns.material import goal_lines, shown_triple, shown_turns
from duologue.arena.talks import sessions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection


class SessionRoom:
    """Begins and looks up talks of the site; `lang` is the language in which a system remarks on what it does."""

    def __init__(self, lang: str, now: int) -> None:
        self._lang, self._now = lang, now

    def start(
        self, connection: Connection, *, task: str, system: str, scene: str, person: str, shows: Sequence[str]
    ) -> str:
        """Begin a talk."""
        return sessions.start(
            connection, task=task, system=system, scene=scene, person=person, shows=shows, lang=self._lang,
            now=self._now,
        )  # fmt: skip

    def finished(self, connection: Connection, talk: str) -> FinishedTalk | None:
        """Return a talk that is over, in the words that were typed and read."""
        found = sessions.finished(connection, talk)
        if found is None:
            return None
        said = tuple((one.speaker, one.text) for one in sessions.turns_of(connection, talk) if one.kind == "words")
        kept = sessions.find_talk(connection, talk)
        card = kept.setting.card if kept is not None and kept.setting is not None else ()
        return FinishedTalk(
            turns=said or shown_turns(found.turns),
            knowledge=tuple(map(shown_triple, found.knowledge)),
            goal=goal_lines(found.goal) or card,
        )
