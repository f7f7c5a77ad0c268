from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.restaurant.knowledge.facts import read_facts
from duologue.challenges.restaurant.schema.ontology import FIELDS, kb_values
from duologue.challenges.restaurant.simulator.random_kb import ADJECTIVES, NOUNS, make_kb

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from duologue.core.records import Fact


def rows_of(facts: Iterable[Fact]) -> dict[str, dict[str, str]]:
    rows: dict[str, dict[str, str]] = {}
    for fact in facts:
        rows.setdefault(fact.subject, {})[fact.relation] = str(fact.object)
    return rows


def check_structure(rows: dict[str, dict[str, str]], kb: int) -> None:
    """Assert what section 3 of the specification calls exact in both official knowledge bases."""
    values = kb_values(kb)
    cells: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    for name, row in rows.items():
        assert tuple(row) == FIELDS
        assert row["phone"] == f"{name}_phone"
        assert row["address"] == f"{name}_address"
        cells.setdefault((row["cuisine"], row["location"], row["price"]), []).append(row)
    assert len(rows) == 5_400
    assert len(cells) == 75
    for cell in cells.values():
        assert sorted(int(row["rating"]) for row in cell) == list(range(1, 73))
        for base in range(8):
            nine = [row for row in cell if (int(row["rating"]) - 1) // 9 == base]
            assert len({row["number"] for row in nine}) == 1
            assert len({(row["atmosphere"], row["restrictions"]) for row in nine}) == 9
    for field in ("cuisine", "location", "price", "atmosphere", "restrictions"):
        counts = Counter(row[field] for row in rows.values())
        assert set(counts) == set(values[field])
        assert len(set(counts.values())) == 1


@pytest.mark.parametrize("kb", [1, 2])
def test_a_generated_base_has_the_structure_of_the_official_ones(kb: int) -> None:
    check_structure(rows_of(make_kb(kb, 5)), kb)


@pytest.mark.parametrize("kb", [1, 2])
@pytest.mark.real_data(twin="test_a_generated_base_has_the_structure_of_the_official_ones")
def test_the_official_bases_have_the_structure_that_is_generated(real_restaurant: Path, kb: int) -> None:
    check_structure(rows_of(read_facts(real_restaurant / "kb" / f"extendedkb{kb}.txt.gz")), kb)


def test_names_of_the_two_bases_of_a_seed_are_disjoint_and_made_of_the_pools() -> None:
    names = [set(rows_of(make_kb(kb, 9))) for kb in (1, 2)]
    assert not names[0] & names[1]
    assert len(ADJECTIVES) == 80
    assert len(NOUNS) == 102
    for name in names[0] | names[1]:
        first, second, third, fourth = name.removeprefix("the_").split("_")
        assert {first, second} <= set(ADJECTIVES)
        assert {third, fourth} <= set(NOUNS)


def shares(facts: Iterable[Fact]) -> tuple[float, list[str]]:
    """Return the share of names that begin with `the`, and the two commonest first words."""
    names = sorted({fact.subject for fact in facts})
    words = Counter(word for name in names for word in name.removeprefix("the_").split("_")[:2])
    return sum(name.startswith("the_") for name in names) / len(names), sorted(dict(words.most_common(2)))


@pytest.mark.parametrize(("kb", "the"), [(1, 2728 / 5400), (2, 2649 / 5400)])
def test_word_frequencies_are_those_of_the_official_names(kb: int, the: float) -> None:
    share, words = shares(make_kb(kb, 3))
    assert share == pytest.approx(the, abs=0.03)
    assert words == ["high", "long"]


@pytest.mark.real_data(twin="test_word_frequencies_are_those_of_the_official_names")
@pytest.mark.parametrize(("kb", "the"), [(1, 2728 / 5400), (2, 2649 / 5400)])
def test_the_official_names_have_these_word_frequencies(real_restaurant: Path, kb: int, the: float) -> None:
    assert shares(read_facts(real_restaurant / "kb" / f"extendedkb{kb}.txt.gz")) == (the, ["high", "long"])


def test_another_seed_gives_other_names_and_another_order() -> None:
    first, second = make_kb(1, 1), make_kb(1, 2)
    assert not {fact.subject for fact in first[:900]} & {fact.subject for fact in second[:900]}
    assert [fact.object for fact in first if fact.relation == "price"] != [
        fact.object for fact in second if fact.relation == "price"
    ]
