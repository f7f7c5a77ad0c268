"""Sessions: a browser that somebody has come in with."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, insert, update

from duologue.arena.people.audit import log
from duologue.arena.people.people import persons_of, with_roles
from duologue.arena.people.secret import id_of, matches
from duologue.arena.people.tables import people, sign_in_sessions

if TYPE_CHECKING:
    from sqlalchemy import Connection, Select

    from duologue.arena.people.people import Person
    from duologue.arena.people.secret import EntrySecret

SESSION_DAYS = 30
_LENGTH = SESSION_DAYS * 24 * 60 * 60 * 1000


def start_session(connection: Connection, secret: EntrySecret, person_id: str, link_id: str, *, now: int) -> None:
    """Begin a session; its secret goes into the cookie."""
    values = {"id": secret.id, "person_id": person_id, "link_id": link_id, "hash": secret.hash}
    connection.execute(insert(sign_in_sessions).values(**values, created_at=now, expires_at=now + _LENGTH))


def person_of_session(connection: Connection, text: str, *, now: int) -> Person | None:
    """Return whose session a secret's text is, `None` where it is nobody's, or over."""
    rows = connection.execute(_of_session(), {"session": id_of(text), "now": now}).all()
    return persons_of(rows)[0] if rows and matches(text, rows[0].hash) else None


@cache
def _of_session() -> Select[Any]:
    """Return the query for whose session it is, made once: every request asks it."""
    sessions = sign_in_sessions
    query = with_roles(sessions.c.hash).join(sessions, sessions.c.person_id == people.c.id)
    going = sessions.c.ended_at.is_(None) & (sessions.c.expires_at > bindparam("now"))
    return query.where(sessions.c.id == bindparam("session"), going, people.c.closed_at.is_(None))


def end_session(connection: Connection, text: str, person: Person, *, now: int) -> None:
    """End the session of a secret's text."""
    own = (sign_in_sessions.c.id == id_of(text)) & (sign_in_sessions.c.person_id == person.id)
    connection.execute(update(sign_in_sessions).where(own).values(ended_at=now))
    log(connection, person.id, "session.end", now=now, about=id_of(text))


def end_sessions(connection: Connection, person_id: str, *, now: int, by: str | None) -> None:
    """End all sessions of a person."""
    still = (sign_in_sessions.c.person_id == person_id) & sign_in_sessions.c.ended_at.is_(None)
    connection.execute(update(sign_in_sessions).where(still).values(ended_at=now))
    log(connection, by, "session.end-all", now=now, about=person_id)
