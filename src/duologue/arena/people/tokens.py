"""Tokens by which a person's programs ask the site's API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update

from duologue.arena.people.audit import log
from duologue.arena.people.links import DAY, LONGEST_DAYS
from duologue.arena.people.people import find_person, persons_of, with_roles
from duologue.arena.people.secret import id_of, matches
from duologue.arena.people.tables import access_tokens, people
from duologue.core.errors import NotFoundError, UsageError
from duologue.core.records import Record

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.people.people import Person
    from duologue.arena.people.secret import EntrySecret

_LONGEST_LABEL = 60


class AccessToken(Record, frozen=True, kw_only=True):
    """What is kept of a token."""

    id: str
    person_id: str
    label: str
    """What its owner calls it."""
    created_at: int
    expires_at: int
    revoked_at: int | None


def make_token(
    connection: Connection,
    secret: EntrySecret,
    person_id: str,
    label: str,
    *,
    now: int,
    by: str | None,
    days: float = 90,
) -> str:
    """Keep a token of a person and return its id. Raises `UsageError` for a bad label and a time out of range."""
    if not 0 < days <= LONGEST_DAYS:
        raise UsageError(f"a token lives more than 0 and at most {LONGEST_DAYS} days, not {days}")
    label = " ".join(label.split())
    if not label or len(label) > _LONGEST_LABEL or not label.isprintable():
        raise UsageError(f"a token's label has 1 to {_LONGEST_LABEL} printable characters")
    find_person(connection, person_id)
    values = {"id": secret.id, "person_id": person_id, "hash": secret.hash, "label": label, "created_at": now}
    connection.execute(insert(access_tokens).values(**values, expires_at=now + round(days * DAY)))
    log(connection, by, "token.make", now=now, about=secret.id, days=days)
    return secret.id


def person_of_token(connection: Connection, text: str, *, now: int) -> Person | None:
    """Return whose token a text is, `None` where it is nobody's, or lets nobody in any more."""
    tokens = access_tokens
    query = with_roles(tokens.c.hash).join(tokens, tokens.c.person_id == people.c.id)
    query = query.where(tokens.c.id == id_of(text), tokens.c.revoked_at.is_(None), tokens.c.expires_at > now)
    rows = connection.execute(query.where(people.c.closed_at.is_(None))).all()
    return persons_of(rows)[0] if rows and matches(text, rows[0].hash) else None


def tokens_of(connection: Connection, person_id: str) -> list[AccessToken]:
    """Return the tokens of a person, the last first."""
    columns = [one for one in access_tokens.c if one.name != "hash"]
    query = select(*columns).where(access_tokens.c.person_id == person_id)
    rows = connection.execute(query.order_by(access_tokens.c.created_at.desc(), access_tokens.c.id))
    return [AccessToken(**row) for row in rows.mappings()]


def revoke_token(connection: Connection, token_id: str, person_id: str, *, now: int, by: str | None) -> None:
    """Make a token of a person worthless. Raises `UsageError` where the person has none of that id."""
    own = (access_tokens.c.id == token_id) & (access_tokens.c.person_id == person_id)
    if not connection.execute(update(access_tokens).where(own).values(revoked_at=now)).rowcount:
        raise NotFoundError(f"there is no token '{token_id}' of this person")
    log(connection, by, "token.revoke", now=now, about=token_id)
