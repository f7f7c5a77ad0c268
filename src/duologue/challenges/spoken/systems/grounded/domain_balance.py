"""Domain-balanced training: rows of rare domains are drawn more often, those of frequent ones less."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from duologue.challenges.spoken.schema.domains import domain_of
from duologue.core.rng import Rng
from duologue.core.sums import added

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

T = TypeVar("T")

OTHER = "other"
"""The domain of dialogues whose attributes tell none."""


def domains_of_dialogues(attributes: Mapping[str, Collection[str]]) -> dict[str, str]:
    """Return the domain of each dialogue by its attributes."""
    return {dialogue: domain_of(sorted(found)) or OTHER for dialogue, found in attributes.items()}


def balanced(rows: Sequence[tuple[T, str]], domains: Mapping[str, str], balance: float, seed: int) -> list[T]:
    """Return rows, each given with its dialogue, as often as their domains ask for; about as many as there are.

    A row is expected (1 / number of rows of its domain) ** `balance` times, in proportion: at 0 once, at 1 so that
    every domain has as many rows. The fraction of a row is drawn.
    """
    if not balance:
        return [row for row, _ in rows]
    sizes = Counter(domains.get(dialogue, OTHER) for _, dialogue in rows)
    weights = {domain: size**-balance for domain, size in sizes.items()}
    whole = added(weights[domain] * size for domain, size in sorted(sizes.items()))
    rng = Rng("balance", seed)
    found: list[T] = []
    for row, dialogue in rows:
        times = len(rows) * weights[domains.get(dialogue, OTHER)] / whole
        found += [row] * (int(times) + rng.happens(times % 1))
    return found
