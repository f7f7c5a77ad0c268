"""A database with people for every test of annotation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.arena.people.people import add_person

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.database.database import Database

PEOPLE = ("anna", "ben", "cleo", "dora")


@pytest.fixture
def database(database: Database) -> Database:
    """Return a database with four people whose ids are their names."""

    def action(connection: Connection) -> None:
        for name in PEOPLE:
            add_person(connection, name, ["annotator"], now=database.now(), by=None, person_id=name)

    database.write(action)
    return database
