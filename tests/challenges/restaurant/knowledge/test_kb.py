from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.restaurant.knowledge.facts import kb_lines
from duologue.challenges.restaurant.knowledge.kb import RestaurantIndex, read_kb, values_of
from duologue.challenges.restaurant.schema.ontology import FIELDS, kb_values, schema_of_part
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.task import RestaurantTask
from duologue.core.errors import FormatError, UsageError
from duologue.core.records import Fact

if TYPE_CHECKING:
    from pathlib import Path


def test_a_directory_finds_matches_by_the_values_of_the_api_call() -> None:
    facts = make_kb(1, 1)
    restaurants = RestaurantIndex(schema_of_part("train"), facts)
    rows: dict[str, dict[str, str]] = {}
    for fact in facts:
        rows.setdefault(fact.subject, {})[fact.relation] = str(fact.object)
    wanted = ("british", "paris", "two", "cheap", "casual")
    fields = ("cuisine", "location", "number", "price", "atmosphere")
    assert restaurants.matches.get(wanted, []) == [
        name for name, row in rows.items() if tuple(row[field] for field in fields) == wanted
    ]
    assert {len(names) % 3 for names in restaurants.matches.values()} == {0}
    assert all("fox" in name.split("_") for name in restaurants.sharing("fox"))
    assert restaurants.sharing("nosuchword") == ()


def test_a_base_in_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    facts = make_kb(2, 1)
    path = tmp_path / "kb.txt"
    path.write_text(kb_lines(facts))
    assert read_kb(path) == facts
    assert {field: set(values) for field, values in values_of(facts).items() if field in kb_values(2)} == {
        field: set(values) for field, values in kb_values(2).items()
    }


def test_every_restaurant_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    row = dict.fromkeys(FIELDS, "x") | {"rating": "7"}
    facts = [Fact(subject="good", relation=field, object=value) for field, value in row.items()]
    facts += [
        Fact(subject="poor", relation="price", object="cheap"),
        Fact(subject="odd", relation="rating", object="x"),
        *(Fact(subject="far", relation=one.relation, object=one.object) for one in facts),
        Fact(subject="far", relation="location", object="new york"),
    ]
    path = tmp_path / "kb.txt"
    path.write_text(kb_lines(facts))
    with pytest.raises(FormatError) as caught:
        read_kb(path)
    said = [(problem.rule, problem.place) for problem in caught.value.problems]
    assert said == [
        ("kb-field-missing", "restaurant 'poor'"),
        ("kb-field-missing", "restaurant 'odd'"),
        ("kb-rating", "restaurant 'odd'"),
        ("kb-value", "restaurant 'far'"),
    ]


def test_an_empty_file_is_no_base(tmp_path: Path) -> None:
    (tmp_path / "kb.txt").write_text("\n")
    with pytest.raises(FormatError, match="no restaurant"):
        read_kb(tmp_path / "kb.txt")
    with pytest.raises(FormatError, match=r"no restaurant; give another file \[kb-empty\]"):
        RestaurantTask().world(tmp_path / "kb.txt")


def test_facts_that_lack_a_slot_are_refused() -> None:
    facts = [fact for fact in make_kb(1, 1) if fact.relation != "price"]
    with pytest.raises(UsageError, match="5400 of 5400 restaurants lack a slot of 'kb1_atmosphere'"):
        RestaurantIndex(schema_of_part("train"), facts)


@pytest.mark.parametrize("rating", ["good", "nan", ""])
def test_ratings_that_are_no_numbers_are_refused(rating: str) -> None:
    facts = make_kb(1, 1)
    at = next(place for place, fact in enumerate(facts) if fact.relation == "rating")
    facts[at] = Fact(subject=facts[at].subject, relation="rating", object=rating)
    with pytest.raises(UsageError, match=f"1 of 5400 restaurants have a rating that is no number.*'{rating}'"):
        RestaurantIndex(schema_of_part("train"), facts)
