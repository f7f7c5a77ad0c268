"""What the planner plugs into the reranker: candidates, features, words of states and templates, utilities."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.proactive.systems.planner.features import features
from duologue.challenges.proactive.systems.planner.state import state_words, terms_of
from duologue.challenges.proactive.systems.planner.template_index import AgentTurn, TurnCandidate, without_parts
from duologue.retrieval.template_index import NOT_INDEXED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.proactive.systems.planner.numbered_slots import FilledReply
    from duologue.challenges.proactive.systems.planner.recipe import PlannerRecipe
    from duologue.challenges.proactive.systems.planner.slots import Tokens
    from duologue.challenges.proactive.systems.planner.state import PlannerState
    from duologue.challenges.proactive.systems.planner.template_index import AgentTurnIndex

TARGETS = 2
"""Number of target utilities, see `candidate_utilities`."""
_CORPUS_F1 = 0.43  # about the score reached: the cost of a character in the second utility
_BOTH_SIZES = 42.0  # mean characters of a reply and its reference together


class TurnRerankingTask:
    """The candidates of one index for a dialogue state (a `RerankingTask`)."""

    def __init__(self, index: AgentTurnIndex, recipe: PlannerRecipe) -> None:
        self.index, self._recipe = index, recipe

    def candidates(self, state: PlannerState, apart: str | None = None) -> list[TurnCandidate]:
        """Return the candidates for a state, none of the pair of topics `apart`."""
        recipe = self._recipe
        return self.index.search(
            state, limit=recipe.candidates, pool=recipe.pool, apart=apart, facts=recipe.copy, pronouns=recipe.pronouns
        )

    def features(self, state: PlannerState, candidates: Sequence[TurnCandidate]) -> NDArray[np.float32]:
        """Return their features."""
        return features(state, candidates, self.index)

    def utilities(self, candidates: Sequence[TurnCandidate], reference: str) -> NDArray[np.float32]:
        """Return their utilities against a reference (see `candidate_utilities`)."""
        wanted = Counter("".join(reference.split()))
        rows = [candidate_utilities(Counter("".join(one.filling.words)), wanted) for one in candidates]
        return np.array(rows, dtype=np.float32)

    def state_words(self, state: PlannerState) -> Iterator[str]:
        """Return the words of a state."""
        return state_words(state)

    def template_words(self) -> list[list[str]]:
        """Return the words of each template, slots without parts."""
        return [without_parts(one.template) for one in self.index.entries]


def candidate_utilities(said: Counter[str], wanted: Counter[str]) -> tuple[float, float]:
    """Return two utilities of a reply from the character counts of it and its reference.

    The first is its F1. The second is its contribution to corpus F1 = 2 h / (p + r) (h characters shared, p predicted,
    r in the reference), linearised at the F1 assumed here: 2 h - F1 p. The first weights all replies equally, the
    second long ones more.
    """
    shared, size = (said & wanted).total(), said.total()
    return 2 * shared / max(1, size + wanted.total()), (2 * shared - _CORPUS_F1 * size) / _BOTH_SIZES


def with_generated(
    state: PlannerState, found: Sequence[TurnCandidate], generated: Sequence[FilledReply]
) -> list[TurnCandidate]:
    """Return candidates with generated replies among them: those that say something new.

    They stand in the middle of the list and have its median similarity, since no state was compared.
    """
    similarity = float(np.median([one.similarity for one in found])) if found else 1.0
    seen = {one.key for one in found}
    groups = tuple((weight, tuple(terms)) for weight, terms in terms_of(state))
    made: dict[Tokens, TurnCandidate] = {}
    for template, filling in generated:
        if filling.words not in seen and filling.words not in made:
            turn = AgentTurn(
                template=template,
                source="",
                turn=state.turn,
                domains=state.domains,
                reached=state.reached,
                groups=groups,
            )
            made[filling.words] = TurnCandidate(
                entry=NOT_INDEXED,
                similarity=similarity,
                template=template,
                filling=filling,
                variant=0,
                generated=turn,
            )
    middle = len(found) // 2
    return [*found[:middle], *made.values(), *found[middle:]]
