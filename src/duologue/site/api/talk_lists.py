"""Rooms and campaigns of pairs over the API, for organisers: opened, watched, judged, written out, closed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta
from starlette.concurrency import run_in_threadpool

from duologue.arena.talks import pairs, rooms, sessions
from duologue.arena.talks.offers import talk_offers
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.records import Record
from duologue.run.partners import conversable, kept_system
from duologue.site.api.operation import Operation
from duologue.site.pages.talk_lists import STAFF, export, find_list

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.site.api.operation import OperationCall


class NewRoom(Record, frozen=True, kw_only=True):
    """A room with a system that the site offers."""

    task: str
    system: str
    title: Annotated[str, Meta(min_length=1, max_length=100)]
    settings: tuple[str, ...] = ()
    """Of the system's recipe, as KEY=VALUE; what could start a program or call a server, a command alone gives."""
    shows: tuple[str, ...] = ()
    """What who talks sees beside the words: `goal`, `knowledge`, `trace`."""


class ListedRoom(Record, frozen=True, kw_only=True):
    """A room with its talks."""

    id: str
    title: str
    task: str
    system: str
    settings: tuple[str, ...]
    """Of the system's recipe, as KEY=VALUE."""
    state: str
    talks: dict[str, int]
    """How many are open, finished and abandoned."""


class ListedPairing(Record, frozen=True, kw_only=True):
    """A campaign of pairs with its goals."""

    id: str
    title: str
    task: str
    state: str
    scenes: dict[str, int]
    """How many are free, taken and done."""


class TalkPlaces(Record, frozen=True, kw_only=True):
    """Where people talk, and with what a room can be opened."""

    rooms: list[ListedRoom]
    pairs: list[ListedPairing]
    offers: list[dict[str, str]]


class WatchedTalk(Record, frozen=True, kw_only=True):
    """A talk as its organiser sees it."""

    id: str
    state: str
    verdict: str
    """Of a finished dialogue of two people `accepted` or `rejected`; else empty."""
    problems: list[dict[str, Any]]
    utterances: int
    created_at: int


class TalkVerdict(Record, frozen=True, kw_only=True):
    """What an organiser decides on a dialogue of two people."""

    verdict: Literal["accepted", "rejected"]


def operations() -> list[Operation]:
    """Return the operations."""
    ours = partial(Operation, roles=STAFF)
    one = "/talk-lists/{kind}/{id}"
    talks = list[WatchedTalk]
    return [
        ours("GET", "/talk-lists", "Rooms, campaigns of pairs, and what can be opened", everything, gives=TalkPlaces),
        ours("POST", "/talk-lists/rooms", "Open a room", open_room, takes=NewRoom, gives=TalkPlaces),
        ours("GET", one, "The talks of a room (`rooms`) or of a campaign of pairs (`pairs`)", watch, gives=talks),
        ours("GET", f"{one}/export", "The dialogues as a file", export),
        ours("POST", f"{one}/close", "Let nothing begin any more", close, gives=TalkPlaces),
        ours(
            "POST", "/talk-lists/talks/{id}/verdict", "Accept or reject a dialogue of two people", judge,
            takes=TalkVerdict, gives=TalkVerdict,
        ),
    ]  # fmt: skip


async def everything(call: OperationCall) -> TalkPlaces:
    """Return all rooms and campaigns of pairs."""
    offers = await run_in_threadpool(talk_offers, call.site.settings.workspace)

    def read(connection: Connection) -> TalkPlaces:
        return TalkPlaces(
            rooms=[
                ListedRoom(
                    id=one.id, title=one.title, task=one.task, system=one.system, settings=one.settings,
                    state=one.state, talks=sessions.count_talks(connection, room=one.id),
                )
                for one in rooms.list_rooms(connection)
            ],
            pairs=[
                ListedPairing(
                    id=one.id, title=one.title, task=one.task, state=one.state,
                    scenes=pairs.scene_counts(connection, one.id),
                )
                for one in pairs.list_pairings(connection)
            ],
            offers=[one._asdict() for one in offers],
        )  # fmt: skip

    return await call.read(read)


async def open_room(call: OperationCall) -> TalkPlaces:
    """Open a room with a system that is there."""
    wanted: NewRoom = call.body
    offers = await run_in_threadpool(talk_offers, call.site.settings.workspace)
    if (wanted.task, wanted.system) not in offers:
        known = [one.system for one in offers if one.task == wanted.task]
        raise UsageError(
            f"the site offers no system '{wanted.system}' of '{wanted.task}'{did_you_mean(wanted.system, known)}"
        )
    if wanted.settings:
        task = conversable(wanted.task)
        await run_in_threadpool(kept_system, task, wanted.system, None, wanted.settings, by_hand=False)
    now, me = call.now, call.me.id
    await call.write(
        lambda connection: rooms.open_room(
            connection, title=wanted.title, task=wanted.task, system=wanted.system, settings=wanted.settings,
            shows=wanted.shows, now=now, by=me,
        )
    )  # fmt: skip
    return await everything(call)


async def watch(call: OperationCall) -> list[WatchedTalk]:
    """Return the talks of a room or a campaign of pairs, the last first."""
    place = await find_list(call)
    is_room = isinstance(place, rooms.SystemRoom)

    def read(connection: Connection) -> list[WatchedTalk]:
        found = sessions.list_talks(connection, room=place.id * is_room, pairing=place.id * (not is_room))
        counts = sessions.count_turns(connection, [one.id for one in found])
        return [
            WatchedTalk(
                id=one.id, state=one.state, verdict=one.verdict, problems=list(one.problems or ()),
                utterances=counts.get(one.id, 0), created_at=one.created_at,
            )
            for one in found
        ]  # fmt: skip

    return await call.read(read)


async def close(call: OperationCall) -> TalkPlaces:
    """Let nothing begin any more."""
    place, now, me = await find_list(call), call.now, call.me.id
    shut = rooms.close_room if isinstance(place, rooms.SystemRoom) else pairs.close_pairing
    await call.write(lambda connection: shut(connection, place.id, now=now, by=me))
    return await everything(call)


async def judge(call: OperationCall) -> TalkVerdict:
    """Accept or reject a dialogue by hand."""
    talk, verdict, now, me = call.at("id"), call.body.verdict, call.now, call.me.id
    await call.write(lambda connection: pairs.judge(connection, talk, verdict, now=now, by=me))
    return TalkVerdict(verdict=verdict)
