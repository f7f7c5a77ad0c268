"""Knowledge bases of domains: those that a domain brings, else drawn ones in which users have a choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant.schema.domain import RESTAURANT
from duologue.challenges.restaurant.simulator.random_kb import make_kb, new_names
from duologue.core.records import Fact
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from duologue.challenges.restaurant.schema.domain import Domain

_MAX_OPTIONS = 12
"""Maximum number of entities that one draw gives all values of a request."""
_RATINGS = 10_000


def domain_facts(domain: Domain, kb: int, seed: int) -> list[Fact]:
    """Return the facts of knowledge base 1 or 2 of a domain.

    Drawn ones: the entities that share the values of a request have different ratings; no name is in both bases.
    """
    if domain == RESTAURANT:
        return make_kb(kb, seed)
    given = domain.facts if kb == 1 else domain.other_facts
    if given:
        return list(given)
    schema = domain.schema(kb, extra=False)
    rng = Rng(seed, "domain", domain.name, kb)
    rows: list[dict[str, str]] = []
    ratings: dict[tuple[str, ...], list[int]] = {}
    while len(rows) < domain.entities:
        key = tuple(rng.choice(schema.values[slot.name]) for slot in schema.slots)
        free = ratings.setdefault(key, rng.sample(range(1, _RATINGS), _RATINGS // 100))
        for _ in range(min(1 + rng.below(_MAX_OPTIONS), domain.entities - len(rows))):
            row = {slot.name: value for slot, value in zip(schema.slots, key, strict=True)}
            if domain.unseen is not None:
                row[domain.unseen.name] = rng.choice(schema.values[domain.unseen.name])
            rows.append(row | {"rating": str(free.pop() if free else rng.below(_RATINGS))})
    taken: set[str] = set()
    names = _names(domain, 1, taken, seed)
    if kb == 2:  # a name of base 1 is never used again
        names = _names(domain, 2, taken, seed)
    facts: list[Fact] = []
    for name, row in zip(names, rng.shuffled(rows), strict=True):
        row |= {"phone": f"{name}_phone", "address": f"{name}_address"}
        facts += [Fact(subject=name, relation=field, object=row[field]) for field in schema.fields]
    return facts


def _names(domain: Domain, kb: int, taken: set[str], seed: int) -> list[str]:
    rng = Rng(seed, "domain-names", domain.name, kb)
    names = new_names(domain.entities, taken, rng)
    return [f"{name}_{rng.choice(domain.name_words)}" for name in names] if domain.name_words else names
