"""A database has all tables, however often it is opened."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import JSON, inspect, text

from duologue.arena.database.schema import make_tables, newest_step, steps, steps_taken
from duologue.arena.database.tables import metadata
from duologue.arena.people.people import add_person
from duologue.arena.talks.likeness import talks_alike
from duologue.arena.talks.rooms import find_room
from duologue.arena.talks.sessions import find_talk
from duologue.core.errors import StorageError

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.database.database import Database


def test_all_tables_are_made_once(database: Database) -> None:
    make_tables(database)
    assert set(metadata.tables) <= set(inspect(database.write_engine).get_table_names())


def test_the_last_step_is_known_without_alembic(database: Database) -> None:
    assert ScriptDirectory.from_config(steps()).get_current_head() == newest_step()
    with database.write_engine.begin() as connection:
        assert MigrationContext.configure(connection).get_current_revision() == newest_step()
        assert steps_taken(connection) == [newest_step()]
        command.downgrade(steps(connection), "base")
        assert steps_taken(connection) == []


@pytest.mark.slow
def test_a_database_that_has_all_tables_is_opened_without_alembic(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from duologue.arena.storage import open_database\n"
        "with open_database(Path(sys.argv[1])): print('alembic' in sys.modules)"
    )
    told = [
        subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert told == ["True\n", "False\n"]


def test_the_steps_lead_to_the_tables_that_the_rooms_say(database: Database) -> None:
    def other_default(*told: Any) -> bool | None:
        _, _, column, found, _, said = told
        if not isinstance(column.type, JSON):
            return None  # as Alembic compares it
        there, wanted = (str(one).partition("::")[0].strip("'") for one in (found, said))
        return there != wanted  # PostgreSQL would compare no JSON

    with database.write_engine.begin() as connection:
        opts = {"compare_type": True, "compare_server_default": other_default}
        compared = MigrationContext.configure(connection, opts=opts)
        changes = compare_metadata(compared, metadata)
    assert changes == [], 'write the next step: python -m duologue.arena.migration "what changes"'


def test_a_room_of_an_older_version_has_no_settings(database: Database) -> None:
    with database.write_engine.begin() as connection:
        command.downgrade(steps(connection), "0006")
        connection.execute(
            text(
                "INSERT INTO talk_rooms (id, title, task, system, seed, shows, state, created_at)"
                " VALUES ('r', 'Tables', 'restaurant', 'solver', 1, '[]', 'open', 1)"
            )
        )
        add_person(connection, "Ann", ["volunteer"], now=1, by=None)
        connection.execute(
            text(
                "INSERT INTO talks (id, kind, task, lang, system, room_id, person_id, shows, state, ended_by, trouble,"
                " verdict, created_at, last_at)"
                " SELECT 't', 'system', 'restaurant', 'en', 'solver', 'r', id, '[]', 'open', '', '', '', 1, 1"
                " FROM people"
            )
        )
    make_tables(database)
    with database.reading() as connection:
        room, talk = find_room(connection, "r"), find_talk(connection, "t")
    assert room is not None
    assert talk is not None
    assert (room.settings, talk.settings) == ((), ())


def test_dialogues_that_were_finished_in_an_older_version_are_known_by_what_was_said(database: Database) -> None:
    with database.write_engine.begin() as connection:
        command.downgrade(steps(connection), "0007")
        person = add_person(connection, "Ann", ["volunteer"], now=1, by=None)
        connection.execute(
            text(
                "INSERT INTO pairings (id, title, task, settings, state, created_at)"
                " VALUES ('p', 'Pairs', 'proactive', '{}', 'open', 1)"
            )
        )
        said = '{"id": "t", "turns": [{"speaker": "user", "text": "Hello!"}, {"speaker": "system", "text": "hello"}]}'
        for name, state, dialogue in (("t", "finished", said), ("u", "abandoned", said), ("v", "finished", "null")):
            connection.execute(
                text(
                    "INSERT INTO talks (id, kind, task, lang, settings, pairing_id, person_id, shows, dialogue, state,"
                    " ended_by, trouble, verdict, created_at, last_at)"
                    " VALUES (:name, 'people', 'proactive', 'en', '[]', 'p', :person, '[]', :dialogue, :state,"
                    " '', '', '', 1, 1)"
                ),
                {"name": name, "person": person, "dialogue": dialogue, "state": state},
            )
    make_tables(database)
    with database.reading() as connection:
        assert talks_alike(connection, "p", ["HELLO"]) == ["t"]
        assert talks_alike(connection, "p", ["goodbye"]) == []


def test_a_database_of_a_newer_version_is_refused_and_left_alone(database: Database) -> None:
    with database.write_engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StorageError, match="newer duologue"):
        make_tables(database)


def test_the_steps_can_be_taken_back_and_again(database: Database) -> None:
    with database.write_engine.begin() as connection:
        command.downgrade(steps(connection), "base")
        assert set(inspect(connection).get_table_names()) == {"alembic_version"}
    make_tables(database)
    assert set(metadata.tables) <= set(inspect(database.write_engine).get_table_names())
