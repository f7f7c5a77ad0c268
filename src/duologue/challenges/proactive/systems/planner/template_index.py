"""Index of the agent turns of the training dialogues as templates, retrieved by similarity of dialogue state."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.proactive.systems import holdout
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
from duologue.core.records import Record
from duologue.knowledge.grouped_terms import GroupedTerms
from duologue.knowledge.postings import Postings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.proactive.systems.planner.state import PlannerState
    from duologue.core.protocols import Progress
    from duologue.core.records import Example, Sample

_RARE = 15  # templates; a word of the source's knowledge that fewer of them have counts as knowledge
_FOREIGN = re.compile(r"[0-9A-Za-z０-９]")


class AgentTurn(Record, frozen=True, kw_only=True):
    """An agent turn of a training dialogue as a template, with its dialogue state."""

    template: Tokens
    pair: str
    """The sorted pair of topics; excluded when its own samples are trained on."""
    turn: int
    domains: str
    reached: tuple[bool, bool]
    groups: tuple[tuple[float, tuple[str, ...]], ...]
    """Retrieval terms of its state in weighted groups."""
    needs: tuple[str, ...] = ()
    """Words that are knowledge but not slots (numbers, foreign words, fragments of facts); required to be known."""

    @property
    def slots(self) -> tuple[str, ...]:
        """The distinct slots of the template, without parts."""
        return tuple(dict.fromkeys(base_slot(word) for word in self.template if is_slot(word)))

    @property
    def rest(self) -> list[str]:
        """Words that are neither slots nor punctuation."""
        return [word for word in self.template if not is_slot(word) and word not in PUNCTUATION]


class TurnCandidate(Record, frozen=True, kw_only=True):
    """A candidate reply: an indexed turn with its slots filled."""

    entry: int
    """Index of the turn."""
    similarity: float
    """Similarity of the dialogue states; at most the sum of the group weights."""
    filling: Filling
    variant: int
    """0, or 1 for the filling with the next value of a slot."""
    times: int
    """Number of retrieved turns that give the same words."""


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
            pair=pair_of(example.sample),
            turn=state.turn,
            domains=state.domains,
            reached=state.reached,
            groups=groups,
        )
        made.append((entry, known))
    said = Counter(word for entry, _ in made for word in set(entry.rest))
    return [_with_needs(entry, known, said) for entry, known in made]


def _with_needs(entry: AgentTurn, known: frozenset[str], said: Counter[str]) -> AgentTurn:
    needs = [
        word for word in entry.rest if _FOREIGN.search(word) or (word in known and len(word) > 1 and said[word] < _RARE)
    ]
    if not needs:
        return entry
    return AgentTurn(
        template=entry.template,
        pair=entry.pair,
        turn=entry.turn,
        domains=entry.domains,
        reached=entry.reached,
        groups=entry.groups,
        needs=tuple(dict.fromkeys(needs)),
    )


class AgentTurnIndex:
    """Searchable index of agent turns."""

    def __init__(self, entries: Sequence[AgentTurn]) -> None:
        self.entries = list(entries)
        self._similarity = GroupedTerms([entry.groups for entry in self.entries])
        slots = [sorted({word for word in entry.template if is_slot(word)}) for entry in self.entries]
        self._slots = Postings([[(slot, 1.0) for slot in one] for one in slots])
        self._wanted = np.array([len(one) for one in slots])
        pairs: dict[str, int] = {}
        self._pair = np.array([pairs.setdefault(entry.pair, len(pairs)) for entry in self.entries])
        self._pairs = pairs
        words = Counter(word for entry in self.entries for word in set(entry.rest))
        self.rarity_of_word = {word: math.log(len(self.entries) / (1 + times)) for word, times in words.items()}
        self.slots_of = [entry.slots for entry in self.entries]
        self.rest_of = [entry.rest for entry in self.entries]

    def search(
        self, state: PlannerState, *, limit: int, pool: int, excluded_pair: str | None = None, facts: bool = True
    ) -> list[TurnCandidate]:
        """Return up to `limit` different candidates from the `pool` turns with the most similar states.

        Only turns whose slots and needed words the state can provide, and none of the pair of topics `excluded_pair`.
        Ties go to the earlier turn. Without `facts` only templates without fact slots.
        """
        filler = Filler(state.values, state.said)
        similar = self._similarity.similarities(terms_of(state))
        usable = filler.slots if facts else TOPICS
        served = self._slots.sums([(slot, 1.0) for slot in usable]) >= self._wanted - 0.5
        if excluded_pair is not None and excluded_pair in self._pairs:
            served &= self._pair != self._pairs[excluded_pair]
        similar[~served] = -1.0
        best = np.argsort(-similar, kind="stable") if len(similar) <= pool else _highest(similar, pool)
        known = {word for value in state.values for word in value.words} | {
            word for line in state.history for word in line
        }
        return self._filled(best, similar, filler, known, limit)

    def _filled(
        self, best: NDArray[np.intp], similar: NDArray[np.float64], filler: Filler, known: set[str], limit: int
    ) -> list[TurnCandidate]:
        found: dict[Tokens, TurnCandidate] = {}
        for number in best.tolist():
            if similar[number] < 0 or len(found) >= limit:
                break
            entry = self.entries[number]
            if not known.issuperset(entry.needs):
                continue
            for variant, filling in enumerate(filler(entry.template)):
                before = found.get(filling.words)
                if before is None:
                    similarity = float(similar[number])
                    found[filling.words] = TurnCandidate(
                        entry=number, similarity=similarity, filling=filling, variant=variant, times=1
                    )
                else:
                    found[filling.words] = TurnCandidate(
                        entry=before.entry,
                        similarity=before.similarity,
                        filling=before.filling,
                        variant=before.variant,
                        times=before.times + 1,
                    )
        return list(found.values())[:limit]


def _highest(values: NDArray[np.float64], n: int) -> NDArray[np.intp]:
    """Return the indices of the n highest values in descending order, ties by index."""
    edge = np.partition(values, len(values) - n)[len(values) - n]
    places = np.flatnonzero(values >= edge)
    return places[np.argsort(-values[places], kind="stable")][:n]
