"""A live partner in a talk: taken up again from the rows, asked, and its reply as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
from sqlalchemy import select, update

from duologue.arena.talks.sessions import TalkSetting, TalkTurn, add_turns, end, find_talk, last_turn
from duologue.arena.talks.tables import talk_turns, talks
from duologue.core.decoded import made_whole
from duologue.core.records import Answer, Turn
from duologue.core.typed import convert

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from duologue.core.optional_protocols import Partner
    from duologue.run.kept_answers import KeptAnswers


class LivePartner(NamedTuple):
    """A partner, and what keeps its system's answers; `None` for a chat endpoint."""

    partner: Partner
    answers: KeptAnswers | None

    @property
    def ended(self) -> bool:
        """Whether its system is not at hand any more."""
        return self.answers is not None and self.answers.ended

    def made(self) -> list[Answer]:
        """Return the answers that were made since this was last asked."""
        if self.answers is None:
            return []
        found, self.answers.made = self.answers.made, []
        return found


class KeptTurns(NamedTuple):
    """What the rows of a talk hold: the person's words with the answers to each, and all that was heard."""

    opening: tuple[Answer, ...] | None
    said: list[tuple[str, tuple[Answer, ...] | None]]
    """`None`: not answered yet."""
    heard: list[Turn]
    last: int
    """Position of the last turn; -1 where there is none."""

    @property
    def answers(self) -> list[Answer]:
        """All answers that the system has given."""
        return [*(self.opening or ()), *(one for _, answers in self.said for one in answers or ())]


def kept_turns(connection: Connection, talk_id: str) -> KeptTurns:
    """Return what the rows of a talk hold."""
    opening = connection.execute(select(talks.c.opening).where(talks.c.id == talk_id)).scalar_one()
    rows = connection.execute(select(talk_turns).where(talk_turns.c.talk_id == talk_id).order_by("position")).all()
    said = [(row.text, _answers(row.answers)) for row in rows if row.speaker == "user"]
    heard = [Turn(speaker=row.speaker, text=row.text) for row in rows if row.kind == "words"]
    return KeptTurns(_answers(opening), said, heard, rows[-1].position if rows else -1)


def take_up(live: LivePartner, kept: KeptTurns) -> None:
    """Bring a new partner to where its talk stands; its system gives its former answers again and is not asked."""
    if live.answers is None or kept.opening is None:
        return  # a chat endpoint was given what was heard
    live.partner.opening()
    for text, answers in kept.said:
        if answers is not None:
            live.partner.reply(text)


def turns_shown(partner: Partner, turns: Sequence[Turn]) -> list[TalkTurn]:
    """Return turns of a partner as people read them: what was called and came back, its words, with its remarks."""
    found = []
    for turn in turns:
        if turn.speaker == "user":
            continue
        if turn.speaker == "api":
            found.append(TalkTurn(position=0, speaker="api", kind="fact", text=_kept(turn.text)))
            continue
        words, *remarks = map(_kept, partner.shown(turn))
        kind = "call" if turn.text.startswith("api_call") else "words"
        found.append(TalkTurn(position=0, speaker="system", kind=kind, text=words, remarks=tuple(remarks)))
    return found


def keep_opening(
    live: LivePartner, talk_id: str, shown: Sequence[TalkTurn], *, now: Callable[[], int]
) -> Callable[[Connection], None]:
    """Return the action that keeps what a partner says before the first turn, and how to talk with it."""
    setting = TalkSetting(how=live.partner.how_to_talk, card=tuple(live.partner.goal_card()))
    values = {
        "setting": msgspec.to_builtins(setting),
        "opening": msgspec.to_builtins(live.made()),
        "dialogue": msgspec.to_builtins(live.partner.dialogue()),
    }
    over = live.partner.finished

    def action(connection: Connection) -> None:
        talk = find_talk(connection, talk_id)
        if talk is None or not talk.open or talk.setting is not None:
            return
        at = now()
        add_turns(connection, talk_id, 0, shown, now=at)
        connection.execute(update(talks).where(talks.c.id == talk_id).values(**values, trouble="", last_at=at))
        if over:
            end(connection, talk_id, "finished", "system", now=at)

    return action


def keep_reply(
    live: LivePartner, talk_id: str, position: int, shown: Sequence[TalkTurn], *, now: Callable[[], int]
) -> Callable[[Connection], None]:
    """Return the action that keeps a reply to the turn at a position, unless it has one."""
    answers = msgspec.to_builtins(live.made())
    dialogue = msgspec.to_builtins(live.partner.dialogue())
    over = live.partner.finished

    def action(connection: Connection) -> None:
        talk, last = find_talk(connection, talk_id), last_turn(connection, talk_id)
        if talk is None or not talk.open or last is None or last.position != position:
            return
        at = now()
        kept = (talk_turns.c.talk_id == talk_id) & (talk_turns.c.position == position)
        connection.execute(update(talk_turns).where(kept).values(answers=answers))
        said = shown or () if over else shown or [TalkTurn(position=0, speaker="system", text="…")]
        add_turns(connection, talk_id, position + 1, said, now=at)
        connection.execute(update(talks).where(talks.c.id == talk_id).values(dialogue=dialogue, trouble="", last_at=at))
        if over:
            end(connection, talk_id, "finished", "user" if not shown else "system", now=at)

    return action


def _kept(text: str) -> str:
    """Return a system's text as every database takes it."""
    return made_whole(text).replace("\0", "")


def _answers(found: object) -> tuple[Answer, ...] | None:
    return None if found is None else convert(found, tuple[Answer, ...])
