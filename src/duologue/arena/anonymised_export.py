"""What a site may give to others: its rows without names, secrets and personal data.

What a column holds is said where it is made, by its `info`: the `text` that people wrote goes through the anonymiser,
and what is `given` is given as it is. Numbers, times, keys and words of a fixed list are given too; whatever else is
text or JSON is left out, and so is, as a whole, a table that is `internal` or holds a `secret`.
A column that names a person has a pseudonym instead, the same in all tables of one export and another in the next.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import zipfile
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import JSON, CheckConstraint, LargeBinary, Text, select

from duologue.arena.database.rows import read_rows
from duologue.arena.database.tables import metadata
from duologue.core.disk import replacing
from duologue.text.anonymiser import Anonymiser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sqlalchemy import Column, Connection, Table

    from duologue.arena.database.database import Database
    from duologue.text.anonymiser import Replaced

_ANYTHING = (Text, JSON, LargeBinary)
"""Types of columns that may hold anything."""
README = """Rows of a Duologue site without names, secrets and personal data: one file of JSON lines for each table.

People have pseudonyms (p0001), the same in all files of this export and others in the next one. Personal data in what
people wrote was replaced by rules and lists: some names and addresses may have stayed, so look before you publish.
"""


def export_anonymised(database: Database, out: Path) -> Replaced:
    """Write the rows of one moment to a zip file, `NAME.jsonl` for each table; tell what was replaced in texts.

    Tables without rows are left out. The file appears whole or not at all.
    """
    anonymiser = Anonymiser()
    with replacing(out) as raw, zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive, database.reading() as rows:
        archive.writestr(zipfile.ZipInfo("README.txt"), README, zipfile.ZIP_DEFLATED)
        pseudonyms = _pseudonyms(rows)
        for table in metadata.sorted_tables:
            lines = [msgspec.json.encode(row) for row in _given(rows, table, pseudonyms, anonymiser)]
            if lines:
                name = zipfile.ZipInfo(f"{table.name}.jsonl")  # of no time: a clock before 1980 has none for zip files
                archive.writestr(name, b"\n".join(lines) + b"\n", zipfile.ZIP_DEFLATED)
    return anonymiser.replaced()


def is_given(table: Table) -> bool:
    """Tell whether rows of a table are given to others at all."""
    return not table.info.get("internal") and not any(column.info.get("secret") for column in table.columns)


def is_kept(column: Column[Any]) -> bool:
    """Tell whether a column is given to others, with pseudonyms or anonymised texts where it must be."""
    if column.info.get("text") or column.info.get("given") or column.primary_key or column.foreign_keys:
        return True
    return not column.info.get("personal") and (not isinstance(column.type, _ANYTHING) or _is_checked(column))


def _is_checked(column: Column[Any]) -> bool:
    """Tell whether a column has words of a fixed list only."""
    checks = (one for one in (*column.constraints, *column.table.constraints) if isinstance(one, CheckConstraint))
    return any(str(one.sqltext).lower().startswith(f"{column.name} in ") for one in checks)


def names_person(column: Column[Any]) -> bool:
    """Tell whether a column names a person."""
    return any(key.column.table.name == "people" for key in column.foreign_keys)


def _pseudonyms(connection: Connection) -> dict[str, str]:
    """Return a pseudonym for each person, in an order that says nothing of them."""
    key = secrets.token_bytes(32)
    people = metadata.tables["people"]
    found = connection.execute(select(people.c.id)).scalars()
    order = sorted(found, key=lambda one: hmac.new(key, one.encode(), hashlib.sha256).digest())
    return {one: f"p{number:04}" for number, one in enumerate(order, 1)}


def _given(
    connection: Connection, table: Table, pseudonyms: dict[str, str], anonymiser: Anonymiser
) -> Iterator[dict[str, Any]]:
    if not is_given(table):
        return
    changes: dict[str, Callable[[Any], Any]] = {}
    for column in table.columns:
        if names_person(column) or (table.name == "people" and column.primary_key):
            changes[column.name] = pseudonyms.get
        elif column.info.get("text"):
            changes[column.name] = lambda value: anonymiser.dialogue().value(value)
    kept = [column.name for column in table.columns if is_kept(column)]
    for row in read_rows(connection, table):
        yield {name: changes[name](row[name]) if name in changes else row[name] for name in kept}
