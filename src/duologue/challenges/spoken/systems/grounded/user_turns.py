"""Turns of users that draw on the graph, as further training data of the ranker.

In the training data both speakers tell of the graph; the user's turns are seldom answered by a system, yet they show
which triples people speak of after which turns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.core.records import Answer, Example

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from duologue.challenges.spoken.systems.grounded.features import CandidatePairs


def user_turns(examples: Iterable[Example]) -> Iterator[Example]:
    """Yield an example for each turn of the user that draws on the graph, first turns apart: the last one of each."""
    for one in examples:
        *history, last = one.sample.history or (None,)
        if last is not None and history and one.asked is not None and one.asked.facts:
            sample = msgspec.structs.replace(one.sample, id=f"{one.sample.id} asked", history=tuple(history))
            yield Example(sample=sample, references=(Answer(text=last.text, annotation=one.asked),))


def without_silence(pairs: CandidatePairs) -> CandidatePairs:
    """Return candidates without `NONE`: how often users tell nothing says nothing about replies."""
    return pairs._replace(pairs=pairs.pairs[1:], features=pairs.features[1:], attributes=pairs.attributes[1:])
