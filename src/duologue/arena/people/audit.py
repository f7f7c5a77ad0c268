"""The audit log: who did what, when, with which object. Written in the transaction of what it tells.

It holds no names and no texts, only ids, so that a person's deletion needs to touch nothing but the person's id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select

from duologue.arena.database.tables import new_id
from duologue.arena.people.tables import audit_log, people
from duologue.core.records import Record

if TYPE_CHECKING:
    from sqlalchemy import Connection


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


def log(connection: Connection, by: str | None, action: str, *, now: int, about: str = "", **detail: Any) -> None:
    """Write what was done by a person (`None`: by the command line). `detail` is JSON, without names and texts."""
    values = {"id": new_id(), "at": now, "person_id": by, "action": action, "about": about, "detail": detail}
    connection.execute(insert(audit_log).values(values))


def audit_entries(
    connection: Connection, *, limit: int = 100, before: int | None = None, action: str = "", person_id: str = ""
) -> list[AuditEntry]:
    """Return what was done, the last first; `before` a time, of one action or all that begin with it, by one person."""
    query = select(audit_log, people.c.name).select_from(audit_log.outerjoin(people))
    if before is not None:
        query = query.where(audit_log.c.at < before)
    if action:
        query = query.where(audit_log.c.action.startswith(action, autoescape=True))
    if person_id:
        query = query.where(audit_log.c.person_id == person_id)
    rows = connection.execute(query.order_by(audit_log.c.at.desc(), audit_log.c.id.desc()).limit(limit))
    return [AuditEntry(**row) for row in rows.mappings()]
