"""Rooms: systems that an organiser lets people talk with, without telling them which."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import func, insert, select, update

from duologue.arena.database.tables import new_id
from duologue.arena.people.audit import log
from duologue.arena.talks.rows import record_of
from duologue.arena.talks.scenes import TalkScene
from duologue.arena.talks.sessions import SHOWS, expire, start
from duologue.arena.talks.tables import talk_rooms, talks
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection


class SystemRoom(Record, frozen=True, kw_only=True):
    """A system of a task, where its talks are set, and what they show."""

    id: str
    title: str
    task: str
    system: str
    settings: tuple[str, ...]
    """What its recipe is given, as KEY=VALUE."""
    place: str | None
    seed: int
    shows: tuple[str, ...]
    state: str
    created_at: int

    @property
    def partner(self) -> str:
        """Whom one talks with here: the system and its settings."""
        return " ".join((self.system, *self.settings))


def open_room(
    connection: Connection,
    *,
    title: str,
    task: str,
    system: str,
    settings: Sequence[str] = (),
    place: Path | None = None,
    seed: int = 1,
    shows: Sequence[str] = (),
    now: int,
    by: str | None = None,
) -> str:
    """Open a room, log who did, and return its id; each talk in it is set in what the next seed draws.

    Raises `UsageError` for something that no talk shows.
    """
    for one in shows:
        if one not in SHOWS:
            raise UsageError(f"a talk shows no '{one}'{did_you_mean(one, SHOWS)}")
    values = {"id": new_id(), "title": title, "task": task, "system": system, "seed": seed, "shows": list(shows)}
    values |= {
        "settings": list(settings),
        "place": None if place is None else str(place),
        "state": "open",
        "created_at": now,
    }
    connection.execute(insert(talk_rooms).values(values))
    log(connection, by, "room.open", now=now, about=str(values["id"]))
    return str(values["id"])


def find_room(connection: Connection, room_id: str) -> SystemRoom | None:
    """Return a room; `None` where there is none of that id."""
    row = connection.execute(select(talk_rooms).where(talk_rooms.c.id == room_id)).mappings().one_or_none()
    return None if row is None else record_of(row, SystemRoom)


def list_rooms(connection: Connection, *, closed: bool = True) -> list[SystemRoom]:
    """Return the rooms, the last first; `closed`: those too in which no talk begins any more."""
    query = select(talk_rooms)
    if not closed:
        query = query.where(talk_rooms.c.state == "open")
    rows = connection.execute(query.order_by(talk_rooms.c.created_at.desc(), talk_rooms.c.id)).mappings()
    return [record_of(row, SystemRoom) for row in rows]


def close_room(connection: Connection, room_id: str, *, now: int, by: str | None = None) -> None:
    """Let no talk begin in a room any more, and log who did."""
    connection.execute(update(talk_rooms).where(talk_rooms.c.id == room_id).values(state="closed"))
    log(connection, by, "talks.close", now=now, about=room_id)


def enter_room(connection: Connection, room_id: str, person: str, *, lang: str, now: int) -> str:
    """Begin a talk of somebody in a room and return its id, or that of the one that goes on there.

    Raises `UsageError` for a room that there is not, or that is closed.
    """
    room = find_room(connection, room_id)
    if room is None or room.state != "open":
        raise UsageError("this room is closed")
    expire(connection, now=now)
    mine = (talks.c.room_id == room_id) & (talks.c.person_id == person)
    going = connection.execute(select(talks.c.id).where(mine, talks.c.state == "open").limit(1)).scalar_one_or_none()
    if going is not None:
        return str(going)
    before = connection.execute(select(func.count()).select_from(talks).where(talks.c.room_id == room_id)).scalar_one()
    scene = TalkScene(room.seed + before, None if room.place is None else Path(room.place))
    return start(
        connection,
        task=room.task,
        system=room.system,
        settings=room.settings,
        scene=str(scene),
        person=person,
        shows=room.shows,
        lang=lang,
        room=room.id,
        now=now,
    )
