"""Talks of a person with a system: rows that outlive the site; the engine only answers what stands in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import func, insert, select, update

from duologue.arena.database.tables import milliseconds, new_id
from duologue.arena.talks.rows import record_of
from duologue.arena.talks.scenes import read_scene
from duologue.arena.talks.tables import talk_turns, talks
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.records import Answer, Dialogue, Record, Turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

SHOWS = ("goal", "knowledge", "trace")
"""What a talk may show to whoever talks beside the words."""
LONGEST = 2000
"""Characters of the longest utterance."""
MAX_TURNS = 400
HOURS = 24
"""After so many hours without a word a talk is over."""


class TalkSetting(Record, frozen=True, kw_only=True):
    """What is shown before the first turn."""

    how: str = ""
    card: tuple[str, ...] = ()
    """The goal, a line each."""


class TalkTurn(Record, frozen=True, kw_only=True):
    """One turn as people read it."""

    position: int
    speaker: str
    kind: str = "words"
    """`"words"`, `"call"` of a knowledge base, or a `"fact"` that it returned."""
    text: str
    remarks: tuple[str, ...] = ()
    """The trace, a line each."""
    created_at: int = 0


class Talk(Record, frozen=True, kw_only=True):
    """A talk as it is kept, without its turns."""

    id: str
    kind: str
    task: str
    lang: str
    system: str | None
    settings: tuple[str, ...]
    """Of the system's recipe, as KEY=VALUE."""
    place: str | None
    seed: int | None
    room_id: str | None
    pairing_id: str | None
    scene_id: str | None
    person_id: str
    leader_id: str | None
    shows: tuple[str, ...]
    setting: TalkSetting | None
    opening: tuple[Answer, ...] | None
    dialogue: Dialogue | None
    state: str
    ended_by: str
    trouble: str
    problems: tuple[dict[str, str], ...] | None
    verdict: str
    created_at: int
    last_at: int
    ended_at: int | None

    @property
    def open(self) -> bool:
        """Whether it goes on."""
        return self.state == "open"


def start(
    connection: Connection,
    *,
    task: str,
    system: str,
    settings: Sequence[str] = (),
    scene: str,
    person: str,
    shows: Sequence[str] = (),
    lang: str = "en",
    room: str | None = None,
    now: int | None = None,
) -> str:
    """Begin a talk of a person with a system (a name, a model's folder, a chat endpoint's address); return its id.

    `settings` are those of the system's recipe, as `kept_system` has looked at them; `scene` is a text of `scenes`.
    Raises `UsageError` for a scene that is none, and for what talks do not show.
    """
    seed, place = read_scene(scene)
    for one in shows:
        if one not in SHOWS:
            raise UsageError(f"a talk shows no '{one}'{did_you_mean(one, SHOWS)}")
    now = milliseconds() if now is None else now
    values = {"id": new_id(), "kind": "system", "task": task, "lang": lang, "system": system, "seed": seed}
    values |= {"place": None if place is None else str(place), "person_id": person, "shows": list(shows)}
    values |= {"settings": list(settings), "room_id": room, "state": "open", "created_at": now, "last_at": now}
    connection.execute(insert(talks).values(values))
    return str(values["id"])


def find_talk(connection: Connection, talk_id: str) -> Talk | None:
    """Return a talk; `None` where there is none of that id."""
    row = connection.execute(select(talks).where(talks.c.id == talk_id)).mappings().one_or_none()
    return None if row is None else record_of(row, Talk)


def turns_of(connection: Connection, talk_id: str, *, after: int = -1) -> list[TalkTurn]:
    """Return the turns of a talk whose positions come after one."""
    columns = [one for one in talk_turns.c if one.name not in {"talk_id", "answers"}]
    query = select(*columns).where(talk_turns.c.talk_id == talk_id, talk_turns.c.position > after)
    rows = connection.execute(query.order_by(talk_turns.c.position)).mappings()
    return [record_of(row, TalkTurn) for row in rows]


def say(connection: Connection, talk_id: str, person: str, text: str, *, now: int) -> int:
    """Keep what a person says to a system and return its position.

    Raises `UsageError` where it is not this person's turn, for a talk that is over and for a text that is too long.
    """
    talk = own_talk(connection, talk_id, person)
    last = last_turn(connection, talk_id)
    if talk.setting is None or answer_due(talk, last):
        raise UsageError("the system has not answered yet; wait for its words")
    if len(text) > LONGEST:
        raise UsageError(f"an utterance has at most {LONGEST:,} characters, this one {len(text):,}")
    position = 0 if last is None else last.position + 1
    if position >= MAX_TURNS:
        raise UsageError(f"a talk has at most {MAX_TURNS} turns; end this one")
    add_turns(connection, talk_id, position, [TalkTurn(position=position, speaker="user", text=text)], now=now)
    connection.execute(update(talks).where(talks.c.id == talk_id).values(last_at=now, trouble=""))
    return position


