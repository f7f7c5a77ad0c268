"""Talks over the API: rooms, and a person's own talks in them, turn by turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta
from starlette.concurrency import run_in_threadpool

from duologue.arena.talks import rooms, sessions
from duologue.core.records import Record
from duologue.site.api.operation import Operation
from duologue.site.page_error import not_found
from duologue.site.talk_engine import engine_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.site.api.operation import OperationCall


class OpenRoom(Record, frozen=True, kw_only=True):
    """A room in which a talk can begin."""

    id: str
    title: str


class BegunTalk(Record, frozen=True, kw_only=True):
    """A talk that has begun."""

    id: str


class ListedTalk(Record, frozen=True, kw_only=True):
    """One of one's own talks."""

    id: str
    state: str
    created_at: int


class SaidText(Record, frozen=True, kw_only=True):
    """What a person says."""

    text: Annotated[str, Meta(max_length=sessions.LONGEST)]


class SaidTurn(Record, frozen=True, kw_only=True):
    """What was said by whom."""

    speaker: str
    text: str


class OwnTalk(Record, frozen=True, kw_only=True):
    """One's own talk with a system."""

    id: str
    state: str
    due: bool
    """Whether the system is to say something; ask again in a while."""
    trouble: str
    """`slow` or `failed` where it does not; what failed may name the system, which nobody who talks is told."""
    turns: tuple[SaidTurn, ...]


def operations() -> list[Operation]:
    """Return the operations."""
    return [
        Operation("GET", "/rooms", "Rooms in which one can talk with a system", open_rooms, gives=list[OpenRoom]),
        Operation("POST", "/rooms/{id}/talks", "Begin a talk, or go on with the one there", begin, gives=BegunTalk),
        Operation("GET", "/talks", "One's own talks with systems, the last first", mine, gives=list[ListedTalk]),
        Operation("GET", "/talks/{id}", "One's own talk with its turns", show, gives=OwnTalk),
        Operation("POST", "/talks/{id}/turns", "Say something", say, takes=SaidText, gives=OwnTalk),
        Operation("POST", "/talks/{id}/end", "End a talk", end, gives=OwnTalk),
        Operation("POST", "/talks/{id}/again", "Ask a system again that has failed", ask_again, gives=OwnTalk),
    ]


async def open_rooms(call: OperationCall) -> list[OpenRoom]:
    """Return the rooms that are open."""
    found = await call.read(rooms.list_rooms, closed=False)
    return [OpenRoom(id=one.id, title=one.title) for one in found]


async def begin(call: OperationCall) -> BegunTalk:
    """Begin a talk in a room."""
    room, me, lang, now = call.at("id"), call.me.id, call.language, call.now
    talk = await call.write(lambda connection: rooms.enter_room(connection, room, me, lang=lang, now=now))
    return BegunTalk(id=talk)


async def mine(call: OperationCall) -> list[ListedTalk]:
    """Return the caller's talks with systems."""
    found = await call.read(sessions.list_talks, kind="system", person=call.me.id, limit=50)
    return [ListedTalk(id=one.id, state=one.state, created_at=one.created_at) for one in found]


async def ask_again(call: OperationCall) -> OwnTalk:
    """Ask a system again."""
    talk = await _own(call)
    await run_in_threadpool(engine_of(call.site).answer, talk.id)
    return await show(call)


async def show(call: OperationCall) -> OwnTalk:
    """Return a talk, and see to it that its system answers; one that has failed is asked by `ask_again` alone."""
    found = await _own(call)
    if found.due and not found.trouble:
        await run_in_threadpool(engine_of(call.site).answer, found.id)
    return found


async def _own(call: OperationCall) -> OwnTalk:
    """Return one's own talk with a system. Raises `PageError` for another, and for one with a person."""

    def read(connection: Connection) -> OwnTalk | None:
        talk = sessions.find_talk(connection, call.at("id"))
        if talk is None or talk.person_id != call.me.id or talk.kind != "system":
            return None
        turns = sessions.turns_of(connection, talk.id)
        return OwnTalk(
            id=talk.id,
            state=talk.state,
            due=sessions.answer_due(talk, turns[-1] if turns else None),
            trouble=talk.trouble.partition(":")[0],
            turns=tuple(SaidTurn(speaker=one.speaker, text=one.text) for one in turns if one.kind == "words"),
        )

    found = await call.read(read)
    if found is None:
        raise not_found()
    return found


async def say(call: OperationCall) -> OwnTalk:
    """Say something; the answer is in the talk when it is there."""
    said: SaidText = call.body
    await _own(call)
    talk, me, now = call.at("id"), call.me.id, call.now
    await call.write(lambda connection: sessions.say(connection, talk, me, said.text.replace("\0", ""), now=now))
    return await show(call)


async def end(call: OperationCall) -> OwnTalk:
    """End a talk."""
    await _own(call)
    talk, me, now = call.at("id"), call.me.id, call.now
    await call.write(lambda connection: sessions.finish(connection, talk, me, now=now))
    return await show(call)
