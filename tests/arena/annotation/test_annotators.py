from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.arena.annotation.annotators import find_annotator, invite
from duologue.arena.annotation.projects import new_project
from duologue.arena.people.people import add_person, find_person
from duologue.core.errors import UsageError
from tests.arena.annotation.calls import TASK

if TYPE_CHECKING:
    from duologue.arena.database.database import Database


def test_whoever_is_new_gets_a_link_once_and_others_on_demand(database: Database) -> None:
    made = new_project(database, "calls", TASK)
    (eve, anna) = invite(database, made, ["Eve", "anna"])
    assert eve.path is not None
    assert eve.path.startswith("/enter/")
    assert (anna.id, anna.path) == ("anna", None)
    (again,) = invite(database, made, ["Eve"])
    assert (again.id, again.path) == (eve.id, None)
    (more,) = invite(database, made, ["Eve"], links="all")
    assert more.path not in (None, eve.path)
    (silent,) = invite(database, made, ["Finn"], links="none")
    assert silent.path is None


def test_people_of_other_roles_become_annotators_too(database: Database) -> None:
    made = new_project(database, "calls", TASK)
    database.write(lambda c: add_person(c, "Gus", ["judge"], now=1, by=None, person_id="gus"))
    invite(database, made, ["Gus"])
    with database.reading() as connection:
        assert find_person(connection, "gus").roles == ("annotator", "judge")


def test_a_name_that_several_have_and_a_name_of_nobody_are_told(database: Database) -> None:
    database.write(lambda c: add_person(c, "anna", ["annotator"], now=1, by=None, person_id="another"))
    database.write(lambda c: add_person(c, "ann", ["annotator"], now=1, by=None, person_id="x1"))
    database.write(lambda c: add_person(c, "ann", ["annotator"], now=1, by=None, person_id="x2"))
    with database.reading() as connection:
        assert find_annotator(connection, "anna") == "anna", "an id goes before a name"
        with pytest.raises(UsageError, match="2 people are called 'ann'; give one of their ids: x1, x2"):
            find_annotator(connection, "ann")
        with pytest.raises(UsageError, match="nobody called 'Zoe'"):
            find_annotator(connection, "Zoe")
