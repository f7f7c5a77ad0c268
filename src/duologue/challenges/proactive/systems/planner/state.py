"""Where a conversation stands before an agent's turn: what was said, as templates, and what is left to say."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from duologue.challenges.proactive.knowledge import squeezed
from duologue.challenges.proactive.schema import DOMAIN, FILM
from duologue.challenges.proactive.systems.planner.slots import Slotter, Value, Words, is_slot, plain, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.core.records import Sample

_LATEST = 6  # agent turns from here on are alike


@dataclass(frozen=True, kw_only=True)
class Situation:
    """A sample as the planner reads it."""

    turn: int
    """How many turns the agent had before this one."""
    domains: str
    """`F` (film) or `S` (star) for each topic."""
    relations: tuple[str, ...]
    """How the topics belong together: `b.代表作>A` where the object is the other topic, else side and predicate."""
    values: tuple[Value, ...]
    history: tuple[Words, ...]
    """All utterances as templates, the agent's first."""
    said: str
    """All utterances without white space."""
    lines: tuple[str, ...]
    """Each utterance without white space."""

    @property
    def reached(self) -> tuple[bool, bool]:
        """Whether A and B were named, by either side."""
        named = {word for line in self.history for word in line}
        return "{A}" in named, "{B}" in named

    @property
    def user(self) -> Words:
        """The user's last utterance; empty at the beginning."""
        return self.history[-1] if self.history else ()

    def agent(self, back: int = 1) -> Words:
        """Return the agent's last utterance, or an earlier one."""
        place = len(self.history) - 2 * back
        return self.history[place] if place >= 0 else ()

    def facts(self) -> dict[str, bool]:
        """Return for each slot of a fact, parts left aside, whether one of its values was said."""
        found: dict[str, bool] = {}
        for slot, words in self.values:
            if slot not in {"{A}", "{B}"}:
                name = plain(slot)
                found[name] = found.get(name, False) or "".join(words) in self.said
        return found


def situation_of(sample: Sample) -> Situation:
    """Return where the conversation of a sample stands."""
    values = values_of(sample)
    slotter = Slotter(values)
    lines = tuple(squeezed(turn.text) for turn in sample.history)
    return Situation(
        turn=len(sample.history) // 2,
        domains=_domains(sample),
        relations=_relations(sample),
        values=values,
        history=tuple(slotter(turn.text.split()) for turn in sample.history),
        said="".join(lines),
        lines=lines,
    )


def _domains(sample: Sample) -> str:
    known = {fact.subject: fact.object for fact in sample.knowledge if fact.relation == DOMAIN}
    topics = sample.goal.topics if sample.goal is not None else ()
    return "".join("F" if known.get(topic) == FILM else "S" for topic in topics)


def _relations(sample: Sample) -> tuple[str, ...]:
    if sample.goal is None or len(sample.goal.topics) != 2:
        return ()
    first, second = sample.goal.topics
    found = []
    for fact in sample.goal.relations:
        side = "a" if fact.subject == first else "b"
        other = ">B" if fact.object == second else ">A" if fact.object == first else ""
        found.append(f"{side}.{fact.relation.replace(' ', '')}{other}")
    return tuple(dict.fromkeys(found))


Terms = list[tuple[float, list[str]]]
"""Groups of terms with the weight of each group."""


def terms_of(now: Situation) -> Terms:
    """Return what makes two situations alike, for search; each group counts as its weight says."""
    user = now.user
    reached = now.reached
    heard = dict.fromkeys(word for line in now.history for word in line if is_slot(word))
    return [
        (1.0, [f"U:{word}" for word in user] + [f"V:{a}_{b}" for a, b in pairwise(user)]),
        (0.8, [f"P:{word}" for word in now.agent()]),
        (0.7, [f"K:{slot}" for slot in dict.fromkeys(value.slot for value in now.values)]),
        (0.7, [f"R:{relation}" for relation in now.relations]),
        (1.2, [f"S:{reached[0]:d}{reached[1]:d}"]),
        (0.8, [f"J:{min(now.turn, _LATEST)}"]),
        (0.7, [f"D:{now.domains[:1]}"]),
        (0.7, [f"E:{now.domains[1:]}"]),
        (0.6, [f"X:{slot}" for slot in heard]),
    ]


def words_of(now: Situation) -> Iterator[str]:
    """Yield what the network reads of a situation, as words that name their place."""
    turn, (a, b) = min(now.turn, _LATEST), now.reached
    yield from (f"J{turn}", f"S{a:d}{b:d}", f"J{turn}S{a:d}{b:d}", f"D{now.domains}")
    yield from (f"R:{relation}" for relation in now.relations)
    yield from (f"{'K1' if said else 'K0'}:{slot}" for slot, said in now.facts().items())
    user = [plain(word) if is_slot(word) else word for word in now.user]
    yield from (f"U:{word}" for word in user)
    yield from (f"V:{first}_{second}" for first, second in pairwise(user))
    yield from (f"L:{word}" for word in user[-2:])
    for mark, back in (("A", 1), ("B", 2)):
        yield from (f"{mark}:{plain(word) if is_slot(word) else word}" for word in now.agent(back))
