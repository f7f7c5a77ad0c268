"""Open links: one link for many people, with a limit and an end; each who follows it gets an identity of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from duologue.arena.people.audit import log
from duologue.arena.people.links import DAY, LONGEST_DAYS
from duologue.arena.people.secret import id_of, matches
from duologue.arena.people.tables import OPEN_KINDS, open_links
from duologue.core.errors import NotFoundError, UsageError
from duologue.core.records import Record

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.people.secret import EntrySecret

LIMIT = 10_000
"""People that one link may let in, at most."""


_COLUMNS = [column.label("limit") if column is open_links.c.most else column for column in open_links.c]
"""Those of an open link by the names they have here; databases and backups that there are call one of them `most`."""


class OpenLink(Record, frozen=True, kw_only=True):
    """What is kept of an open link."""

    id: str
    kind: str
    """`campaign` or `track`."""
    subject: str
    """The campaign's id, or the track's name."""
    limit: int
    used: int
    made_by: str | None
    created_at: int
    expires_at: int
    revoked_at: int | None

    def valid(self, now: int) -> bool:
        """Whether it still lets somebody in."""
        return self.revoked_at is None and now < self.expires_at and self.used < self.limit


def open_path(secret: EntrySecret) -> str:
    """Return the path of an open link on the site."""
    return f"/join/{secret.text}"


def make_open_link(
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
    """Keep an open link and return its id. Raises `UsageError` for another kind, number or time than there may be."""
    if kind not in OPEN_KINDS:
        raise UsageError(f"an open link leads into a campaign or a track, not into '{kind}'")
    if not 1 <= limit <= LIMIT:
        raise UsageError(f"an open link lets 1 to {LIMIT:,} people in, not {limit}")
    if not 0 < days <= LONGEST_DAYS:
        raise UsageError(f"a link lives more than 0 and at most {LONGEST_DAYS} days, not {days}")
    values = {"id": secret.id, "hash": secret.hash, "kind": kind, "subject": subject, "most": limit, "used": 0}
    values |= {"made_by": by, "created_at": now, "expires_at": now + round(days * DAY)}
    connection.execute(insert(open_links).values(values))
    log(connection, by, "open_link.make", now=now, about=subject, link=secret.id, limit=limit, days=days)
    return secret.id


def find_open_link(connection: Connection, text: str, *, now: int) -> OpenLink | None:
    """Return the link of a secret's text while it lets somebody in."""
    row = connection.execute(select(*_COLUMNS).where(open_links.c.id == id_of(text))).mappings().first()
    kept: dict[str, Any] = {**row} if row is not None else {"hash": ""}
    if not matches(text, kept.pop("hash")) or not kept:
        return None
    found = OpenLink(**kept)
    return found if found.valid(now) else None


def open_links_of(connection: Connection, kind: str, subject: str) -> list[OpenLink]:
    """Return the open links into something, the last first."""
    columns = [one for one in _COLUMNS if one.name != "hash"]
    query = select(*columns).where(open_links.c.kind == kind, open_links.c.subject == subject)
    rows = connection.execute(query.order_by(open_links.c.created_at.desc(), open_links.c.id))
    return [OpenLink(**row) for row in rows.mappings()]


def use_open_link(connection: Connection, link: OpenLink) -> bool:
    """Take one of the places of a link; `False` where none is left."""
    free = (open_links.c.id == link.id) & (open_links.c.used < open_links.c.most) & open_links.c.revoked_at.is_(None)
    return connection.execute(update(open_links).where(free).values(used=open_links.c.used + 1)).rowcount == 1


def revoke_open_link(connection: Connection, link_id: str, *, now: int, by: str | None) -> None:
    """Let nobody new in by a link; who came in by it stays. Raises `NotFoundError` for one that there is not."""
    its = open_links.c.id == link_id
    if connection.execute(select(open_links.c.id).where(its)).first() is None:
        raise NotFoundError(f"there is no open link '{link_id}'")
    connection.execute(update(open_links).where(its, open_links.c.revoked_at.is_(None)).values(revoked_at=now))
    log(connection, by, "open_link.revoke", now=now, about=link_id)
