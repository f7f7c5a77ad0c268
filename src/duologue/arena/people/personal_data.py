"""A person's data: all that there is, and its deletion.

No room registers anything: every column that names a person says in its `info` what becomes of its rows (`tables`), and
a test holds all tables to that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, delete, false, insert, or_, select, update

from duologue.arena.database.tables import metadata, new_id
from duologue.arena.people.audit import log
from duologue.arena.people.people import find_person
from duologue.arena.people.tables import people
from duologue.core.errors import UsageError
from duologue.core.records import Record

if TYPE_CHECKING:
    from sqlalchemy import Column, ColumnElement, Connection, Table


class DeletedData(Record, frozen=True, kw_only=True):
    """What became of a person's data, rows by table."""

    deleted: dict[str, int]
    kept: dict[str, int]
    """Without anything that says whose they are."""


def person_columns(table: Table) -> list[Column[Any]]:
    """Return the columns of a table that name a person."""
    return [
        one
        for one in table.columns
        if one.info.get("erase") in ("row", "keep") or any(key.column.table is people for key in one.foreign_keys)
    ]


PersonRows = dict[str, list[dict[str, Any]]]
"""Rows by table."""


def data_of(connection: Connection, person_id: str) -> PersonRows:
    """Return all rows that name a person, by table.

    Without secrets, without what they must not see while they rate and talk blind, and without whom else a row names.
    """
    found: PersonRows = {}
    for table in metadata.sorted_tables:
        names = [people.c.id] if table is people else person_columns(table)
        if not names:
            continue
        shown = [one for one in table.columns if not (one.info.get("secret") or one.info.get("blind"))]
        rows = connection.execute(select(*shown).where(or_(*(one == person_id for one in names))))
        others = {one.name for one in names}
        listed = [
            {name: None if name in others and value != person_id else value for name, value in row.items()}
            for row in rows.mappings()
        ]
        if listed:
            found[table.name] = listed
    return found


def delete_person(connection: Connection, person_id: str, *, now: int, by: str | None) -> DeletedData:
    """Delete a person with all that is theirs alone; what must stay is given to a new person without a name.

    Raises `UsageError` for an unknown person, and for an admin, who gives that up first.
    """
    if "admin" in find_person(connection, person_id).roles:
        raise UsageError("an admin's data cannot be deleted: take the role away first, so that somebody else has it")
    alias = new_id()
    deleted, kept = _delete_rows(connection, person_id), {}
    values = {"id": alias, "name": "", "language": "", "created_at": now, "closed_at": now}
    connection.execute(insert(people).values(values))
    for table in metadata.sorted_tables:
        count = sum(
            connection.execute(
                update(table).where(one == person_id).values({one.name: alias, **_emptied(table)})
            ).rowcount
            for one in person_columns(table)
        )
        if count:
            kept[table.name] = count
    connection.execute(delete(people).where(people.c.id == person_id))
    if not kept:
        connection.execute(delete(people).where(people.c.id == alias))
    log(connection, None if by == person_id else by, "person.delete", now=now, about=person_id)
    return DeletedData(deleted=deleted, kept=kept)


def _delete_rows(connection: Connection, person_id: str) -> dict[str, int]:
    """Delete the rows that go with a person, and those that go with them."""
    conditions: dict[Table, ColumnElement[bool]] = {}
    for table in metadata.sorted_tables:  # those that others refer to first
        own = [one == person_id for one in person_columns(table) if one.info.get("erase") == "row"]
        for one in table.columns:
            if one.info.get("erase") == "with":
                (key,) = one.foreign_keys
                parent = conditions.get(key.column.table)
                if parent is not None:
                    own.append(one.in_(select(key.column).where(parent)))
        if own:
            conditions[table] = or_(false(), *own)
    deleted = {}
    for table, condition in reversed(conditions.items()):
        count = connection.execute(delete(table).where(condition)).rowcount
        if count:
            deleted[table.name] = count
    return deleted


def _emptied(table: Table) -> dict[str, Any]:
    """Return nothing for each column that says who somebody is, or what they wrote."""
    found: dict[str, Any] = {}
    for one in table.columns:
        if one.info.get("personal") or one.info.get("text"):
            found[one.name] = None if one.nullable else {} if isinstance(one.type, JSON) else ""
    return found
