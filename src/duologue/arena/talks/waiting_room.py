"""The waiting room of a pairing: who waits, who fits whom, and what two people have not talked about yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, insert, or_, select, update

from duologue.arena.talks.tables import pairing_people, pairing_scenes, talks

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection


def on_either_side(person: str) -> ColumnElement[bool]:
    """Return the condition that somebody takes part in a talk."""
    return or_(talks.c.person_id == person, talks.c.leader_id == person)


def times_led(connection: Connection, pairing_id: str, person: str) -> int:
    """Return how many dialogues somebody has led."""
    led = (talks.c.pairing_id == pairing_id) & (talks.c.leader_id == person)
    return int(connection.execute(select(func.count()).select_from(talks).where(led)).scalar_one())


def stand(
    connection: Connection, pairing_id: str, person: str, state: str, *, now: int, since: int | None = None
) -> None:
    """Note where somebody stands and that they were seen; `since` when they began to wait."""
    mine = (pairing_people.c.pairing_id == pairing_id) & (pairing_people.c.person_id == person)
    values = {"state": state, "seen_at": now} | ({} if since is None else {"waiting_since": since})
    if not connection.execute(update(pairing_people).where(mine).values(values)).rowcount:
        values = {"waiting_since": now} | values
        connection.execute(insert(pairing_people).values(pairing_id=pairing_id, person_id=person, **values))


def partner_for(connection: Connection, pairing_id: str, person: str, *, seen: int) -> str | None:
    """Return who waits and has something to talk about with somebody: who met them least, then who waits longest.

    `seen`: those who were last seen before this time are not there any more.
    """
    waiting = select(pairing_people.c.person_id).where(
        pairing_people.c.pairing_id == pairing_id,
        pairing_people.c.state == "waiting",
        pairing_people.c.person_id != person,
        pairing_people.c.seen_at >= seen,
    )
    waiting = waiting.order_by(pairing_people.c.waiting_since, pairing_people.c.person_id)
    found = connection.execute(waiting).scalars().all()
    met = {one: _times_met(connection, pairing_id, person, one) for one in found}
    ready = [one for one in sorted(found, key=lambda one: met[one]) if free_scene(connection, pairing_id, person, one)]
    return ready[0] if ready else None


def _times_met(connection: Connection, pairing_id: str, one: str, other: str) -> int:
    both = or_(
        (talks.c.person_id == one) & (talks.c.leader_id == other),
        (talks.c.person_id == other) & (talks.c.leader_id == one),
    )
    query = select(func.count()).select_from(talks).where(talks.c.pairing_id == pairing_id, both)
    return int(connection.execute(query).scalar_one())


def free_scene(connection: Connection, pairing_id: str, one: str, other: str) -> str | None:
    """Return the first free scene that neither of two people has talked about."""
    seen = select(talks.c.scene_id).where(
        talks.c.pairing_id == pairing_id, or_(on_either_side(one), on_either_side(other))
    )
    query = select(pairing_scenes.c.id).where(
        pairing_scenes.c.pairing_id == pairing_id,
        pairing_scenes.c.state == "free",
        pairing_scenes.c.id.not_in(seen),
    )
    return connection.execute(query.order_by(pairing_scenes.c.position).limit(1)).scalar_one_or_none()
