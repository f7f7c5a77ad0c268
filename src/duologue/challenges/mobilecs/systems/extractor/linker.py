"""Linker: a beam search over a call that gives each mention an entity and each value an owner.

Utterance by utterance, mentions come first and then values. A hypothesis knows what all earlier ones said of each
entity, its type and its slots, so the decisions depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.mobilecs.systems.candidate_scorer.feed_forward import CandidateList
from duologue.challenges.mobilecs.systems.extractor.link_features import mention_features, value_features
from duologue.challenges.mobilecs.systems.extractor.linked_entity import LinkedEntity, LinkHypothesis
from duologue.metrics.softmax import log_softmax

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.candidate_scorer.feed_forward import FeedForward
    from duologue.challenges.mobilecs.systems.extractor.found_parts import FoundCall, FoundPart

Scores = Callable[["NDArray[np.float32]"], "NDArray[np.float32]"]
"""Log probability of each candidate, from their features (c, f) -> (c,)."""


_WORSE = 2.0
"""Log probability by which a hypothesis may be worse than the best one."""


class LinkStep(NamedTuple):
    """A part to be linked."""

    part: FoundPart
    slot: int | None
    """That of a value, `None` for a mention."""
    place: int
    """Its place among the mentions or the values of its call."""


class LinkedCall(NamedTuple):
    """The entities of a call, and whose mentions and values are."""

    entities: tuple[LinkedEntity, ...]
    mentions: list[int]
    """Entity of each mention."""
    values: list[int]
    """Entity of each value; -1: nobody's."""


def steps_of(call: FoundCall) -> list[LinkStep]:
    """Return the mentions and values of services in the order in which they are linked."""
    steps = [LinkStep(part, None, place) for place, part in enumerate(call.mentions)]
    steps += [LinkStep(part, part.kind, place) for place, part in enumerate(call.values)]
    steps.sort(key=lambda step: (step.part.span.turn, step.slot is not None, step.part.start))
    return steps


def link(call: FoundCall, of_mentions: FeedForward, of_values: FeedForward, *, beam: int, resolve: bool) -> LinkedCall:
    """Return the best hypothesis of a call; without `resolve` each mention is an entity of its own."""
    steps = steps_of(call)
    states = [LinkHypothesis()]
    for first, last in _utterances(steps):
        for place in range(first, last):
            step = steps[place]
            grown = []
            for state in states:
                for chosen, score in _choices(step, steps, first, state, of_mentions, of_values, resolve=resolve):
                    grown.append((state.score + score, chosen, score, state))
            grown.sort(key=lambda one: -one[0])
            least = grown[0][0] - _WORSE
            states = [
                state.linked(step.part, chosen, score, step.slot)
                for total, chosen, score, state in grown[:beam]
                if total >= least
            ]
    return _linked(call, steps, states[0])


def _choices(
    step: LinkStep,
    steps: Sequence[LinkStep],
    first: int,
    state: LinkHypothesis,
    of_mentions: FeedForward,
    of_values: FeedForward,
    *,
    resolve: bool,
) -> list[tuple[int, float]]:
    """Return the entities that a part can be linked to, with their log probabilities."""
    if step.slot is None:
        if not resolve or not state.entities:
            return [(len(state.entities), 0.0)]
        shares = log_softmax(of_mentions.scores(mention_features(step.part, state), step.part.context))
    elif not state.entities:
        return [(-1, 0.0)]
    elif len(state.entities) == 1:
        return [(0, 0.0)]
    else:
        shares = log_softmax(
            of_values.scores(value_features(step.part, step.slot, state, _nearby(steps, first, state)))
        )
    return list(enumerate(shares.tolist()))


def _nearby(steps: Sequence[LinkStep], first: int, state: LinkHypothesis) -> list[tuple[FoundPart, int]]:
    """Return the mentions of the utterance that begins with step `first`, all of them linked, with their entities."""
    found = []
    for place in range(first, len(state.chosen)):
        if steps[place].slot is not None:
            break
        found.append((steps[place].part, state.chosen[place]))
    return found


def _utterances(steps: Sequence[LinkStep]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last step (exclusive) of each utterance."""
    start = 0
    for _, group in groupby(steps, key=lambda step: step.part.span.turn):
        end = start + len(list(group))
        yield start, end
        start = end


def _linked(call: FoundCall, steps: Sequence[LinkStep], state: LinkHypothesis) -> LinkedCall:
    mentions, values = [-1] * len(call.mentions), [-1] * len(call.values)
    for step, chosen in zip(steps, state.chosen, strict=True):
        (mentions if step.slot is None else values)[step.place] = chosen
    return LinkedCall(state.entities, mentions, values)


class LinkDecisions(NamedTuple):
    """Decisions of linking with their outcome."""

    mentions: list[CandidateList]
    values: list[CandidateList]


def decisions_of(call: FoundCall, owners: Sequence[str], of_values: Sequence[str]) -> LinkDecisions:
    """Return the decisions in a call whose entities are known: of each mention, of each value."""
    steps = steps_of(call)
    numbers: dict[str, int] = {}
    state, found = LinkHypothesis(), LinkDecisions([], [])
    for first, last in _utterances(steps):
        for step in steps[first:last]:
            if step.slot is None:
                name = owners[step.place]
                chosen = numbers.setdefault(name, len(state.entities))
                if state.entities:
                    found.mentions.append(_decision(mention_features(step.part, state), chosen, step.part.context))
            else:
                chosen = numbers.get(of_values[step.place], -1)
                if chosen >= 0 and len(state.entities) > 1:
                    features = value_features(step.part, step.slot, state, _nearby(steps, first, state))
                    found.values.append(_decision(features, chosen))
            state = state.linked(step.part, chosen, 0.0, step.slot)
    return found


def _decision(features: NDArray[np.float32], chosen: int, context: NDArray[np.float32] | None = None) -> CandidateList:
    right = np.zeros(len(features), dtype=np.float32)
    right[chosen] = 1
    return CandidateList(features, right, context)
