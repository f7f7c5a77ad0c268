from __future__ import annotations

from typing import Any

import msgspec
import pytest

from duologue.challenges.restaurant.knowledge.kb import RestaurantIndex
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.ontology import schema_of_part
from duologue.challenges.restaurant.simulator.dialogue_generator import DialogueGenerator
from duologue.challenges.restaurant.simulator.neighbours import SIZES, Neighbours, text_of
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.simulator.recipe import Generation

SCHEMA = schema_of_part("train")
RESTAURANTS = RestaurantIndex(SCHEMA, make_kb(1, 1))


def neighbours(subtask: int, style: str, **recipe: Any) -> Neighbours:
    return Neighbours(
        DialogueGenerator(SCHEMA, RESTAURANTS, Generation(**recipe), subtask, train=True), style, (1, subtask, style)
    )


@pytest.mark.parametrize("style", ["training", "a", "b"])
@pytest.mark.parametrize("subtask", [1, 2, 3, 4, 5])
def test_every_sentence_has_as_many_neighbours_as_its_style_wants_and_always_the_same(style: str, subtask: int) -> None:
    near = neighbours(subtask, style)
    for kind, answer in near.sentences.items():
        texts = near.near(answer, kind, SIZES[style])
        assert len(set(texts)) == SIZES[style]
        assert answer not in texts
        assert all(templates.answer_type(text) != "other" for text in texts)
        assert near.near(answer, kind, SIZES[style]) == neighbours(subtask, style).near(answer, kind, SIZES[style])


def test_neighbouring_calls_differ_in_one_slot_or_two_and_stay_on_their_side_in_task_1() -> None:
    near = neighbours(1, "a")
    values = next(values for values in RESTAURANTS.matches if near.generator.on_this_side(values))
    calls = near.near(" ".join(("api_call", *values)), "api_call", 10)
    for call in calls:
        other = call.split()[1:]
        assert 1 <= sum(a != b for a, b in zip(other, values, strict=True)) <= 2
        assert near.generator.on_this_side(other)


def test_neighbouring_names_share_a_word_and_exist_unless_a_slot_value_in_them_was_changed() -> None:
    near = neighbours(4, "a", unknown_names=0)
    name = RESTAURANTS.names[7]
    words = set(name.split("_")) - {"the"}
    for text in near.near(text_of("phone", name), "phone", 10):
        other = text.split()[-1].removesuffix("_phone").removesuffix("_address")
        assert other in RESTAURANTS.lines
        assert words & set(other.split("_"))
    odd = neighbours(3, "a", unknown_names=1)
    business = [name for name in RESTAURANTS.names if "business" in name.split("_")]
    found = {text.split()[-1] for name in business for text in odd.near(text_of("option", name), "option", 10)}
    strange = found - set(RESTAURANTS.names)
    assert strange
    assert all({"casual", "romantic"} & set(name.split("_")) for name in strange)
    assert all(name.split("_").count("business") < 2 for name in found)


def test_the_other_item_of_the_restaurant_is_always_there_in_task_4() -> None:
    near = neighbours(4, "a")
    for name in RESTAURANTS.names[:40]:
        assert text_of("address", name) in near.near(text_of("phone", name), "phone", 10)


def test_a_place_that_is_called_the_has_neighbours() -> None:
    first = RESTAURANTS.names[0]
    facts = [msgspec.structs.replace(one, subject="the") if one.subject == first else one for one in make_kb(1, 1)]
    generator = DialogueGenerator(SCHEMA, RestaurantIndex(SCHEMA, facts), Generation(), 4, train=True)
    near = Neighbours(generator, "training", (1, 4, "training"))
    assert len(near.near(text_of("phone", "the"), "phone", SIZES["training"])) == SIZES["training"]
