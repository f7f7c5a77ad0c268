"""The audit log: who did what, when, with which object. Written in the transaction of what it tells.

It holds no names and no texts, only ids, so that a person's deletion needs to touch nothing but the person's id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import insert, select, tuple_

from duologue.arena.database.tables import new_id
from duologue.arena.people.tables import audit_log, people
from duologue.core.records import Record

if TYPE_CHECKING:
    from typing import Self

    from sqlalchemy import Connection

_LONGEST_TIME = 16
"""Digits."""


class AuditEntry(Record, frozen=True, kw_only=True):
    """One thing that was done."""

    id: str
    at: int
    """Milliseconds since 1970, UTC."""
    person_id: str | None
    """Who did it; `None`: the command line, or nobody who is known."""
    name: str | None
    action: str
    """Noun and verb, such as `person.add`."""
    about: str
    """The id of what it was done to; empty for none."""
    detail: dict[str, Any]


class AuditPlace(NamedTuple):
    """A place in the log: what was done together has one time, and an order by its ids."""

    at: int
    id: str = ""
    """Of an entry; empty: before all of that time."""

    def __str__(self) -> str:
        return f"{self.at}-{self.id}" if self.id else str(self.at)

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Return the place that a text says, `TIME` or `TIME-ID`; `None` for anything else."""
        time, _, entry = text.partition("-")
        known = time.isascii() and time.isdigit() and len(time) <= _LONGEST_TIME and (not entry or entry.isalnum())
        return cls(int(time), entry) if known else None


def log(connection: Connection, by: str | None, action: str, *, now: int, about: str = "", **detail: Any) -> None:
    """Write what was done by a person (`None`: by the command line). `detail` is JSON, without names and texts."""
    values = {"id": new_id(), "at": now, "person_id": by, "action": action, "about": about, "detail": detail}
    connection.execute(insert(audit_log).values(values))


def audit_entries(
    connection: Connection, *, limit: int = 100, before: AuditPlace | None = None, action: str = "", person_id: str = ""
) -> list[AuditEntry]:
    """Return what was done, the last first; `before` a place, of one action or all that begin so, by one person."""
    query = select(audit_log, people.c.name).select_from(audit_log.outerjoin(people))
    if before is not None:
        query = query.where(tuple_(audit_log.c.at, audit_log.c.id) < tuple_(before.at, before.id))
    if action:
        query = query.where(audit_log.c.action.startswith(action, autoescape=True))
    if person_id:
        query = query.where(audit_log.c.person_id == person_id)
    rows = connection.execute(query.order_by(audit_log.c.at.desc(), audit_log.c.id.desc()).limit(limit))
    return [AuditEntry(**row) for row in rows.mappings()]
