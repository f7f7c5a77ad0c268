"""The planner's dialogue state before an agent turn: delexicalised history, topics reached, facts left."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from duologue.challenges.proactive.knowledge import domains_of, without_spaces
from duologue.challenges.proactive.schema import FILM
from duologue.challenges.proactive.systems.planner.roles import UNKNOWN, FilmRoles, roles_of
from duologue.challenges.proactive.systems.planner.slots import (
    Slotter,
    SlotValue,
    Tokens,
    base_slot,
    is_slot,
    values_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.core.records import Sample
    from duologue.retrieval.template_index import Terms

LATEST = 6
"""Agent turns from this one on are treated alike."""
_SEXES = ("{a.性别}", "{b.性别}")
_PRONOUN = {"男": "他", "女": "她"}
PRONOUNS = frozenset(_PRONOUN.values())
"""The personal pronouns that tell the sex."""


@dataclass(frozen=True, kw_only=True)
class PlannerState:
    """Dialogue state of a sample."""

    turn: int
    """Number of earlier agent turns."""
    domains: str
    """`F` (film) or `S` (star) per topic."""
    relations: tuple[str, ...]
    """Relations of the goal: `b.代表作>A` if the object is the other topic, otherwise side and predicate."""
    values: tuple[SlotValue, ...]
    history: tuple[Tokens, ...]
    """All utterances as templates; the agent starts."""
    said: str
    """All utterances without white space."""
    lines: tuple[str, ...]
    """Each utterance without white space."""
    roles: FilmRoles = UNKNOWN
    """What the star of a star and a film is to the film."""

    @property
    def reached(self) -> tuple[bool, bool]:
        """Whether A and B were named by either speaker."""
        named = {word for line in self.history for word in line}
        return "{A}" in named, "{B}" in named

    @property
    def pronouns(self) -> tuple[str, str]:
        """The pronoun of each topic by its sex; empty where the knowledge has none."""
        known = {slot: _PRONOUN.get("".join(words), "") for slot, words in self.values if slot in _SEXES}
        first, second = (known.get(slot, "") for slot in _SEXES)
        return first, second

    @property
    def user(self) -> Tokens:
        """The last user utterance; empty at the start."""
        return self.history[-1] if self.history else ()

    def agent(self, back: int = 1) -> Tokens:
        """Return the last agent utterance, or the `back`-th last."""
        place = len(self.history) - 2 * back
        return self.history[place] if place >= 0 else ()

    def facts(self) -> dict[str, bool]:
        """Return fact slot (without parts) -> whether one of its values was mentioned."""
        found: dict[str, bool] = {}
        for slot, words in self.values:
            if slot not in {"{A}", "{B}"}:
                name = base_slot(slot)
                found[name] = found.get(name, False) or "".join(words) in self.said
        return found


def state_of(sample: Sample) -> PlannerState:
    """Return the dialogue state of a sample."""
    values = values_of(sample)
    slotter = Slotter(values)
    lines = tuple(without_spaces(turn.text) for turn in sample.history)
    return PlannerState(
        turn=len(sample.history) // 2,
        domains=_domains(sample),
        relations=_relations(sample),
        values=values,
        history=tuple(slotter(turn.text.split()) for turn in sample.history),
        said="".join(lines),
        lines=lines,
        roles=roles_of(sample),
    )


def _domains(sample: Sample) -> str:
    known = domains_of(sample.knowledge)
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


def terms_of(state: PlannerState) -> Terms:
    """Return the retrieval terms of a state in weighted groups."""
    user = state.user
    reached = state.reached
    mentioned = dict.fromkeys(word for line in state.history for word in line if is_slot(word))
    return [
        (1.0, [f"U:{word}" for word in user] + [f"V:{a}_{b}" for a, b in pairwise(user)]),
        (0.8, [f"P:{word}" for word in state.agent()]),
        (0.7, [f"K:{slot}" for slot in dict.fromkeys(value.slot for value in state.values)]),
        (0.7, [f"R:{relation}" for relation in state.relations]),
        (1.2, [f"S:{reached[0]:d}{reached[1]:d}"]),
        (0.8, [f"J:{min(state.turn, LATEST)}"]),
        (0.7, [f"D:{state.domains[:1]}"]),
        (0.7, [f"E:{state.domains[1:]}"]),
        (0.6, [f"X:{slot}" for slot in mentioned]),
    ]


def state_words(state: PlannerState) -> Iterator[str]:
    """Yield the state features for the network: words prefixed with their role."""
    turn, (a, b) = min(state.turn, LATEST), state.reached
    yield from (f"J{turn}", f"S{a:d}{b:d}", f"J{turn}S{a:d}{b:d}", f"D{state.domains}")
    yield from (f"R:{relation}" for relation in state.relations)
    yield from (f"{'K1' if said else 'K0'}:{slot}" for slot, said in state.facts().items())
    user = [base_slot(word) if is_slot(word) else word for word in state.user]
    yield from (f"U:{word}" for word in user)
    yield from (f"V:{first}_{second}" for first, second in pairwise(user))
    yield from (f"L:{word}" for word in user[-2:])
    for mark, back in (("A", 1), ("B", 2)):
        yield from (f"{mark}:{base_slot(word) if is_slot(word) else word}" for word in state.agent(back))
