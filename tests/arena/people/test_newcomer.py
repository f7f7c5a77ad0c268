from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.arena.people.links import links_of
from duologue.arena.people.newcomer import add_first_admin, add_newcomer
from duologue.arena.people.people import list_people
from duologue.arena.people.secret import new_secret
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from duologue.arena.database.database import Database


def test_nobody_is_added_whom_no_link_lets_in(database: Database) -> None:
    now, secret = database.now(), new_secret()
    with pytest.raises(UsageError, match="days"):
        database.write(
            lambda connection: add_newcomer(connection, secret, "Wei", ["judge"], now=now, by=None, days=0, once=True)
        )
    with database.reading() as connection:
        assert list_people(connection) == []


def test_the_first_admin_is_the_first(database: Database) -> None:
    now = database.now()
    ada = database.write(lambda connection: add_first_admin(connection, new_secret(), "Ada", now=now))
    with pytest.raises(UsageError, match="already, Ada"):
        database.write(lambda connection: add_first_admin(connection, new_secret(), "Bo", now=now))
    with database.reading() as connection:
        (link,) = links_of(connection, ada)
    assert link.once
