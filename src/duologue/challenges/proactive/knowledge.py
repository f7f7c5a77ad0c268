"""What replies say of the goal and the knowledge: mentioned objects, and automatic goal completion.

The definitions are the project's own (specification, sections 7.1 and 8): no released script computes either. Texts
are compared with all white space removed, and an object counts as mentioned where it occurs as it is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.proactive.schema import DOMAIN
from duologue.metrics.counts import Metric, share

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Example, Fact, Sample
    from duologue.metrics.counts import Floats

MOST = 2
"""The highest score of a dialogue."""
_MARKS = "，。？！、；：,.?!;:~…·"


class Completion(Metric[int]):
    """The mean goal completion of dialogues as a share of 2, the most. Looks at the score of one dialogue.

    Counts `dialogues` and `goal points`; both stand in the row of a dialogue's first sample.
    """

    name = "goal-completion"
    columns = ("dialogues", "goal points")
    formula = "goal-completion = goal points / (2 dialogues)"

    def count(self, seen: int) -> tuple[float, float]:
        """Return 1 and the points."""
        return 1.0, float(seen)

    def total(self, sums: Floats) -> Floats:
        """Return points / (2 dialogues); NaN where no dialogue is whole."""
        return share(sums[..., 1], MOST * sums[..., 0])


class Usable(NamedTuple):
    """A fact that a reply can use, with its object as it is looked for."""

    fact: Fact
    object: str


def squeezed(text: str) -> str:
    """Return a text without its white space."""
    return "".join(text.split())


def bare(text: str) -> str:
    """Return a text without white space and punctuation: what makes two utterances the same."""
    return "".join(character for character in squeezed(text) if character not in _MARKS)


def usable(sample: Sample) -> tuple[Usable, ...]:
    """Return the facts of knowledge and goal without domains, topic names and empty objects, each once."""
    if sample.goal is None:
        return ()
    names = {squeezed(topic) for topic in sample.goal.topics}
    facts = dict.fromkeys((*sample.knowledge, *sample.goal.relations))
    found = (Usable(fact, squeezed(str(fact.object))) for fact in facts if fact.relation != DOMAIN)
    return tuple(one for one in found if one.object and one.object not in names)


def mentioned(text: str, facts: Iterable[Usable]) -> frozenset[str]:
    """Return the objects of facts that a reply mentions; facts of one object cannot be told apart."""
    said = squeezed(text)
    return frozenset(one.object for one in facts if one.object in said)


def completion(topics: Sequence[str], facts: Iterable[Usable], replies: Iterable[str]) -> int:
    """Return the goal completion of one dialogue, 0 to 2, from the agent's replies in their order.

    0 unless both topics are mentioned and the first not later than the second; else 2 where at least two different
    facts are used, else 1.
    """
    said = [squeezed(reply) for reply in replies]
    places = [next((at for at, text in enumerate(said) if squeezed(topic) in text), None) for topic in topics]
    first, second = places
    if first is None or second is None or first > second:
        return 0
    used = sum(any(one.object in text for text in said) for one in facts)
    return MOST if used >= 2 else 1


def whole_dialogues(examples: Sequence[Example]) -> list[list[int]]:
    """Return, per dialogue of which every agent turn from the first on is a sample, their places in turn order.

    Dialogues of which only some turns are asked for are left out: their replies say too little.
    """
    groups: dict[str, list[int]] = {}
    for place, one in enumerate(examples):
        groups.setdefault(one.sample.dialogue_id, []).append(place)
    found = []
    for places in groups.values():
        ordered = sorted(places, key=lambda place: len(examples[place].sample.history))
        if [len(examples[place].sample.history) for place in ordered] == list(range(0, 2 * len(ordered), 2)):
            found.append(ordered)
    return found
