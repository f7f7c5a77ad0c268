from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.restaurant.knowledge.api_calls import arguments_of, call_text, execute, fact_lines, parse_call
from duologue.challenges.restaurant.knowledge.facts import read_facts
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.core.records import Fact
from duologue.knowledge.base import KnowledgeBase

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FIELDS = ("location", "price", "rating", "cuisine", "atmosphere", "number")
ROWS = {
    "the_kind_business_pig": ("rome", "cheap", "5", "italian", "casual", "two"),
    "a_big_owl": ("rome", "cheap", "17", "italian", "casual", "two"),
    "a_sad_owl": ("paris", "cheap", "2", "italian", "business", "two"),
}


@pytest.fixture
def base() -> KnowledgeBase:
    return KnowledgeBase(
        "small",
        [
            Fact(subject=name, relation=field, object=value)
            for name, row in ROWS.items()
            for field, value in zip(FIELDS, row, strict=True)
        ],
    )


def test_only_a_call_has_arguments() -> None:
    assert arguments_of("api_call italian rome") == ("italian", "rome")
    assert arguments_of("api_call") == ()
    assert arguments_of("api_calls italian") is None
    assert arguments_of("where should it be") is None
    assert arguments_of("") is None
    assert call_text(["italian", "rome"]) == "api_call italian rome"


def test_each_value_is_looked_up_in_the_knowledge_base_in_any_order(base: KnowledgeBase) -> None:
    call = parse_call("api_call rome casual two italian", base)
    assert call is not None
    assert call.conditions == {"location": "rome", "atmosphere": "casual", "number": "two", "cuisine": "italian"}
    assert call.unknown == ()


def test_a_value_of_two_relations_goes_to_the_one_that_is_still_free() -> None:
    base = KnowledgeBase(
        "twins",
        [
            Fact(subject="x", relation="cuisine", object="roman"),
            Fact(subject="x", relation="style", object="roman"),
            Fact(subject="y", relation="cuisine", object="roman"),
        ],
    )
    one, two = execute("api_call roman", base), execute("api_call roman roman", base)
    assert one is not None
    assert one.names == ("x", "y")
    assert two is not None
    assert two.names == ("x",)


def test_a_call_brings_the_fact_lines_of_its_matches_field_by_field(base: KnowledgeBase) -> None:
    result = execute("api_call italian rome two cheap casual", base)
    assert result is not None
    assert result.names == ("the_kind_business_pig", "a_big_owl")
    assert result.lines[:3] == (
        "the_kind_business_pig r_location rome",
        "the_kind_business_pig r_price cheap",
        "the_kind_business_pig r_rating 5",
    )
    assert len(result.lines) == 12


def test_a_limit_cuts_the_lines_but_not_the_names(base: KnowledgeBase) -> None:
    result = execute("api_call italian rome", base, limit=1)
    assert result is not None
    assert len(result.names) == 2
    assert result.lines == tuple(fact_lines(base, ["the_kind_business_pig"]))


@pytest.mark.parametrize("text", ["api_call", "api_call klingon rome", "api_call business rome"])
def test_a_call_that_says_nothing_or_something_unknown_matches_nothing(base: KnowledgeBase, text: str) -> None:
    result = execute(text, base)
    assert result is not None
    assert result.names == ()
    assert result.lines == ()


def test_what_is_no_call_has_no_result(base: KnowledgeBase) -> None:
    assert execute("whenever you're ready", base) is None


def sizes_of(facts: Iterable[Fact]) -> dict[int, int]:
    """Return how many calls with five values find how many restaurants."""
    base = KnowledgeBase("kb1", facts)
    sizes = [
        len(base.find({"cuisine": a, "location": b, "number": c, "price": d, "atmosphere": e}))
        for a in base.values("cuisine")
        for b in base.values("location")
        for c in base.values("number")
        for d in base.values("price")
        for e in base.values("atmosphere")
    ]
    return {size: sizes.count(size) for size in sorted(set(sizes))}


def test_calls_of_a_made_base_find_all_restaurants_with_their_values_in_threes() -> None:
    facts = make_kb(1, 5)
    rows: dict[str, dict[str, str]] = {}
    for fact in facts:
        rows.setdefault(fact.subject, {})[fact.relation] = str(fact.object)
    found = Counter(tuple(row[field] for field in FIELDS if field != "rating") for row in rows.values())
    wanted = Counter(found.values())
    assert sizes_of(facts) == {0: 900 - len(found), **wanted}
    assert {size % 3 for size in wanted} == {0}


@pytest.mark.real_data(twin="test_calls_of_a_made_base_find_all_restaurants_with_their_values_in_threes")
def test_real_calls_find_between_none_and_eighteen_restaurants(real_restaurant: Path) -> None:
    counts = sizes_of(read_facts(real_restaurant / "kb" / "extendedkb1.txt.gz"))
    assert counts == {0: 69, 3: 258, 6: 288, 9: 195, 12: 72, 15: 15, 18: 3}  # specification, section 3
