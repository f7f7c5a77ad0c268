from __future__ import annotations

import pytest

from duologue.challenges.restaurant.formats.domain_file import SHIPPED, open_domain
from duologue.challenges.restaurant.knowledge.kb import RestaurantIndex
from duologue.challenges.restaurant.schema.domain import ITEM_FIELDS, RESTAURANT
from duologue.challenges.restaurant.simulator.domain_kb import domain_facts
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.simulator.recipe import Generation, with_policy


def test_the_challenges_own_bases_stay_as_they_are() -> None:
    assert domain_facts(RESTAURANT, 2, 5) == make_kb(2, 5)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_drawn_base_has_all_fields_and_different_ratings_where_users_choose(name: str) -> None:
    domain = open_domain(name)
    facts = domain_facts(domain, 1, 3)
    assert facts == domain_facts(domain, 1, 3)
    rows: dict[str, dict[str, str]] = {}
    for fact in facts:
        rows.setdefault(fact.subject, {})[fact.relation] = str(fact.object)
    assert len(rows) == domain.entities
    assert all(set(row) == {*(slot.name for slot in domain.all_slots), *ITEM_FIELDS} for row in rows.values())
    for extra in (False, True):
        index = RestaurantIndex(domain.schema(1, extra=extra), facts)
        for names in index.matches.values():
            assert len({index.rating[one] for one in names}) == len(names)
    assert not rows.keys() & {fact.subject for fact in domain_facts(domain, 2, 3)}


def test_a_domains_users_replace_defaults_alone() -> None:
    cinema = open_domain("cinema")
    assert with_policy(Generation(), cinema).accept_chance == 0.3
    assert with_policy(Generation(accept_chance=0.9), cinema).accept_chance == 0.9
    assert with_policy(Generation(), RESTAURANT) == Generation()
