"""Links by which people come in: one for each person, used once (staff) or as often as its time allows (volunteers)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from duologue.arena.people.audit import log
from duologue.arena.people.people import find_person
from duologue.arena.people.secret import id_of, matches
from duologue.arena.people.sessions import start_session
from duologue.arena.people.tables import people, sign_in_links, sign_in_sessions
from duologue.core.errors import UsageError
from duologue.core.records import Record

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.people.secret import EntrySecret

DAY = 24 * 60 * 60 * 1000
"""Milliseconds."""
LONGEST_DAYS = 366
VOLUNTEER_DAYS = 60
"""How long the link of a volunteer lives unless an organiser says otherwise."""
_LOCAL = re.compile(r"/(?![/\\])[^\x00-\x20\\\x7f]{0,1000}")


class SignInLink(Record, frozen=True, kw_only=True):
    """What is kept of a link."""

    id: str
    person_id: str
    once: bool
    """Whether it lets in one time only."""
    target: str
    """The path that it leads to."""
    created_at: int
    expires_at: int
    used_at: int | None
    revoked_at: int | None

    def valid(self, now: int) -> bool:
        """Whether it still lets somebody in."""
        return self.revoked_at is None and now < self.expires_at and not (self.once and self.used_at is not None)


def path_of(secret: EntrySecret) -> str:
    """Return the path of a link on the site."""
    return f"/enter/{secret.text}"


def is_local(path: str) -> bool:
    """Whether a path leads to this very site, whatever a browser makes of it."""
    return _LOCAL.fullmatch(path) is not None


def make_link(
    connection: Connection,
    secret: EntrySecret,
    person_id: str,
    *,
    now: int,
    by: str | None,
    days: float = 7,
    once: bool = True,
    target: str = "/",
) -> str:
    """Keep a link for a person and return its id; whoever opens `path_of(secret)` is that person.

    `secret` is made outside of the transaction (`new_secret`), so that its text is stored nowhere. Raises `UsageError`
    for an unknown person, a time out of range, and a target that is no path of the site.
    """
    if not 0 < days <= LONGEST_DAYS:
        raise UsageError(f"a link lives more than 0 and at most {LONGEST_DAYS} days, not {days}")
    if not is_local(target):
        raise UsageError(f"'{target}' is no path of the site, such as /campaigns")
    find_person(connection, person_id)
    values = {"id": secret.id, "person_id": person_id, "hash": secret.hash, "once": once, "target": target}
    values |= {"created_at": now, "expires_at": now + round(days * DAY)}
    connection.execute(insert(sign_in_links).values(values))
    log(connection, by, "link.make", now=now, about=person_id, link=secret.id, once=once, days=days)
    return secret.id


def find_link(connection: Connection, text: str, *, now: int) -> SignInLink | None:
    """Return the link of a secret's text while it lets somebody in; looking at it does not use it."""
    query = select(sign_in_links, people.c.closed_at).join(people).where(sign_in_links.c.id == id_of(text))
    row = connection.execute(query).mappings().first()
    kept: dict[str, Any] = {**row} if row is not None else {"hash": "", "closed_at": 0}
    if not matches(text, kept.pop("hash")) or kept.pop("closed_at") is not None:
        return None
    found = SignInLink(**kept)
    return found if found.valid(now) else None


def follow_link(connection: Connection, text: str, session: EntrySecret, *, now: int) -> str | None:
    """Begin a session by a link; return the path that it leads to, `None` where it lets nobody in."""
    link = find_link(connection, text, now=now)
    if link is None:
        return None
    connection.execute(update(sign_in_links).where(sign_in_links.c.id == link.id).values(used_at=now))
    start_session(connection, session, link.person_id, link.id, now=now)
    log(connection, link.person_id, "session.start", now=now, about=session.id, link=link.id)
    return link.target


def links_of(connection: Connection, person_id: str) -> list[SignInLink]:
    """Return the links of a person, the last first."""
    columns = [one for one in sign_in_links.c if one.name != "hash"]
    query = select(*columns).where(sign_in_links.c.person_id == person_id)
    rows = connection.execute(query.order_by(sign_in_links.c.created_at.desc(), sign_in_links.c.id))
    return [SignInLink(**row) for row in rows.mappings()]


def revoke_link(connection: Connection, link_id: str, *, now: int, by: str | None) -> None:
    """Let nobody in by a link any more, and end the sessions that began with it."""
    unrevoked = (sign_in_links.c.id == link_id) & sign_in_links.c.revoked_at.is_(None)
    connection.execute(update(sign_in_links).where(unrevoked).values(revoked_at=now))
    begun = (sign_in_sessions.c.link_id == link_id) & sign_in_sessions.c.ended_at.is_(None)
    connection.execute(update(sign_in_sessions).where(begun).values(ended_at=now))
    log(connection, by, "link.revoke", now=now, about=link_id)
