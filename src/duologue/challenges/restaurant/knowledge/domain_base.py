"""Knowledge base of a domain other than the challenge's: whoever gets it as a world learns of the domain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant.schema.domain import RESTAURANT, Domain
from duologue.knowledge.base import KnowledgeBase

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duologue.core.protocols import World
    from duologue.core.records import Fact


class DomainBase(KnowledgeBase):
    """A knowledge base with its domain."""

    def __init__(self, name: str, facts: Iterable[Fact], domain: Domain) -> None:
        super().__init__(name, facts)
        self.domain = domain


def domain_of(world: World | None) -> Domain:
    """Return the domain of a knowledge base; that of the challenge where it names none."""
    return world.domain if isinstance(world, DomainBase) else RESTAURANT
