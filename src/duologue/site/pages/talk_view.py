"""A talk as one reader sees it: whose turn it is, what may be seen, and what stands there in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.talks import pairs, sessions
from duologue.arena.talks.engine import FAILED, SLOW
from duologue.arena.talks.pair_settings import PairSettings, speaker_due

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.arena.talks.sessions import Talk, TalkTurn
    from duologue.site.visit import Visit

STAFF = ("organiser", "judge")
"""Who may read every talk, with its trace."""


class TalkView:
    """A talk as one reader sees it."""

    def __init__(self, talk: Talk, turns: Sequence[TalkTurn], pairing: pairs.Pairing | None, visit: Visit) -> None:
        self.talk, self._visit = talk, visit
        self.pairing = pairing
        self.mine = visit.me.id in {talk.person_id, talk.leader_id}
        self.staff = visit.me.may(*STAFF)
        whole = self.staff and not self.mine  # who talks sees what the talk shows: staff may be raters, too
        self.trace = "trace" in talk.shows or whole
        self.goal = "goal" in talk.shows or whole
        self.knowledge = "knowledge" in talk.shows or whole
        self.side = pairs.side_of(talk, visit.me.id)
        self.turns = [one for one in turns if self.trace or one.kind == "words"]
        self.last = turns[-1].position if turns else -1
        settings = pairing.settings if pairing is not None else PairSettings()
        self.answer_due = sessions.answer_due(talk, turns[-1] if turns else None)
        if talk.kind == "people":
            self.due = talk.open and speaker_due(settings, len(turns)) == self.side
            self.can_complete = self.side == "system" and len(turns) >= settings.shortest
        else:
            self.due = talk.open and talk.setting is not None and not self.answer_due
            self.can_complete = True
        self.settings = settings
        self.late = talk.kind == "people" and talk.open and visit.now - talk.last_at > settings.turn_seconds * 1000

    @property
    def status(self) -> str:
        """What holds now, as a sentence."""
        talk, t = self.talk, self._visit.t
        if talk.state == "abandoned" and talk.ended_by != "time":
            return str(t("talks.gave_up"))
        if not talk.open:
            return str(t(f"talks.ended_{talk.ended_by or 'user'}"))
        if not self.mine:
            return str(t("talks.going_on"))
        if talk.trouble == SLOW:
            return str(t("talks.slow"))
        if talk.trouble.startswith(FAILED):
            return str(t("talks.failed"))
        if talk.kind == "people":
            return str(t("talks.your_turn" if self.due else "talks.their_turn"))
        if talk.setting is None:
            return str(t("talks.preparing"))
        return str(t("talks.your_turn" if self.due else "talks.answering"))

    def name(self, turn: TalkTurn) -> str:
        """Who says a turn, as this reader calls them."""
        if self.talk.kind == "people" and self.mine:
            return str(self._visit.t("talks.you" if turn.speaker == self.side else "talks.partner"))
        if turn.kind != "words":
            return str(self._visit.t(f"talks.kind_{turn.kind}"))
        if turn.speaker == "user":
            return str(self._visit.t("talks.you" if self.mine else "talks.person"))
        return str(self._visit.t("talks.leader" if self.talk.kind == "people" else "talks.system"))

    def own(self, turn: TalkTurn) -> bool:
        """Whether a turn stands on the reader's side."""
        return turn.speaker == (self.side if self.mine else "user")
