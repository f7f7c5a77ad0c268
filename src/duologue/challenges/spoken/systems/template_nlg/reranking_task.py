"""What the template-based generator plugs into the reranker, and MBR rescoring of its predictions.

The network reads features only. Words of context and candidate were tried beside them: three times the training time
for no gain (mean of the three measures .558 with, .559 without, two folds of the visible dialogues).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.spoken.systems.template_nlg.features import FEATURE_NAMES, candidate_features, utility_of
from duologue.metrics.softmax import softmax
from duologue.models.choices import ChoiceEncoder, UtilitySize
from duologue.retrieval.reranker import Reranker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.spoken.systems.template_nlg.context import ReplyContext
    from duologue.challenges.spoken.systems.template_nlg.recipe import TemplateNlgRecipe
    from duologue.challenges.spoken.systems.template_nlg.template_index import ReplyCandidate, ReplyTemplateIndex

_REFERENCES = 40  # best candidates that serve as pseudo-references
_TEMPERATURE = 0.07  # of their weights, in units of utility


class ReplyRerankingTask:
    """The candidates of one index for a context (a `RerankingTask`)."""

    def __init__(self, index: ReplyTemplateIndex, recipe: TemplateNlgRecipe) -> None:
        self.index, self._recipe = index, recipe

    def candidates(self, state: ReplyContext, apart: str | None = None) -> list[ReplyCandidate]:
        """Return the candidates for a context, none of the dialogue `apart`."""
        return self.index.search(state, limit=self._recipe.candidates, pool=self._recipe.pool, apart=apart)

    def features(self, state: ReplyContext, candidates: Sequence[ReplyCandidate]) -> NDArray[np.float32]:
        """Return their features."""
        return candidate_features(state, candidates, self.index)

    def utilities(self, candidates: Sequence[ReplyCandidate], reference: str) -> NDArray[np.float32]:
        """Return the mean of BLEU-1, BLEU-2 and F1 of each."""
        return utility_of([one.text for one in candidates], [reference]).mean.astype(np.float32)


def new_reranker(index: ReplyTemplateIndex, recipe: TemplateNlgRecipe) -> Reranker[ReplyContext, ReplyCandidate]:
    """Return a reranker that reads features only."""
    size = UtilitySize.of(recipe, features=len(FEATURE_NAMES), text=False)
    return Reranker(ReplyRerankingTask(index, recipe), ChoiceEncoder(), size)


def mbr_scores(candidates: Sequence[ReplyCandidate], scored: NDArray[np.float32], weight: float) -> NDArray[np.float64]:
    """Return the predicted utility of candidates plus `weight` times their expected utility (minimum Bayes risk).

    The features already hold the agreement with neighbours, weighted by similarity; here the best candidates are the
    pseudo-references, weighted by their predicted utility.
    """
    worth = scored.astype(np.float64)
    whole = np.array([not one.head for one in candidates])
    ranked = [place for place in np.argsort(-worth, kind="stable").tolist() if whole[place] or not whole.any()]
    references = ranked[:_REFERENCES]
    weighting = softmax(worth[references], _TEMPERATURE)
    agreement = utility_of([one.text for one in candidates], [candidates[place].text for place in references]).mean
    total: NDArray[np.float64] = worth + weight * (agreement @ weighting)
    return total
