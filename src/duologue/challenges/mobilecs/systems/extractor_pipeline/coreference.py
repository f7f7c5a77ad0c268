"""Coreference of the pipeline: each mention takes an earlier one of its piece of the text, or none (section 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.mobilecs.systems.candidate_scorer.feed_forward import CandidateList

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.candidate_scorer.feed_forward import FeedForward
    from duologue.challenges.mobilecs.systems.extractor_pipeline.tagged_call import FoundSpan


def pair_size(width: int) -> int:
    """Return the number of features of a pair of mentions, for vectors of a width."""
    return 3 * width


def antecedent_lists(
    mentions: Sequence[FoundSpan], entities: Sequence[str | None], piece: int
) -> Iterator[CandidateList]:
    """Yield the decision of each mention that has candidates; where none is of its entity, none of them is right."""
    for place, before in _antecedents(mentions, piece):
        right = np.array([entities[one] == entities[place] for one in before], dtype=np.float32)
        yield CandidateList(_pairs(mentions, place, before), right)


def clusters(mentions: Sequence[FoundSpan], scorer: FeedForward, piece: int) -> list[int]:
    """Return the number of the entity of each mention: that of its best antecedent if its score is above 0."""
    found = list(range(len(mentions)))
    for place, before in _antecedents(mentions, piece):
        scores = scorer.scores(_pairs(mentions, place, before))
        best = int(scores.argmax())
        if scores[best] > 0:
            found[place] = found[before[best]]
    return found


def _antecedents(mentions: Sequence[FoundSpan], piece: int) -> Iterator[tuple[int, list[int]]]:
    """Yield the places of mentions with those of earlier ones in the same piece, where there are any."""
    earlier: dict[int, list[int]] = {}
    for place, mention in enumerate(mentions):
        before = earlier.setdefault(mention.start // piece, [])
        if before:
            yield place, before.copy()
        before.append(place)


def _pairs(mentions: Sequence[FoundSpan], place: int, before: Sequence[int]) -> NDArray[np.float32]:
    """Return both vectors and their product for each candidate (c, 3d)."""
    others = np.stack([mentions[one].vector for one in before])
    this = np.broadcast_to(mentions[place].vector, others.shape)
    return np.concatenate([others, this, others * this], 1)
