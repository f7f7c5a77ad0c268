"""Reranker of candidate replies: encoding for the utility network, and MBR rescoring of its predictions.

The network reads features only. Words of context and candidate were tried beside them: three times the training time
for no gain (mean of the three measures .558 with, .559 without, two folds of the visible dialogues).
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
    from duologue.challenges.spoken.systems.template_nlg.template_index import ReplyCandidate, ReplyTemplateIndex
    from duologue.models.utility import Choice, Collator, UtilityRanker

_LARGEST = 30_000  # value of a feature that half precision holds
_REFERENCES = 40  # best candidates that serve as pseudo-references
_TEMPERATURE = 0.07  # of their weights, in units of utility
_SOME = 20_000  # candidates from which mean and spread of the features are taken


def new_reranker(hidden: int, seed: int) -> UtilityRanker:
    """Return a network that reads features only, with the initial weights of a seed."""
    from duologue.models.utility import UtilitySize, new_utility  # needs torch

    return new_utility(
        UtilitySize(words=2, template_words=2, figures=len(FEATURE_NAMES), hidden=hidden, text=False), seed
    )


def feature_collator() -> Collator:
    """Return the collator of rows without words."""
    from duologue.models.utility import Collator  # needs torch

    return Collator(np.zeros((1, 1), dtype=np.int32))


def encode_candidates(
    context: ReplyContext, candidates: Sequence[ReplyCandidate], index: ReplyTemplateIndex, reference: str | None = None
) -> Choice:
    """Return candidates as network input; with a reference, their utility: the mean of BLEU-1, BLEU-2 and F1."""
    from duologue.models.utility import Choice  # needs torch

    values = np.clip(candidate_features(context, candidates, index), -_LARGEST, _LARGEST).astype(np.float16)
    utility = np.zeros((len(candidates), 1), dtype=np.float32)
    if reference is not None:
        utility[:] = utility_of([one.text for one in candidates], [reference]).mean[:, :1]
    return Choice(np.ones(1, dtype=np.int32), np.zeros(len(candidates), dtype=np.int32), values, utility)


def mbr_scores(candidates: Sequence[ReplyCandidate], scored: NDArray[np.float32], weight: float) -> NDArray[np.float64]:
    """Return the predicted utility of candidates plus `weight` times their expected utility (minimum Bayes risk).

    The features already hold the agreement with neighbours, weighted by similarity; here the best candidates are the
    pseudo-references, weighted by their predicted utility.
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
    """Return at most `limit` of the candidates, drawn by the id of their sample."""
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
    """Return the features of candidates spread over the rows, enough to estimate mean and spread."""
    step = max(1, sum(len(row.templates) for row in rows) // _SOME)
    return np.concatenate([row.figures for row in rows[::step]])
