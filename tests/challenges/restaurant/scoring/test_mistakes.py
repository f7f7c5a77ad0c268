from __future__ import annotations

from pathlib import Path

import pytest

from duologue.challenges.restaurant.formats.files import example_of
from duologue.challenges.restaurant.knowledge.facts import fact_utterance
from duologue.challenges.restaurant.schema.ontology import PART_SHAPES, schema_of_part, standard_schema
from duologue.challenges.restaurant.scoring.mistakes import kind_of, mistakes, purpose_of
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.challenges.restaurant.simulator.row_generator import simulate
from duologue.core.records import Answer, Example, Fact, Mistake, Sample, Turn

LISTED = [
    Turn(speaker="api", text=fact_utterance(Fact(subject=name, relation="rating", object=rating)))
    for name, rating in (("old_inn", "9"), ("new_inn", "5"), ("red_inn", "3"))
]
OPTION = "what do you think of this option: "
HISTORY = (
    Turn(speaker="system", text="api_call thai hanoi two cheap casual"),
    *LISTED,
    Turn(speaker="user", text="<silence>"),
    Turn(speaker="system", text=f"{OPTION}old_inn"),
)
SAMPLE = Sample(id="1", dialogue_id="1", history=HISTORY)


@pytest.mark.parametrize(
    ("wanted", "said", "kind"),
    [
        (
            "api_call thai hanoi two cheap business",
            "api_call korean hanoi two moderate business",
            "slot: cuisine, price",
        ),
        (
            "api_call thai hanoi two cheap business",
            "api_call thai hanoi two cheap casual",
            "slot: the call before the updates",
        ),
        ("api_call a b c d e", "api_call a b c d e vegan", "slot: 6 values in place of 5"),
        ("api_call a b c d e f g h i", "api_call a b c d e f g x y", "slot: number 8, number 9"),
        ("api_call a b c d e f g", "api_call a b c d e x y", "slot: restrictions, number 7"),
        ("where should it be", "which price range are you looking for", "slot: asks for price, not location"),
        (f"{OPTION}new_inn", f"{OPTION}red_inn", "fact: rating (a listed restaurant rated lower)"),
        (f"{OPTION}new_inn", f"{OPTION}old_inn", "fact: an option proposed before"),
        (f"{OPTION}new_inn", f"{OPTION}far_inn", "fact: a restaurant that is not listed"),
        ("the option was old_inn", "the option was red_inn", "fact: an option never proposed is repeated"),
        ("the option was red_inn", "the option was old_inn", "fact: another option is repeated"),
        ("here it is old_inn_phone", "here it is new_inn_phone", "fact: the phone of another restaurant"),
        ("here it is old_inn_phone", "here it is old_inn_address", "fact: address for phone"),
        (f"{OPTION}new_inn", "great let me do the reservation", "dialogue act: reserve for option"),
        ("where should it be", "great let me do the reservation", "dialogue act: reserve for ask-location"),
        ("i'm on it", "where should it be", "dialogue act: ask-location for on-it"),
        ("i'm on it", LISTED[0].text, "dialogue act: a fact line for on-it"),
        ("i'm on it", "hello", "dialogue act: a line of the user or unknown for on-it"),
        ("i'm on it", "i'm on it", "the same text under another id"),
        ("i'm on it", None, "no answer"),
    ],
)
def test_a_mistake_is_named_by_act_slot_or_fact(wanted: str, said: str | None, kind: str) -> None:
    assert kind_of(SAMPLE, wanted, said) == kind


def test_right_answers_are_no_mistakes_and_each_wrong_one_is_counted_once() -> None:
    schema, facts = standard_schema(1, extra=False), make_kb(1, 1)
    rows = [
        row
        for subtask in range(1, 6)
        for row in simulate(schema, facts, Generation(), subtask=subtask, part="tst1", style="a", n=20, seed=3)
    ]
    examples: list[Example] = [example_of(row) for row in rows]
    right = {one.sample.id: Answer(ranking=one.references[0].ranking) for one in examples}
    assert mistakes(examples, right) == []
    whole = [
        Example(sample=one.sample, references=(Answer(ranking=(*(one.references[0].ranking or ()), "another")),))
        for one in examples
    ]
    wrong = {
        one.sample.id: Answer(ranking=tuple(reversed([each.id for each in one.sample.candidates]))) for one in examples
    }
    assert mistakes(whole, wrong) == mistakes(examples, wrong) != []  # the first that a truth ranks is the true answer
    missed = [
        one for one in examples if (wrong[one.sample.id].ranking or ())[0] != (one.references[0].ranking or ())[0]
    ]
    found = mistakes(examples, wrong)
    assert sum(one.n for one in found) == len(missed)
    assert found == sorted(found, key=lambda one: (-one.n, one.purpose, one.kind))
    totals = {one.purpose: one.of for one in mistakes(examples, {})}
    assert sum(totals.values()) == len(examples)
    assert all(isinstance(one, Mistake) and one.n <= one.of for one in found)
    unreadable = Example(sample=SAMPLE)  # neither candidates nor a truth
    assert mistakes([unreadable, *examples], wrong) == mistakes(examples, wrong)


def test_purposes_are_those_of_the_subtasks() -> None:
    assert purpose_of("here it is old_inn_phone") == "extra information"
    assert purpose_of("sure is there anything else to update") == "updates"
    assert purpose_of("i'm on it") == "course of the dialogue"


def test_the_slots_of_each_test_set_are_those_of_the_documentation() -> None:
    page = (Path(__file__).parents[4] / "docs" / "challenges" / "restaurant.md").read_text(encoding="utf-8")
    for part, (kb, _) in PART_SHAPES.items():
        slots = ", ".join(slot.name for slot in schema_of_part(part).slots)
        assert any(part in line.split("|")[1] for line in page.splitlines() if f"| {kb} | {slots} |" in line)