def finish(connection: Connection, talk_id: str, person: str, *, now: int) -> None:
    """End a talk of a person. Raises `UsageError` for one that is over."""
    own_talk(connection, talk_id, person)
    end(connection, talk_id, "finished", "user", now=now)


def end(connection: Connection, talk_id: str, state: str, by: str, *, now: int) -> None:
    """End a talk, as it is told by whom or what."""
    going = (talks.c.id == talk_id) & (talks.c.state == "open")
    connection.execute(update(talks).where(going).values(state=state, ended_by=by, ended_at=now, last_at=now))


def expire(connection: Connection, *, now: int) -> int:
    """End talks with systems in which nothing was said for a day; return how many."""
    old = (talks.c.state == "open") & (talks.c.kind == "system") & (talks.c.last_at < now - HOURS * 3_600_000)
    change = update(talks).where(old).values(state="abandoned", ended_by="time", ended_at=now)
    return connection.execute(change).rowcount


def finished(connection: Connection, talk_id: str) -> Dialogue | None:
    """Return a talk that is over as a dialogue; `None` while it goes on, and where there is none."""
    talk = find_talk(connection, talk_id)
    return None if talk is None or talk.open else dialogue_of(connection, talk)


def dialogue_of(connection: Connection, talk: Talk) -> Dialogue:
    """Return a talk as a dialogue: in the challenge's text, as the system's side keeps it, or as it was typed."""
    meta: dict[str, Any] = {"system": talk.system, "ended_by": talk.ended_by, "talk": talk.id}
    if talk.settings:
        meta["settings"] = list(talk.settings)
    if talk.dialogue is not None:
        return msgspec.structs.replace(talk.dialogue, id=talk.id, meta=talk.dialogue.meta | meta)
    spoken = [one for one in turns_of(connection, talk.id) if one.kind == "words"]
    turns = tuple(Turn(speaker=one.speaker, text=one.text) for one in spoken)
    return Dialogue(id=talk.id, turns=turns, meta=meta)


def list_talks(
    connection: Connection, *, kind: str = "", room: str = "", pairing: str = "", person: str = "", limit: int = 500
) -> list[Talk]:
    """Return talks, the last first: of one kind, room or pairing, or of a person on either side."""
    query = select(talks)
    if kind:
        query = query.where(talks.c.kind == kind)
    if room:
        query = query.where(talks.c.room_id == room)
    if pairing:
        query = query.where(talks.c.pairing_id == pairing)
    if person:
        query = query.where((talks.c.person_id == person) | (talks.c.leader_id == person))
    rows = connection.execute(query.order_by(talks.c.created_at.desc(), talks.c.id).limit(limit)).mappings()
    return [record_of(row, Talk) for row in rows]


def count_turns(connection: Connection, talk_ids: Sequence[str]) -> dict[str, int]:
    """Return how many utterances talks have."""
    query = select(talk_turns.c.talk_id, func.count()).where(
        talk_turns.c.talk_id.in_(talk_ids), talk_turns.c.kind == "words"
    )
    return {row[0]: row[1] for row in connection.execute(query.group_by(talk_turns.c.talk_id))}


def count_talks(connection: Connection, *, room: str) -> dict[str, int]:
    """Return how many talks of a room are open, finished and abandoned."""
    query = select(talks.c.state, func.count()).where(talks.c.room_id == room).group_by(talks.c.state)
    found = {row[0]: row[1] for row in connection.execute(query)}
    return {state: found.get(state, 0) for state in ("open", "finished", "abandoned")}


def own_talk(connection: Connection, talk_id: str, person: str) -> Talk:
    """Return a talk that goes on and that a person takes part in. Raises `UsageError` for another."""
    talk = find_talk(connection, talk_id)
    if talk is None or person not in {talk.person_id, talk.leader_id}:
        raise UsageError(f"there is no talk '{talk_id}' of yours")
    if not talk.open:
        raise UsageError("this talk is over")
    return talk


def last_turn(connection: Connection, talk_id: str) -> TalkTurn | None:
    """Return the last turn of a talk."""
    at = select(func.max(talk_turns.c.position)).where(talk_turns.c.talk_id == talk_id).scalar_subquery()
    columns = [one for one in talk_turns.c if one.name not in {"talk_id", "answers"}]
    query = select(*columns).where(talk_turns.c.talk_id == talk_id, talk_turns.c.position == at)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else record_of(row, TalkTurn)


def answer_due(talk: Talk, last: TalkTurn | None) -> bool:
    """Whether the system is to say something: before the first turn, and after each of the person's."""
    return (
        talk.open and talk.kind == "system" and (talk.setting is None or (last is not None and last.speaker == "user"))
    )


def add_turns(connection: Connection, talk_id: str, position: int, turns: Sequence[TalkTurn], *, now: int) -> None:
    """Keep turns from a position on."""
    rows = [
        msgspec.to_builtins(one) | {"talk_id": talk_id, "position": position + at, "created_at": now}
        for at, one in enumerate(turns)
    ]
    if rows:
        connection.execute(insert(talk_turns), rows)
