"""Invitations: a person, a place among the campaign's volunteers, and a link that leads there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.arena.campaigns.volunteers import enrol
from duologue.arena.people.links import VOLUNTEER_DAYS, make_link, path_of
from duologue.arena.people.people import add_person, find_person
from duologue.arena.people.secret import new_secret

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.database.database import Database
    from duologue.arena.people.secret import EntrySecret


class Invitation(NamedTuple):
    """A volunteer who may come in."""

    code: str
    path: str
    """Of the link, on the site; told once."""


def page_of(campaign: Campaign) -> str:
    """Return the path of the volunteers' page."""
    return f"/rate/{campaign.id}"


def invite(
    database: Database, campaign: Campaign, n: int, *, days: float = VOLUNTEER_DAYS, by: str | None
) -> tuple[Invitation, ...]:
    """Add `n` volunteers and return a link for each. Raises `UsageError` for a closed campaign."""
    secrets = [new_secret() for _ in range(n)]
    now = database.now()
    codes = database.write(lambda c: [invite_one(c, campaign, one, days=days, now=now, by=by) for one in secrets])
    return tuple(Invitation(code, path_of(one)) for code, one in zip(codes, secrets, strict=True))


def invite_person(
    database: Database, campaign: Campaign, person: str, *, days: float = VOLUNTEER_DAYS, by: str | None
) -> Invitation:
    """Let a person who is there already rate too, and return a link of theirs into the campaign, good for one time.

    Raises `UsageError` for a closed campaign, and for a person who is not there.
    """
    secret, now = new_secret(), database.now()

    def action(connection: Connection) -> str:
        find_person(connection, person)
        code = enrol(connection, campaign, person, now)
        make_link(connection, secret, person, now=now, by=by, days=days, once=True, target=page_of(campaign))
        return code

    return Invitation(database.write(action), path_of(secret))


def invite_one(
    connection: Connection, campaign: Campaign, secret: EntrySecret, *, days: float, now: int, by: str | None
) -> str:
    """Add one volunteer with the link of a secret, and return the code."""
    person = add_person(connection, "volunteer", ("volunteer",), now=now, by=by)
    code = enrol(connection, campaign, person, now)
    make_link(connection, secret, person, now=now, by=by, days=days, once=False, target=page_of(campaign))
    return code
