"""Index of the agent turns of the training dialogues as templates, retrieved by similarity of dialogue state."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from duologue.challenges.proactive.systems import holdout
from duologue.challenges.proactive.systems.planner.pronouns import Pronouns
from duologue.challenges.proactive.systems.planner.slots import (
    PUNCTUATION,
    TOPICS,
    Filler,
    Filling,
    Slotter,
    Tokens,
    base_slot,
    is_slot,
)
from duologue.challenges.proactive.systems.planner.state import state_of, terms_of
from duologue.core.progress import tracked
from duologue.retrieval.postings import Postings
from duologue.retrieval.template_index import TemplateCandidate, TemplateEntry, TemplateIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    from duologue.challenges.proactive.systems.planner.state import PlannerState
    from duologue.core.protocols import Progress
    from duologue.core.records import Example, Sample
    from duologue.retrieval.template_index import RetrievedTemplate

_RARE = 15  # templates; a word of the source's knowledge that fewer of them have counts as knowledge
_FOREIGN = re.compile(r"[0-9A-Za-z０-９]")


class AgentTurn(TemplateEntry, frozen=True, kw_only=True, rename={"source": "pair"}):
    """An agent turn of a training dialogue as a template."""

    source: str
    """The sorted pair of topics; `pair` in files."""
    template: Tokens
    domains: str
    reached: tuple[bool, bool]

    @property
    def slots(self) -> tuple[str, ...]:
        """The distinct slots of the template, without parts."""
        return tuple(dict.fromkeys(base_slot(word) for word in self.template if is_slot(word)))

    @property
    def rest(self) -> list[str]:
        """Words that are neither slots nor punctuation."""
        return [word for word in self.template if not is_slot(word) and word not in PUNCTUATION]


class TurnCandidate(TemplateCandidate, frozen=True, kw_only=True):
    """A candidate reply: an indexed turn with its slots filled."""

    template: Tokens
    """The turn's template, its pronouns put right."""
    filling: Filling
    variant: int
    """0, or 1 for the filling with the next value of a slot."""
    generated: AgentTurn | None = None
    """The turn of a reply that was generated for this state; `None` for one of the index."""

    @property
    def key(self) -> Tokens:
        """Its words."""
        return self.filling.words

    @property
    def template_words(self) -> Sequence[str]:
        """The words of its template, slots without parts."""
        return without_parts(self.template)


def without_parts(template: Tokens) -> list[str]:
    """Return the words of a template, slots without parts."""
    return [base_slot(word) if is_slot(word) else word for word in template]


def pair_of(sample: Sample) -> str:
    """Return the sorted topics of a sample as one string."""
    return "\t".join(holdout.pair_of(sample))


def agent_turns_of(examples: Sequence[Example], progress: Progress | None = None) -> list[AgentTurn]:
    """Return an indexable turn for each example with a reply."""
    made: list[tuple[AgentTurn, frozenset[str]]] = []
    for example in tracked(examples, progress, "reading dialogues", every=500):
        reply = example.references[0].text if example.references else None
        if not reply:
            continue
        state = state_of(example.sample)
        template = Slotter(state.values)(reply.split())
        known = frozenset(word for value in state.values for word in value.words)
        groups = tuple((weight, tuple(terms)) for weight, terms in terms_of(state))
        entry = AgentTurn(
            template=template,
            source=pair_of(example.sample),
            turn=state.turn,
            domains=state.domains,
            reached=state.reached,
            groups=groups,
        )
        made.append((entry, known))
    said = Counter(word for entry, _ in made for word in set(entry.rest))
    return [_with_needs(entry, known, said) for entry, known in made]


def tells_of_others(state: PlannerState, template: Tokens, needed: Container[str]) -> bool:
    """Whether a template has knowledge in its wording that the state has not: numbers, foreign words, others `needed`.

    What is needed is told by the index (`TemplateIndex.needed`): what templates say of the facts of their sources.
    """
    known = _known_words(state)
    words = (word for word in template if not is_slot(word) and word not in known)
    return any(word in needed or _FOREIGN.search(word) is not None for word in words)


def _known_words(state: PlannerState) -> set[str]:
    """Return the words of facts, topics and history."""
    return {word for value in state.values for word in value.words} | {word for line in state.history for word in line}


def _with_needs(entry: AgentTurn, known: frozenset[str], said: Counter[str]) -> AgentTurn:
    """Return a turn with the words that are knowledge but no slots: numbers, foreign words, fragments of facts."""
    needs = [
        word for word in entry.rest if _FOREIGN.search(word) or (word in known and len(word) > 1 and said[word] < _RARE)
    ]
    return msgspec.structs.replace(entry, needs=tuple(dict.fromkeys(needs)))


class AgentTurnIndex(TemplateIndex[AgentTurn]):
    """Searchable index of agent turns."""

    def __init__(self, entries: Sequence[AgentTurn]) -> None:
        super().__init__(entries)
        slots = [sorted({word for word in entry.template if is_slot(word)}) for entry in self.entries]
        self._slots = Postings([[(slot, 1.0) for slot in one] for one in slots])
        self._wanted = np.array([len(one) for one in slots])
        words = Counter(word for entry in self.entries for word in set(entry.rest))
        self.rarity_of_word = {word: math.log(len(self.entries) / (1 + times)) for word, times in words.items()}
        self._slots_of = [entry.slots for entry in self.entries]
        self._rest_of = [entry.rest for entry in self.entries]

    def turn_of(self, one: TurnCandidate) -> AgentTurn:
        """Return the turn that a candidate comes from."""
        return self.entries[one.entry] if one.generated is None else one.generated

    def slots_of(self, one: TurnCandidate) -> tuple[str, ...]:
        """Return the slots of that turn, without parts."""
        return self._slots_of[one.entry] if one.generated is None else one.generated.slots

    def rest_of(self, one: TurnCandidate) -> list[str]:
        """Return its words that are neither slots nor punctuation."""
        return self._rest_of[one.entry] if one.generated is None else one.generated.rest

    def search(
        self,
        state: PlannerState,
        *,
        limit: int,
        pool: int,
        apart: str | None = None,
        facts: bool = True,
        pronouns: bool = True,
    ) -> list[TurnCandidate]:
        """Return up to `limit` different candidates from the `pool` turns with the most similar states.

        Only turns whose slots and needed words the state can provide, and none of the pair of topics `apart`.
        Ties go to the earlier turn. Without `facts` only templates without fact slots; without `pronouns` those of the
        templates stay as they were said.
        """
        filler = Filler(state.values, state.said)
        adapted: Callable[[Tokens], Tokens] = Pronouns(state) if pronouns else tuple
        usable = filler.slots if facts else TOPICS
        served = self._slots.sums([(slot, 1.0) for slot in usable]) >= self._wanted - 0.5
        known = _known_words(state)

        def candidates_of(one: RetrievedTemplate) -> Iterator[TurnCandidate]:
            template = adapted(self.entries[one.entry].template)
            for variant, filling in enumerate(filler(template)):
                yield TurnCandidate(
                    entry=one.entry, similarity=one.similarity, template=template, filling=filling, variant=variant
                )

        retrieved = self.nearest(terms_of(state), served, pool=pool, apart=apart)
        return self.distinct(retrieved, candidates_of, known=known, limit=limit)[:limit]
