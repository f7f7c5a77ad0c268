from __future__ import annotations

from duologue.challenges.spoken.systems.pipeline.attribute_matcher import AttributeMatcher, asked_name, grams_of
from duologue.challenges.spoken.systems.pipeline.network.vectors import VectorSize, new_vectors
from duologue.core.records import Fact
from duologue.knowledge.graph import Graph
from duologue.models.vocabulary import CopyVocabulary

FACTS = [
    Fact(subject="青石岛", relation="门票", object="30元"),
    Fact(subject="青石岛", relation="周边景点", object="白沙湾"),
    Fact(subject="青石岛", relation="周边景点", object="灯塔公园"),
    Fact(subject="白沙湾", relation="门票", object="免费"),
]
GRAPH = Graph("kg", FACTS)


def chooser() -> AttributeMatcher:
    words = CopyVocabulary.of([grams_of("门票周边景点多少钱")])
    return AttributeMatcher(new_vectors(VectorSize(vocabulary=len(words), width=16), 1), words)


def test_the_attribute_that_the_question_names_is_chosen_with_all_its_values() -> None:
    assert chooser().choose("周边景点", ["青石岛", "白沙湾"], GRAPH) == tuple(FACTS[1:3])


def test_of_equal_pairs_the_first_entity_is_chosen() -> None:
    assert chooser().choose("门票", ["白沙湾", "青石岛"], GRAPH) == (FACTS[3],)


def test_an_entity_with_facts_never_leaves_nothing() -> None:
    assert chooser().choose("", ["青石岛"], GRAPH)
    assert chooser().choose("门票", ["灯塔"], GRAPH) == ()


def test_a_long_text_is_called_an_introduction() -> None:
    assert asked_name("Information") == "简介"
    assert asked_name("门票") == "门票"


def test_grams_are_characters_and_pairs_without_marks() -> None:
    assert grams_of("门票，A？") == ["门", "票", "a", "门票", "票a"]
