"""Somebody follows an open link, and becomes a person with a link of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.arena.campaigns.campaign import find_campaign
from duologue.arena.campaigns.invitation import page_of
from duologue.arena.campaigns.volunteers import codes_of, enrol
from duologue.arena.competition.tracks import find_track
from duologue.arena.people.audit import log
from duologue.arena.people.links import VOLUNTEER_DAYS
from duologue.arena.people.newcomer import add_newcomer
from duologue.arena.people.open_links import find_open_link, make_open_link, open_links_of, use_open_link
from duologue.arena.people.people import find_person, set_roles
from duologue.arena.people.sessions import start_session
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.people.open_links import OpenLink
    from duologue.arena.people.secret import EntrySecret

ROLE = {"campaign": "volunteer", "track": "participant"}
"""What people are who come by an open link."""


class OpenDoor(NamedTuple):
    """What an open link leads into."""

    link: OpenLink
    title: str
    title_zh: str
    target: str
    """The page that newcomers come to."""


def open_for_many(
    connection: Connection,
    secret: EntrySecret,
    kind: str,
    subject: str,
    *,
    limit: int,
    days: float,
    now: int,
    by: str | None,
) -> str:
    """Make an open link into a campaign or a track, and return its id.

    Raises `UsageError` for a campaign or track that there is not, and as `make_open_link`.
    """
    subject = _subject(connection, kind, subject)
    return make_open_link(connection, secret, kind, subject, limit=limit, days=days, now=now, by=by)


def open_links_into(connection: Connection, kind: str, word: str) -> list[OpenLink]:
    """Return the open links into a campaign or a track, the last first. Raises `UsageError` where it is not there."""
    return open_links_of(connection, kind, _subject(connection, kind, word))


def door_of(connection: Connection, text: str, *, now: int) -> OpenDoor | None:
    """Return what the secret of an open link leads into, while it lets somebody in."""
    link = find_open_link(connection, text, now=now)
    if link is None:
        return None
    if link.kind == "campaign":
        campaign = find_campaign(connection, link.subject)
        return OpenDoor(link, campaign.title, campaign.settings.title_zh, page_of(campaign)) if campaign.open else None
    track = find_track(connection, link.subject)
    return OpenDoor(link, track.title, track.title_zh, f"/tracks/{track.name}/register")


def join(
    connection: Connection, text: str, own: EntrySecret, session: EntrySecret, *, name: str, now: int
) -> str | None:
    """Add a person who follows an open link, with a link of their own and a session; return where they go.

    `None` where the link lets nobody in any more. Volunteers have no name of their own; of a participant a bad one
    raises `UsageError`, as `add_person`.
    """
    door = door_of(connection, text, now=now)
    if door is None or not use_open_link(connection, door.link):
        return None
    role = ROLE[door.link.kind]
    name = name if role == "participant" else role
    days, target = VOLUNTEER_DAYS, door.target
    person = add_newcomer(connection, own, name, (role,), now=now, by=None, days=days, once=False, target=target)
    _enter(connection, door, person, now)
    start_session(connection, session, person, own.id, now=now)
    return door.target


def join_as(connection: Connection, text: str, person_id: str, *, now: int) -> str | None:
    """Let somebody in who is known already, with the role that it takes; return where they go."""
    door = door_of(connection, text, now=now)
    if door is None:
        return None
    if _is_inside(connection, door, person_id):
        return door.target
    if not use_open_link(connection, door.link):
        return None
    person, role = find_person(connection, person_id), ROLE[door.link.kind]
    if not person.may(role):
        set_roles(connection, person_id, (*person.roles, role), now=now, by=None)
    _enter(connection, door, person_id, now)
    return door.target


def _is_inside(connection: Connection, door: OpenDoor, person_id: str) -> bool:
    if door.link.kind == "track":
        return find_person(connection, person_id).may(ROLE["track"])
    return person_id in codes_of(connection, find_campaign(connection, door.link.subject))


def _enter(connection: Connection, door: OpenDoor, person_id: str, now: int) -> None:
    if door.link.kind == "campaign":
        enrol(connection, find_campaign(connection, door.link.subject), person_id, now)
    log(connection, person_id, "open_link.join", now=now, about=door.link.subject, link=door.link.id)


def _subject(connection: Connection, kind: str, word: str) -> str:
    """Return the whole id of a campaign, or the name of a track, that there is. Raises `UsageError` else."""
    if kind == "campaign":
        return find_campaign(connection, word).id
    if kind == "track":
        return find_track(connection, word).name
    raise UsageError(f"an open link leads into a campaign or a track, not into '{kind}'")
