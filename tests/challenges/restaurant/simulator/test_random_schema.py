from __future__ import annotations

import hashlib
import string
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.templates import RESTRICTIONS, SLOTS
from duologue.challenges.restaurant.simulator import surface_forms
from duologue.challenges.restaurant.simulator.random_schema import random_schema
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.challenges.restaurant.simulator.row_generator import simulate

if TYPE_CHECKING:
    from duologue.core.records import Fact

FORBIDDEN = ("dietary", "menu options", "i eat", "restrictions")


def rows_of(facts: list[Fact]) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for fact in facts:
        rows.setdefault(fact.subject, {})[fact.relation] = fact.object
    return rows


def test_where_few_values_make_few_requests_each_has_restaurants() -> None:
    schema, facts = random_schema(3381706)  # it went on for ever: 48 requests have no 197 restaurants
    asked = {tuple(row[slot.name] for slot in schema.slots) for row in rows_of(facts).values()}
    assert len(asked) == 4 * 3 * 4
    assert len(rows_of(facts)) == 191


@settings(max_examples=60)
@given(st.integers(0, 10**9))
def test_an_invented_schema_is_sound(seed: int) -> None:
    schema, facts = random_schema(seed)
    rows = rows_of(facts)
    names = [slot.name for slot in schema.slots]
    assert 3 <= len(set(names)) == len(names) <= 7
    assert len({slot.question for slot in schema.slots}) == len(names)
    assert 60 <= len(rows) <= 230
    values = [value for name in names for value in schema.values[name]]
    assert len(set(values)) == len(values)
    assert all(len(schema.values[name]) >= 3 for name in names)
    for row in rows.values():
        assert tuple(row) == schema.fields
        assert all(row[name] in schema.values[name] for name in names)
    texts = [text for slot in schema.slots for text in (slot.question, *slot.phrases)]
    texts += [one.text for slot in schema.slots for one in (*slot.answers, *slot.hedges)]
    assert not [text for text in texts if "{n}" in text or "{f}" in text]
    assert not [text for text in texts for words in FORBIDDEN if words in text]
    assert RESTRICTIONS.name not in names
    assert not {"vegan", "vegetarian", "glutenfree"} & set(values)


@pytest.mark.parametrize("part", ["train", "tst1"])
@pytest.mark.parametrize("subtask", [1, 2, 3, 4, 5])
def test_all_five_tasks_are_simulated_on_invented_schemas(subtask: int, part: str) -> None:
    for seed in range(12):
        schema, facts = random_schema(seed)
        for style, size in (("training", {10}), ("a", {11}), ("b", {7, 8, 9, 10})):
            made = list(simulate(schema, facts, Generation(), subtask=subtask, part=part, style=style, n=4, seed=seed))
            assert {len(row["candidates"]) for row in made} <= size
            assert all(row["answer"] in row["candidates"] for row in made)
            assert "{" not in "".join(line for row in made for line in row["utterances"])


def test_questions_are_asked_in_the_alphabetical_order_of_the_field_names() -> None:
    for seed in range(20):
        schema, facts = random_schema(seed)
        field_of = {slot.question: slot.name for slot in schema.slots}
        for row in simulate(schema, facts, Generation(), subtask=1, part="train", style="b", n=10, seed=1):
            asked = [field_of[line] for line in row["utterances"] if line in field_of]
            assert asked == sorted(asked)


def test_schemas_vary_in_everything_that_a_learner_must_not_rely_on() -> None:
    made = [random_schema(seed)[0] for seed in range(150)]
    assert {len(schema.slots) for schema in made} == {3, 4, 5, 6, 7}
    questions = [slot.question for schema in made for slot in schema.slots]
    assert len(set(questions)) > 250
    named = [slot.name in slot.question.split() for schema in made for slot in schema.slots]
    assert 0.4 < sum(named) / len(named) < 0.9
    assert any([slot.name for slot in schema.slots] != sorted(slot.name for slot in schema.slots) for schema in made)
    standard = {slot.question for slot in SLOTS}
    assert 0.1 < sum(question in standard for question in questions) / len(questions) < 0.6
    starts = {slot.name[0] for schema in made for slot in schema.slots}
    assert len(starts) > 18
    assert any(not slot.hedges for schema in made for slot in schema.slots)
    assert len({value for schema in made for slot in schema.slots for value in schema.values[slot.name]}) > 1_000


def test_a_seed_gives_the_same_schema_and_facts() -> None:
    assert random_schema(5) == random_schema(5)
    assert random_schema(5) != random_schema(6)


def test_words_are_fit_for_an_api_call_and_no_value_is_a_word_of_a_sentence() -> None:
    texts = [
        *surface_forms.ANSWERS_ONE,
        *surface_forms.ANSWERS_TWO,
        *surface_forms.PHRASES,
        *surface_forms.QUESTIONS_NAMED,
    ]
    texts += [
        *templates.OPENINGS,
        *templates.UNANSWERABLE,
        *templates.TAKE_NEWEST,
        templates.BOT_SORRY,
        *templates.WAITS,
    ]
    spoken = {word.strip(string.punctuation) for text in texts for word in text.split()}
    for seed in range(40):
        schema, _ = random_schema(seed)
        values = {value for slot in schema.slots for value in schema.values[slot.name]}
        assert not values & spoken
        assert all(value.isascii() and value.isalpha() and value.islower() for value in values)


def test_a_schema_of_a_seed_is_the_same_on_every_version_of_python() -> None:
    data = b"".join(msgspec.json.encode(random_schema(seed)) for seed in range(10))
    assert hashlib.sha256(data).hexdigest() == ("a5d9b2a16d465a47195c22ab259dd769614d09f0c811e09b0a82ad29d4bced0d")


def test_every_frame_has_its_placeholder_and_none_talks_of_diets() -> None:
    assert all("{f}" in text for text in surface_forms.QUESTIONS_NAMED)
    assert all(
        "{new}" in text for text in (*surface_forms.PHRASES, *surface_forms.ANSWERS_ONE, *surface_forms.ANSWERS_TWO)
    )
    assert all("{o}" in text for text in surface_forms.ANSWERS_TWO)
    for hedge in surface_forms.HEDGES:
        assert "{a}" in hedge.text
        assert ("{b}" in hedge.text) == (hedge.draw in {"oo", "anyany", "check"})
