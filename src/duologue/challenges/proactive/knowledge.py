"""Use of goal and knowledge in replies: usable facts, mentioned objects, automatic goal completion.

The definitions are the project's own (specification, sections 7.1 and 8): no released script computes either. Texts
are compared without white space, and an object counts as mentioned if the reply contains it as a substring, elsewhere
than inside the name of a topic: who names the film "夜里的女人" does not say "女" of anyone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.proactive.schema import DOMAIN
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Example, Fact, Goal, Sample

HIGHEST_COMPLETION = 2
"""The highest score of a dialogue."""
_MARKS = "，。？！、；：,.?!;:~…·"


class UsableFact(NamedTuple):
    """A fact that a reply can use, and its object without white space, as it is matched."""

    fact: Fact
    object: str
    topics: tuple[str, ...] = ()
    """Names of the topics without white space."""

    def is_in(self, text: str) -> bool:
        """Whether a text without white space mentions the object."""
        return is_said(self.object, text, self.topics)


def without_spaces(text: str) -> str:
    """Return a text without white space."""
    return "".join(text.split())


def without_punctuation(text: str) -> str:
    """Return a text without white space and punctuation; two utterances equal after this count as the same."""
    return "".join(character for character in without_spaces(text) if character not in _MARKS)


def is_said(value: str, text: str, names: Iterable[str]) -> bool:
    """Whether a text has a value elsewhere than inside a longer name; all are without white space.

    >>> is_said("女", "夜里的女人很好看", ["夜里的女人"]), is_said("女", "夜里的女人的主演是女的", ["夜里的女人"])
    (False, True)
    """
    if value not in text:
        return False
    for name in sorted((name for name in names if value in name and value != name), key=len, reverse=True):
        text = text.replace(name, "\n")
    return value in text


def facts_of(goal: Goal | None, knowledge: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return the facts of knowledge and goal."""
    return (*knowledge, *(goal.relations if goal is not None else ()))


def domains_of(knowledge: Iterable[Fact]) -> dict[str, str]:
    """Return topic -> domain; the last domain of a topic counts."""
    return {fact.subject: str(fact.object) for fact in knowledge if fact.relation == DOMAIN}


def topics_of(sample: Sample) -> tuple[str, str]:
    """Return the topics A and B of a sample. Raises `UsageError` for a sample without a goal of two topics."""
    if sample.goal is None or len(sample.goal.topics) != 2:
        raise UsageError(f"sample '{sample.id}' has no goal of two topics; this task needs one in each")
    first, second = sample.goal.topics
    return first, second


def usable_facts(sample: Sample) -> tuple[UsableFact, ...]:
    """Return the distinct facts of knowledge and goal, except domains, topic names and empty objects."""
    if sample.goal is None:
        return ()
    names = dict.fromkeys(map(without_spaces, sample.goal.topics))
    facts = dict.fromkeys(facts_of(sample.goal, sample.knowledge))
    topics = tuple(names)
    found = (UsableFact(fact, without_spaces(str(fact.object)), topics) for fact in facts if fact.relation != DOMAIN)
    return tuple(one for one in found if one.object and one.object not in names)


def mentioned_objects(text: str, facts: Iterable[UsableFact]) -> frozenset[str]:
    """Return the objects of facts that a reply mentions; facts with the same object count as one."""
    said = without_spaces(text)
    return frozenset(one.object for one in facts if one.is_in(said))


def goal_completion(topics: Sequence[str], facts: Iterable[UsableFact], replies: Iterable[str]) -> int:
    """Return the goal completion of one dialogue, 0 to 2, from the agent's replies in order.

    0 unless both topics are mentioned, the first not after the second; otherwise 2 if at least two different facts are
    used, and 1 if not.
    """
    said = [without_spaces(reply) for reply in replies]
    places = [next((at for at, text in enumerate(said) if without_spaces(topic) in text), None) for topic in topics]
    first, second = places
    if first is None or second is None or first > second:
        return 0
    used = sum(any(map(one.is_in, said)) for one in facts)
    return HIGHEST_COMPLETION if used >= 2 else 1


def complete_dialogues(examples: Sequence[Example]) -> list[list[int]]:
    """Return the sample indices of each complete dialogue in turn order: every agent turn from the first is a sample.

    Dialogues with missing turns are left out: goal completion needs all replies.
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
