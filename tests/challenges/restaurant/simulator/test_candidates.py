from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from duologue.challenges.restaurant.knowledge.kb import RestaurantIndex
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.ontology import schema_of_part
from duologue.challenges.restaurant.simulator.neighbours import SIZES
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.challenges.restaurant.simulator.row_generator import RowGenerator

SCHEMA = schema_of_part("tst1")
RESTAURANTS = RestaurantIndex(SCHEMA, make_kb(1, 1))


def rows(subtask: int, style: str, n: int = 250, part: str = "tst1", **recipe: Any) -> list[dict[str, Any]]:
    maker = RowGenerator(SCHEMA, RESTAURANTS, Generation(**recipe), subtask=subtask, part=part, style=style, seed=3)
    return list(maker(0, n))


def wrong(row: dict[str, Any]) -> list[str]:
    return [one["utterance"] for one in row["candidates"] if one["candidate_id"] != row["answer"]["candidate_id"]]


def name_of(text: str) -> str:
    return text.rsplit(maxsplit=1)[-1].removesuffix("_phone").removesuffix("_address")


def listed(row: dict[str, Any]) -> set[str]:
    return {line.split()[0] for line in row["utterances"] if " r_" in line}


@pytest.mark.parametrize("subtask", [1, 2, 3, 4, 5])
def test_each_style_has_its_numbers_of_candidates(subtask: int) -> None:
    assert {len(row["candidates"]) for row in rows(subtask, "training", part="train")} == {10}
    assert {len(row["candidates"]) for row in rows(subtask, "a")} == {11}
    assert {len(row["candidates"]) for row in rows(subtask, "b")} <= {7, 8, 9, 10}


@pytest.mark.parametrize("style", ["a", "b"])
@pytest.mark.parametrize("subtask", [1, 2, 3, 4, 5])
def test_no_test_row_offers_the_answer_twice(style: str, subtask: int) -> None:
    assert not any(row["answer"]["utterance"] in wrong(row) for row in rows(subtask, style))


def test_the_answer_stands_twice_in_training_as_often_as_the_recipe_says() -> None:
    assert all(row["answer"]["utterance"] in wrong(row) for row in rows(1, "training", 50, answer_twice=1))
    assert not any(row["answer"]["utterance"] in wrong(row) for row in rows(1, "training", 50, answer_twice=0))


@pytest.mark.parametrize("subtask", [1, 2, 3, 4, 5])
def test_a_sentence_has_one_set_of_candidates_throughout_a_file_of_release_a(subtask: int) -> None:
    sets: dict[str, set[frozenset[str]]] = {}
    for row in rows(subtask, "a", 600):
        if templates.answer_type(row["answer"]["utterance"]) in {
            *templates.ANSWER_TYPES,
            *(f"ask-{slot.name}" for slot in templates.SLOTS),
        }:
            sets.setdefault(row["answer"]["utterance"], set()).add(frozenset(wrong(row)))
    assert sets
    assert {len(found) for found in sets.values()} == {1}


def test_the_outdated_call_stands_beside_the_new_one_in_release_a() -> None:
    found: Counter[bool] = Counter()
    for row in rows(2, "a", 600):
        calls = [line for line in row["utterances"] if line.startswith("api_call")]
        if calls and row["answer"]["utterance"].startswith("api_call"):
            found[calls[-1] in wrong(row)] += 1
            assert sum(text in row["utterances"] for text in wrong(row)) in {3, 4}
    assert found[True] > 50
    assert not found[False]


@pytest.mark.parametrize("subtask", [3, 5])
def test_all_other_listed_restaurants_stand_beside_an_option_of_release_a(subtask: int) -> None:
    options = [row for row in rows(subtask, "a", 400) if row["answer"]["utterance"].startswith("what do you")]
    for row in options:
        assert listed(row) <= {name_of(text) for text in (*wrong(row), row["answer"]["utterance"])}
    assert any(
        not any(name_of(text) in listed(row) for text in wrong(row))
        for row in rows(subtask, "a", 400, listed_options=0)
        if row["answer"]["utterance"].startswith("what do you")
    )


def test_items_of_other_listed_restaurants_come_twice_in_task_5_of_release_a() -> None:
    for row in rows(5, "a", 800):
        if templates.answer_type(row["answer"]["utterance"]) in {"phone", "address"}:
            others = [
                text for text in wrong(row) if name_of(text) in listed(row) - {name_of(row["answer"]["utterance"])}
            ]
            assert len(others) in {4, 5}
            assert len(set(others)) < len(others)
            break
    else:
        pytest.fail("no such answer among 800 rows")


@pytest.mark.parametrize("subtask", [1, 2, 3, 4, 5])
def test_three_lines_of_the_dialogue_stand_beside_each_answer_of_release_b(subtask: int) -> None:
    for row in rows(subtask, "b", 150):
        own = [text for text in wrong(row) if text in row["utterances"]]
        assert len(own) >= 3
        assert len(row["candidates"]) <= 1 + 2 * SIZES["b"] + 3


@pytest.mark.parametrize("style", ["training", "a", "b"])
@pytest.mark.parametrize("subtask", [1, 2, 3, 4, 5])
def test_every_candidate_is_an_utterance_of_the_inventory_or_of_the_dialogue(style: str, subtask: int) -> None:
    for row in rows(subtask, style, 100):
        assert all(templates.answer_type(text) != "other" or text in row["utterances"] for text in wrong(row))
