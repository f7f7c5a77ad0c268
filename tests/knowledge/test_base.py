from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duologue.core.records import Fact
from duologue.knowledge import base as module
from duologue.knowledge.base import KnowledgeBase

SMALL = [
    Fact(subject="the_pig", relation="price", object="cheap"),
    Fact(subject="the_pig", relation="rating", object=46),
    Fact(subject="the_pig", relation="tags", object=("quiet", "near")),
    Fact(subject="the_owl", relation="price", object="cheap"),
    Fact(subject="the_owl", relation="rating", object="46"),
    Fact(subject="the_pig", relation="price", object="moderate"),
]


def test_facts_come_in_file_order_also_of_a_subject_met_again_later() -> None:
    base = KnowledgeBase("small", SMALL)
    assert list(base) == SMALL
    assert len(base) == 6
    assert base.name == "small"
    assert list(base.about("the_pig")) == [*SMALL[:3], SMALL[5]]
    assert list(base.about("the_owl")) == SMALL[3:5]
    assert list(base.about("nobody")) == []
    assert "the_owl" in base
    assert "nobody" not in base


def test_numbers_texts_and_tuples_are_different_values() -> None:
    base = KnowledgeBase("small", SMALL)
    assert base.subjects("rating", 46) == ["the_pig"]
    assert base.subjects("rating", "46") == ["the_owl"]
    assert base.subjects("tags", "near") == ["the_pig"]
    assert base.subjects("tags", ("quiet", "near")) == ["the_pig"]
    assert base.values("tags") == ("quiet", "near")
    assert base.objects("the_pig", "price") == ["cheap", "moderate"]
    assert base.objects("the_pig", "colour") == []


def test_relations_and_values_are_listed_in_file_order() -> None:
    base = KnowledgeBase("small", SMALL)
    assert base.relations() == ("price", "rating", "tags")
    assert base.values("price") == ("cheap", "moderate")
    assert base.values("colour") == ()
    assert base.relations_of("near") == ("tags",)
    assert base.relations_of("far") == ()
    assert base.entities() == ("the_pig", "the_owl")


def test_conditions_must_all_be_met_and_unknown_ones_are_met_by_none() -> None:
    base = KnowledgeBase("small", SMALL)
    assert base.find({}) == ["the_pig", "the_owl"]
    assert base.find({"price": "cheap"}) == ["the_pig", "the_owl"]
    assert base.find({"price": "cheap", "rating": 46}) == ["the_pig"]
    assert base.find({"price": "dear"}) == []
    assert base.find({"colour": "red"}) == []


def test_an_empty_base_answers_everything_with_nothing() -> None:
    base = KnowledgeBase("empty", [])
    assert list(base) == []
    assert base.find({}) == []
    assert base.relations() == ()


def test_a_subject_in_disorder_is_listed_once_and_in_its_place() -> None:
    names = ["c", "a", "b", "a", "c", "b"]
    base = KnowledgeBase("disorder", [Fact(subject=name, relation="is", object="here") for name in names])
    assert base.find({"is": "here"}) == ["c", "a", "b"]
    assert [len(base.about(name)) for name in "abc"] == [2, 2, 2]


def slow_find(facts: list[Fact], conditions: dict[str, int]) -> list[str]:
    names = dict.fromkeys(fact.subject for fact in facts)
    known = {(fact.subject, fact.relation, fact.object) for fact in facts}
    return [name for name in names if all((name, *condition) in known for condition in conditions.items())]


@given(
    rows=st.lists(st.tuples(st.integers(0, 30), st.sampled_from("pqr"), st.integers(0, 4)), max_size=120),
    conditions=st.dictionaries(st.sampled_from("pqr"), st.integers(0, 4), max_size=3),
    few=st.sampled_from([1, 2, 128]),
    share=st.sampled_from([1, 3, 64]),
)
def test_every_way_of_finding_finds_what_a_plain_scan_finds(
    rows: list[tuple[int, str, int]], conditions: dict[str, int], few: int, share: int
) -> None:
    facts = [Fact(subject=f"s{subject}", relation=relation, object=value) for subject, relation, value in rows]
    limits = module._FEW, module._SHARE
    module._FEW, module._SHARE = few, share
    try:
        base = KnowledgeBase("any", facts)
        expected = slow_find(facts, conditions)
        assert base.find(conditions) == expected
        assert base.find(conditions) == expected, "the second time, from what is kept"
    finally:
        module._FEW, module._SHARE = limits


def test_a_returned_list_belongs_to_the_caller() -> None:
    base = KnowledgeBase("many", [Fact(subject=f"s{number}", relation="is", object="here") for number in range(500)])
    base.find({"is": "here"}).clear()
    base.find({}).clear()
    assert len(base.find({"is": "here"})) == 500
    assert len(base.find({})) == 500
