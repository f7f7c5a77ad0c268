"""Goals with their knowledge, drawn from a graph by the challenge's rule: START -> A -> B with a relation.

The figures are those of the 1,500 visible sessions (specification, section 2): 61 % of the goals have one triple that
links both topics, the others a relation and value that both share; 64 % of the relations stand among the knowledge too;
knowledge has 9 to 21 triples, hardly ever more than two of one relation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.proactive.knowledge import without_spaces
from duologue.challenges.proactive.live.segmentation import segmented
from duologue.challenges.proactive.schema import DOMAIN
from duologue.core.errors import UsageError
from duologue.core.records import Dialogue, Fact, Goal
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINKED = 0.61
_IN_KNOWLEDGE = 0.64
_SIZES = {9: 7, 10: 19, 11: 57, 12: 153, 13: 264, 14: 345, 15: 311, 16: 198, 17: 98, 18: 33, 19: 10, 20: 3, 21: 2}
"""Triples of knowledge, and how many sessions have so many."""
_FEWEST = min(_SIZES)
_OF_ONE_RELATION = 2
_LONGEST = 200
"""Characters of an object; longer ones are articles, which nobody quotes in a dialogue."""
_TRIES = 100
_FRUITLESS = 100_000
"""Draws one after the other without a new goal, after which a graph has no more."""


class _Pair(NamedTuple):
    first: str
    second: str
    relations: tuple[Fact, ...]


class _Links:
    """The topics of a graph and what links them."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self.about: dict[str, list[Fact]] = {}
        for fact in facts:
            if len(str(fact.object)) <= _LONGEST:
                self.about.setdefault(fact.subject, []).append(fact)
        self.domain = {one.subject: one for one in facts if one.relation == DOMAIN}
        names: dict[str, str] = {}
        for topic in self.domain:
            names.setdefault(without_spaces(topic), topic)
        self.linked: dict[str, list[Fact]] = {}
        shared: dict[tuple[str, str], list[Fact]] = {}
        for fact in facts:
            if fact.subject not in self.domain or fact.relation == DOMAIN or len(str(fact.object)) > _LONGEST:
                continue
            other = names.get(without_spaces(str(fact.object)))
            if other is not None and other != fact.subject:
                self.linked.setdefault(fact.subject, []).append(fact)
            elif other is None:
                shared.setdefault((fact.relation, without_spaces(str(fact.object))), []).append(fact)
        self.shared = [found for found in shared.values() if len({one.subject for one in found}) > 1]
        self.names = names

    def draw(self, rng: Rng) -> _Pair:
        """Return two topics with what links them, in an order that is drawn too."""
        if self.linked and (not self.shared or rng.happens(_LINKED)):
            fact = rng.choice(self.linked[rng.choice(list(self.linked))])
            found = _Pair(fact.subject, self.names[without_spaces(str(fact.object))], (fact,))
        else:
            group = rng.choice(self.shared)
            one = rng.choice(group)
            two = rng.choice([fact for fact in group if fact.subject != one.subject])
            found = _Pair(one.subject, two.subject, (one, two))
        if rng.happens(0.5):
            return found
        relations = found.relations if len(found.relations) == 1 else found.relations[::-1]
        return _Pair(found.second, found.first, relations)


def draw_goals(facts: Sequence[Fact], n: int, seed: int) -> list[Dialogue]:
    """Return `n` dialogues without turns, each with a goal of its own and its knowledge, drawn by the seed.

    Text is segmented where the graph's is not. Returns fewer where the graph does not have so many goals. Raises
    `UsageError` for a graph without topics that are linked.
    """
    links = _Links(facts)
    if not links.linked and not links.shared:
        raise UsageError(
            f"the graph has {len(links.domain)} topics (entities with a triple [topic, '{DOMAIN}', ...]) and none is "
            "linked with another, by a triple from one to the other or by a relation and value that both have"
        )
    found: dict[frozenset[str], Dialogue] = {}
    last = 0
    for number in range(n * _TRIES):
        if len(found) == n or number - last > _FRUITLESS:
            break
        rng = Rng("goals", seed, number)
        pair = links.draw(rng)
        topics = frozenset((pair.first, pair.second))
        knowledge = None if topics in found else _knowledge(links, pair, rng)
        if knowledge is not None:
            last = number
            found[topics] = _dialogue(f"goal-{len(found):04d}", pair, knowledge)
    if not found:
        raise UsageError(f"no two linked topics of the graph have {_FEWEST} triples of knowledge together")
    return list(found.values())


def _knowledge(links: _Links, pair: _Pair, rng: Rng) -> list[Fact] | None:
    """Return the knowledge about both topics in random order; `None` where there is too little."""
    keep = rng.happens(_IN_KNOWLEDGE)
    size = rng.weighted_key(_SIZES)
    pools = []
    taken: list[Fact] = []
    for topic in (pair.first, pair.second):
        counts: dict[str, int] = {}
        first = [links.domain[topic], *(one for one in pair.relations if keep and one.subject == topic)]
        taken += first
        pool = []
        for fact in rng.sample(links.about[topic], len(links.about[topic])):
            counts[fact.relation] = counts.get(fact.relation, 0) + 1
            mine = fact.relation == DOMAIN or fact in pair.relations
            if not mine and counts[fact.relation] <= _OF_ONE_RELATION:
                pool.append(fact)
        pools.append(pool)
    turn = 0
    while len(taken) < size and any(pools):
        if pools[turn]:
            taken.append(pools[turn].pop())
        turn = 1 - turn
    return rng.sample(taken, len(taken)) if len(taken) >= _FEWEST else None


def _dialogue(name: str, pair: _Pair, knowledge: Sequence[Fact]) -> Dialogue:
    def cut(fact: Fact) -> Fact:
        return Fact(subject=words(fact.subject), relation=words(fact.relation), object=words(str(fact.object)))

    def words(cell: str) -> str:
        return cell if cell.isascii() or " " in cell else known.setdefault(cell, segmented(cell, ()))

    known: dict[str, str] = {}
    goal = Goal(topics=(words(pair.first), words(pair.second)), relations=tuple(map(cut, pair.relations)))
    return Dialogue(id=name, turns=(), knowledge=tuple(map(cut, knowledge)), goal=goal)
