"""People and their roles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, insert, select, update

from duologue.arena.database.tables import new_id
from duologue.arena.people.audit import log
from duologue.arena.people.tables import LANGUAGES, ROLES, people, person_roles, sign_in_sessions
from duologue.core.errors import NotFoundError, UsageError, did_you_mean
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from sqlalchemy import Column, Connection, Row, Select

LONGEST_NAME = 100
"""Characters of the longest name."""
_LET_IN = (
    select(person_roles.c.role)
    .select_from(people.outerjoin(person_roles))
    .where(people.c.id == bindparam("person"), people.c.closed_at.is_(None))
)


class Person(Record, frozen=True, kw_only=True):
    """Somebody who may come in."""

    id: str
    name: str
    roles: tuple[str, ...]
    """Sorted."""
    language: str
    """`"en"`, `"zh"` or empty."""
    created_at: int
    closed_at: int | None = None

    def may(self, *roles: str) -> bool:
        """Whether the person has one of some roles, or is an admin; without roles: whoever may come in."""
        return not roles or "admin" in self.roles or any(role in self.roles for role in roles)


def add_person(
    connection: Connection,
    name: str,
    roles: Collection[str],
    *,
    now: int,
    by: str | None,
    language: str = "",
    person_id: str | None = None,
) -> str:
    """Add a person and return the id; `by` is who does it. Raises `UsageError` for a bad name or role."""
    person_id = person_id or new_id()
    values = {"id": person_id, "name": _name(name), "language": _language(language), "created_at": now}
    connection.execute(insert(people).values(values))
    _give(connection, person_id, roles)
    log(connection, by, "person.add", now=now, about=person_id, roles=sorted(roles))
    return person_id


def set_roles(connection: Connection, person_id: str, roles: Collection[str], *, now: int, by: str | None) -> None:
    """Give a person these roles and no others. Raises `UsageError` for the last admin, who must stay one."""
    person = find_person(connection, person_id)
    if "admin" in person.roles and "admin" not in roles:
        _keep_an_admin(connection, person_id)
    connection.execute(delete(person_roles).where(person_roles.c.person_id == person_id))
    _give(connection, person_id, roles)
    log(connection, by, "person.roles", now=now, about=person_id, roles=sorted(roles))


def set_language(connection: Connection, person_id: str, language: str) -> None:
    """Remember the language that a person reads."""
    connection.execute(update(people).where(people.c.id == person_id).values(language=_language(language)))


def close_person(connection: Connection, person_id: str, *, now: int, by: str | None) -> None:
    """Let a person in no more; what there is of them stays. Raises `UsageError` for the last admin."""
    if "admin" in find_person(connection, person_id).roles:
        _keep_an_admin(connection, person_id)
    connection.execute(update(people).where(people.c.id == person_id).values(closed_at=now))
    sessions = sign_in_sessions
    still = (sessions.c.person_id == person_id) & sessions.c.ended_at.is_(None)
    connection.execute(update(sessions).where(still).values(ended_at=now))
    log(connection, by, "person.close", now=now, about=person_id)


def reopen_person(connection: Connection, person_id: str, *, now: int, by: str | None) -> None:
    """Let a person in again."""
    find_person(connection, person_id)
    connection.execute(update(people).where(people.c.id == person_id).values(closed_at=None))
    log(connection, by, "person.reopen", now=now, about=person_id)


def find_person(connection: Connection, person_id: str) -> Person:
    """Return a person. Raises `UsageError` where there is none of that id."""
    found = persons_of(connection.execute(with_roles().where(people.c.id == person_id)).all())
    if not found:
        raise NotFoundError(f"there is no person '{person_id}'; `duologue site people list` shows who there is")
    return found[0]


def roles_held(connection: Connection, person_id: str) -> frozenset[str] | None:
    """Return the roles of a person in this transaction; `None` where there is nobody of that id who is let in."""
    rows = connection.execute(_LET_IN, {"person": person_id}).all()
    return frozenset(row.role for row in rows if row.role) if rows else None


def list_people(connection: Connection, role: str | None = None, *, closed: bool = True) -> list[Person]:
    """Return people, those who came first first: of one role, or all; `closed`: those who come in no more too."""
    query = with_roles().order_by(people.c.created_at, people.c.id, person_roles.c.role)
    if role is not None:
        having = select(person_roles.c.person_id).where(person_roles.c.role == role)
        query = query.where(people.c.id.in_(having))
    if not closed:
        query = query.where(people.c.closed_at.is_(None))
    return persons_of(connection.execute(query).all())


def with_roles(*more: Column[Any]) -> Select[Any]:
    """Return a query of people, a row for each of their roles; `more` columns follow."""
    columns = (people.c.id, people.c.name, people.c.language, people.c.created_at, people.c.closed_at)
    return select(*columns, person_roles.c.role, *more).select_from(people.outerjoin(person_roles))


def persons_of(rows: Sequence[Row[Any]]) -> list[Person]:
    """Return the people of rows of `with_roles`, in the order in which they come first."""
    roles: dict[str, list[str]] = {}
    firsts: dict[str, Row[Any]] = {}
    for row in rows:
        firsts.setdefault(row.id, row)
        roles.setdefault(row.id, []).extend([row.role] if row.role else [])
    return [
        Person(
            id=key,
            name=row.name,
            roles=tuple(sorted(roles[key])),
            language=row.language,
            created_at=row.created_at,
            closed_at=row.closed_at,
        )
        for key, row in firsts.items()
    ]


def _give(connection: Connection, person_id: str, roles: Iterable[str]) -> None:
    for role in sorted(set(roles)):
        if role not in ROLES:
            raise UsageError(f"'{role}' is no role{did_you_mean(role, ROLES)}")
        connection.execute(insert(person_roles).values(person_id=person_id, role=role))


def _keep_an_admin(connection: Connection, person_id: str) -> None:
    others = [one for one in list_people(connection, "admin", closed=False) if one.id != person_id]
    if not others:
        raise UsageError("this is the last admin: make another one first")


def _name(name: str) -> str:
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise UsageError(f"a name has 1 to {LONGEST_NAME} printable characters")
    return name


def _language(language: str) -> str:
    if language not in LANGUAGES:
        raise UsageError(f"'{language}' is no language of the site; there are en and zh")
    return language
