"""Somebody new, with the link that lets them in: one step, so that nobody is added whom no link lets in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.people.links import make_link
from duologue.arena.people.people import add_person, list_people
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection

    from duologue.arena.people.secret import EntrySecret


def add_newcomer(
    connection: Connection,
    secret: EntrySecret,
    name: str,
    roles: Collection[str],
    *,
    now: int,
    by: str | None,
    days: float,
    once: bool,
    person_id: str | None = None,
    target: str = "/",
) -> str:
    """Add a person with a link, and return the person's id; see `add_person` and `make_link`."""
    added = add_person(connection, name, roles, now=now, by=by, person_id=person_id)
    make_link(connection, secret, added, now=now, by=by, days=days, once=once, target=target)
    return added


def add_first_admin(connection: Connection, secret: EntrySecret, name: str, *, now: int) -> str:
    """Add the first admin, with a link for one day, and return the id. Raises `UsageError` where there is one."""
    admins = list_people(connection, "admin", closed=False)
    if admins:
        raise UsageError(
            f"there is an admin already, {admins[0].name}; "
            f"`duologue site people link {admins[0].id}` makes another link"
        )
    return add_newcomer(connection, secret, name, ["admin"], now=now, by=None, days=1, once=True)
