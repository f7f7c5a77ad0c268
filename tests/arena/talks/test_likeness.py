from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert
from tests.arena.talks.made import people

from duologue.arena.talks import pairs
from duologue.arena.talks.likeness import keep_signs, talks_alike
from duologue.arena.talks.pair_checks import ALIKE, plain
from duologue.arena.talks.pair_settings import PairSettings
from duologue.arena.talks.tables import talk_signs, talks
from duologue.core.records import Dialogue, Fact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.arena.database.database import Database


@pytest.fixture
def pairing(database: Database) -> str:
    scene = Dialogue(id="a", turns=(), knowledge=(Fact(subject="a", relation="b", object="c"),))
    return database.write(
        lambda connection: pairs.start_pairing(
            connection, title="a", task="proactive", scenes=[scene], settings=PairSettings(), now=1
        )
    )


def made(database: Database, pairing: str, *dialogues: Sequence[str]) -> None:
    """Make finished talks with these utterances; their ids are their places."""
    (person,) = people(database, "Ann")
    row = {
        "kind": "people", "task": "proactive", "lang": "zh", "pairing_id": pairing, "person_id": person, "shows": [],
        "state": "finished", "created_at": 1, "last_at": 1,
    }  # fmt: skip
    with database.write_engine.begin() as connection:
        connection.execute(insert(talks), [row | {"id": str(at)} for at in range(len(dialogues))])
        for at, said in enumerate(dialogues):
            keep_signs(connection, pairing, str(at), said)


def found(database: Database, pairing: str, said: Sequence[str]) -> list[str]:
    with database.reading() as connection:
        return talks_alike(connection, pairing, said)


def alike(said: Sequence[str], other: Sequence[str]) -> bool:
    there = {plain(one) for one in other}
    return bool(there) and sum(plain(one) in there for one in said) >= ALIKE * len(said)


some_words = st.lists(st.sampled_from(["你好", "a", "A!", "b", "c", "d", "e", "再见", "…", ""]), max_size=12)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(some_words, min_size=1, max_size=6), some_words)
def test_no_dialogue_that_is_alike_is_missed(
    database: Database, pairing: str, others: list[list[str]], said: list[str]
) -> None:
    with database.write_engine.begin() as connection:
        connection.execute(delete(talk_signs))
        connection.execute(delete(talks))
    made(database, pairing, *others)
    wanted = {str(at) for at, other in enumerate(others) if said and alike(said, other)}
    assert wanted <= set(found(database, pairing, said))


@pytest.mark.slow
def test_the_rare_utterances_of_a_dialogue_are_looked_up_however_many_begin_alike(
    database: Database, pairing: str
) -> None:
    took = []
    for count in (500, 4000):
        with database.write_engine.begin() as connection:
            connection.execute(delete(talk_signs))
            connection.execute(delete(talks))
        made(database, pairing, *(["你好", "再见", *(f"{at} {turn}" for turn in range(8))] for at in range(count)))
        said = ["你好", "再见", *(f"7 {turn}" for turn in range(8))]
        assert found(database, pairing, said) == ["7"]
        times = []
        for _ in range(5):
            begun = time.perf_counter()
            found(database, pairing, said)
            times.append(time.perf_counter() - begun)
        took.append(min(times))
    assert took[1] < 3 * took[0] + 0.01
