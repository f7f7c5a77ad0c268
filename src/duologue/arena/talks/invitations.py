"""Links for volunteers: one person for each, who comes to a room or a campaign of pairs with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.arena.people.links import make_link, path_of
from duologue.arena.people.people import add_person
from duologue.arena.people.secret import new_secret
from duologue.arena.talks.pairs import Pairing, list_pairings
from duologue.arena.talks.rooms import SystemRoom, list_rooms
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.database.database import Database


class InvitationLink(NamedTuple):
    """What one volunteer is given."""

    name: str
    path: str
    """Of the link on the site; it is told once."""


def find_place(connection: Connection, word: str) -> SystemRoom | Pairing:
    """Return the room or the campaign of pairs whose id begins so. Raises `UsageError` for none and for several."""
    places: list[SystemRoom | Pairing] = [*list_rooms(connection), *list_pairings(connection)]
    found = [one for one in places if word and one.id.startswith(word)]
    if len(found) != 1:
        what = "several rooms and campaigns of pairs begin" if found else "no room or campaign of pairs begins"
        raise UsageError(f"{what} with '{word}'; `duologue talk status` shows them")
    return found[0]


def invite(
    database: Database, place: SystemRoom | Pairing, n: int, *, days: float, by: str | None
) -> list[InvitationLink]:
    """Add `n` volunteers and return their links, which let them in as often as they like for so many days."""
    secrets = [new_secret() for _ in range(n)]
    target = f"/{'pairs' if isinstance(place, Pairing) else 'talks/rooms'}/{place.id}"

    def action(connection: Connection) -> list[str]:
        names = [f"Volunteer {secret.id[:6]}" for secret in secrets]
        for name, secret in zip(names, secrets, strict=True):
            person = add_person(connection, name, ["volunteer"], now=database.now(), by=by)
            now = database.now()
            make_link(connection, secret, person, now=now, by=by, days=days, once=False, target=target)
        return names

    return [InvitationLink(name, path_of(secret)) for name, secret in zip(database.write(action), secrets, strict=True)]
