"""From candidates to the rows of the network, which reads figures alone.

Words of situation and candidate were tried beside the figures: three times the training for nothing (mean of the three
measures .558 with, .559 without, two folds of the visible dialogues).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.spoken.systems.template_nlg.features import FEATURE_NAMES, candidate_features, utility_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.spoken.systems.template_nlg.context import ReplyContext
    from duologue.challenges.spoken.systems.template_nlg.template_index import ReplyCandidate, TemplateIndex
    from duologue.models.utility import Choice, Collator, UtilityRanker

_LARGEST = 30_000  # of a figure: half precision holds no more
_REFERENCES = 40  # candidates that speak once more
_TEMPERATURE = 0.07  # of their voices, in utility
_SOME = 20_000  # candidates that tell mean and spread of the figures


def new_reranker(hidden: int, seed: int) -> UtilityRanker:
    """Return a network that reads the figures, with the first weights of that seed."""
    from duologue.models.utility import UtilitySize, new_utility  # needs torch

    return new_utility(
        UtilitySize(words=2, template_words=2, figures=len(FEATURE_NAMES), hidden=hidden, text=False), seed
    )


def feature_collator() -> Collator:
    """Return what pads rows that have no words."""
    from duologue.models.utility import Collator  # needs torch

    return Collator(np.zeros((1, 1), dtype=np.int32))


def encode_candidates(
    context: ReplyContext, candidates: Sequence[ReplyCandidate], index: TemplateIndex, reference: str | None = None
) -> Choice:
    """Return candidates as numbers; with a reference, their utility: the mean of BLEU-1, BLEU-2 and F1 with it."""
    from duologue.models.utility import Choice  # needs torch

    values = np.clip(candidate_features(context, candidates, index), -_LARGEST, _LARGEST).astype(np.float16)
    utility = np.zeros((len(candidates), 1), dtype=np.float32)
    if reference is not None:
        utility[:] = utility_of([one.text for one in candidates], [reference]).mean[:, :1]
    return Choice(np.ones(1, dtype=np.int32), np.zeros(len(candidates), dtype=np.int32), values, utility)


def mbr_scores(candidates: Sequence[ReplyCandidate], scored: NDArray[np.float32], weight: float) -> NDArray[np.float64]:
    """Return how good candidates are by their scores and by how well they would do if the best were the references.

    The network sees how far neighbours agree with a candidate, each weighed by the likeness of its situation; here they
    speak once more, weighed by what the network thinks of them. `weight` is what a full agreement counts.
    """
    worth = scored.astype(np.float64)
    whole = np.array([not one.head for one in candidates])
    ranked = [place for place in np.argsort(-worth, kind="stable").tolist() if whole[place] or not whole.any()]
    references = ranked[:_REFERENCES]
    weighting = np.exp((worth[references] - worth[references].max()) / _TEMPERATURE)
    agreement = utility_of([one.text for one in candidates], [candidates[place].text for place in references]).mean
    total: NDArray[np.float64] = worth + weight * (agreement @ (weighting / weighting.sum()))
    return total


def sample_candidates(choice: Choice, limit: int, name: str) -> Choice:
    """Return at most so many of the candidates, drawn by the name of their sample."""
    n = len(choice.utility)
    if n <= limit:
        return choice
    draws = np.frombuffer(hashlib.shake_256(name.encode()).digest(4 * n), dtype="<u4")
    kept: NDArray[np.intp] = np.sort(np.argsort(draws, kind="stable")[:limit])
    return choice._replace(
        templates=choice.templates[kept],
        figures=choice.figures[kept],
        utility=choice.utility[kept],
    )


def sample_features(rows: Sequence[Choice]) -> NDArray[np.float16]:
    """Return figures of candidates spread over the rows: enough to tell their mean and spread."""
    step = max(1, sum(len(row.templates) for row in rows) // _SOME)
    return np.concatenate([row.figures for row in rows[::step]])
