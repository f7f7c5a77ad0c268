from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.restaurant.knowledge.kb import RestaurantIndex, values_of
from duologue.challenges.restaurant.schema.ontology import PARTS, schema_of, schema_of_part
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.simulator.recipe import STYLES, Generation
from duologue.challenges.restaurant.simulator.row_generator import RowGenerator, simulate
from duologue.core.errors import UsageError
from duologue.core.records import Fact

FACTS = make_kb(1, 1)
SCHEMA = schema_of_part("tst1")
RESTAURANTS = RestaurantIndex(SCHEMA, FACTS)


def rows(
    n: int = 100,
    subtask: int = 1,
    part: str = "tst1",
    style: str = "a",
    seed: int = 1,
    start: int = 0,
    **recipe: Any,
) -> list[dict[str, Any]]:
    maker = RowGenerator(SCHEMA, RESTAURANTS, Generation(**recipe), subtask=subtask, part=part, style=style, seed=seed)
    return list(maker(start, n))


def test_simulate_gives_official_rows_with_their_answers() -> None:
    row = next(simulate(SCHEMA, FACTS, Generation(), subtask=1, part="train", style="training", n=1, seed=1))
    assert list(row) == ["answer", "dialog_id", "candidates", "utterances"]
    assert all(list(one) == ["utterance", "candidate_id"] for one in row["candidates"])
    assert row["answer"] in row["candidates"]
    assert [line for line in row["utterances"] if not isinstance(line, str)] == []


@settings(max_examples=25)
@given(
    st.sampled_from([1, 2, 3, 4, 5]),
    st.sampled_from(PARTS[:2]),
    st.sampled_from(STYLES),
    st.integers(0, 9),
    st.integers(0, 99),
)
def test_a_row_does_not_depend_on_where_its_stretch_starts(
    subtask: int, part: str, style: str, seed: int, index: int
) -> None:
    alone = rows(1, subtask, part, style, seed, index)
    assert alone == rows(3, subtask, part, style, seed, max(index - 2, 0))[min(index, 2) :][:1]


def test_rows_differ_by_seed_part_subtask_and_style() -> None:
    texts = {
        json.dumps(rows(1, subtask, part, style, seed))
        for subtask in (1, 5)
        for part in ("train", "tst1")
        for style in STYLES
        for seed in (1, 2)
    }
    assert len(texts) == 24


def test_all_ids_of_a_file_are_distinct_and_the_answer_stands_anywhere() -> None:
    made = rows(600)
    ids = [row["dialog_id"] for row in made] + [one["candidate_id"] for row in made for one in row["candidates"]]
    assert len(set(ids)) == len(ids)
    places = Counter(row["candidates"].index(row["answer"]) for row in made)
    assert set(places) == set(range(11))
    assert max(places.values()) < 2 * min(places.values())


def test_the_one_right_candidate_is_drawn_evenly_from_two_equal_texts() -> None:
    first = sum(
        [one["utterance"] for one in row["candidates"]].index(row["answer"]["utterance"])
        == row["candidates"].index(row["answer"])
        for row in rows(400, style="training", answer_twice=1)
    )
    assert 150 < first < 250


def test_release_a_cuts_by_weight_and_the_others_evenly() -> None:
    def shares(style: str) -> float:
        answers = Counter(row["answer"]["utterance"].split()[0] for row in rows(800, 2, style=style))
        return answers["ok"] / 800

    assert shares("a") < 0.13  # 0.09 in release A
    assert shares("b") > 0.24  # 0.27 in release B
    assert shares("training") > 0.24


def test_weights_that_leave_no_cut_are_refused() -> None:
    nothing = {"api_call": 0, "look": 0, "update-ack": 0, "ready": 0, "2/api_call": 0, "2/update-ack": 0, "2/look": 0}
    with pytest.raises(UsageError, match="cut_weights leave no turn of subtask 2"):
        rows(1, 2, cut_weights=nothing)


def test_rows_of_a_seed_are_the_same_bytes_on_every_version_of_python() -> None:
    made = [
        rows(40, subtask, part, style, 7) for subtask in range(1, 6) for part in ("train", "tst1") for style in STYLES
    ]
    assert hashlib.sha256(json.dumps(made).encode()).hexdigest() == (
        "575f959c8f43f3ca8db054d3b9fd909685c53d67f90c430fb62889c9a3dfddf5"
    )


@pytest.mark.parametrize(("subtask", "style"), [(6, "a"), (0, "b"), (1, "A"), (2, "")])
def test_another_subtask_or_style_is_refused(subtask: int, style: str) -> None:
    with pytest.raises(UsageError, match="expected a subtask from 1 to 5 and one of the styles training, a, b"):
        rows(1, subtask, style=style)


def test_cuts_are_chosen_apart_from_candidates() -> None:
    def greetings(**recipe: Any) -> int:
        made = rows(n=300, subtask=3, **recipe)
        assert {len(row["candidates"]) for row in made} == {11}  # those of release A
        return sum(row["answer"]["utterance"].startswith(("hello", "i'm on it")) for row in made)

    assert rows(n=20, subtask=3, cuts="a") == rows(n=20, subtask=3)
    assert greetings(cuts="b") > 2 * greetings()
    assert rows(n=20, part="train", style="training", cuts="a") == rows(n=20, part="train", style="training")


def test_values_of_several_words_are_refused_as_no_api_call_can_have_them() -> None:
    facts = [*FACTS, Fact(subject=FACTS[0].subject, relation="location", object="new york")]
    schema = schema_of(1, values_of(facts), extra=False)
    with pytest.raises(UsageError, match=r"1 values of .*, the first is .new york. of slot .location.*join the words"):
        next(simulate(schema, facts, Generation(), subtask=1, part="train", style="training", n=1, seed=1))
