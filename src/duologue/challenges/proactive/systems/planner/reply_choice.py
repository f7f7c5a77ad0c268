"""The choice of a reply among the candidates of a state: plan first, then predicted utility, then variety.

Only candidates with the fewest violations of the plan are left, a false role (`roles`) counted as the gravest. The best
of them is said, or a reply made of clauses of the best (`recombination`), which is ranked anew (`second_choice`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.proactive.systems.planner.clauses import clauses_of, subject_of
from duologue.challenges.proactive.systems.planner.features import NAMES
from duologue.challenges.proactive.systems.planner.plan import WORST_VIOLATION, PlanDeadlines, violations
from duologue.challenges.proactive.systems.planner.recombination import Recombination, RecombinationWeights
from duologue.challenges.proactive.systems.planner.reranking_task import with_generated
from duologue.challenges.proactive.systems.planner.roles import swap_roles
from duologue.challenges.proactive.systems.planner.template_index import tells_of_others

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duologue.challenges.proactive.systems.planner.recipe import PlannerRecipe
    from duologue.challenges.proactive.systems.planner.recombination import WeighedReply
    from duologue.challenges.proactive.systems.planner.reply_generator import ReplyGenerator
    from duologue.challenges.proactive.systems.planner.second_choice import SecondChoice
    from duologue.challenges.proactive.systems.planner.slots import Filling, Tokens
    from duologue.challenges.proactive.systems.planner.state import PlannerState
    from duologue.challenges.proactive.systems.planner.template_index import TurnCandidate
    from duologue.challenges.proactive.systems.planner.variety import Variety
    from duologue.retrieval.reranker import Reranker

_DIGITS = 4  # of a score: the digits below depend on the batch


class LearnedPlanner(NamedTuple):
    """The index with its reranker, and the words of the replies."""

    reranker: Reranker[PlannerState, TurnCandidate]
    variety: Variety
    second: SecondChoice | None = None
    """What ranks recombined replies anew, where that was learned."""
    generator: ReplyGenerator | None = None
    """What generates replies besides those of the index, where that was learned."""


class ReplyCandidates(NamedTuple):
    """The candidates for a state."""

    state: PlannerState
    found: Sequence[TurnCandidate]
    """Of the index, and generated ones."""
    drawn: Sequence[Tokens] | None = None
    """Words of replies drawn for comparison; `None` where none are drawn."""


class RecombinedList(NamedTuple):
    """Recombined replies to a state, the best first, with what made them."""

    state: PlannerState
    made: Recombination
    replies: list[WeighedReply]
    drawn: Sequence[Tokens] | None
    """As in `ReplyCandidates`."""


class ReplyChoice:
    """Chooses by a recipe and what a planner has learned."""

    def __init__(self, recipe: PlannerRecipe, learned: LearnedPlanner) -> None:
        self._recipe, self._learned = recipe, learned

    def candidates(self, state: PlannerState, apart: str | None = None) -> ReplyCandidates:
        """Return the candidates for a state, none of the index of the pair of topics `apart`."""
        task, generator = self._learned.reranker.task, self._learned.generator
        found = task.candidates(state, apart=apart)
        if generator is None or not self._recipe.generates:
            return ReplyCandidates(state, found)
        made = generator.replies(state, self._recipe)
        likely, drawn = (
            [one for one in part or () if not tells_of_others(state, one.template, task.index.needed)] for part in made
        )
        listed = with_generated(state, found, likely)
        return ReplyCandidates(state, listed, None if made.drawn is None else [one.filling.words for one in drawn])

    def predicted(self, lists: Sequence[ReplyCandidates]) -> list[list[float]]:
        """Return the predicted utility of each candidate; without a network, the agreement with the others."""
        reranker = self._learned.reranker
        if reranker.trained and self._recipe.rerank:
            return [one.tolist() for one in reranker.utilities([(one.state, one.found) for one in lists])]
        agreed = NAMES.index("characters, all")
        return [
            reranker.choice(one.state, one.found).features[:, agreed].tolist() if one.found else [] for one in lists
        ]

    def best(
        self,
        candidates: ReplyCandidates,
        predicted: Sequence[float],
        *,
        kept: Callable[[Filling], bool] | None = None,
    ) -> str:
        """Return the best reply, given the predicted utilities of the candidates.

        `kept` is what recombined replies must hold; that the candidates do is the caller's.
        """
        if self._recipe.recombine and self._recipe.rerank:
            return " ".join(self.chosen(self.recombined(candidates, predicted, kept=kept)).words)
        best = self._allowed(candidates.state, candidates.found, predicted)[0]
        return " ".join(candidates.found[best].filling.words)

    def recombined(
        self,
        candidates: ReplyCandidates,
        predicted: Sequence[float],
        *,
        kept: Callable[[Filling], bool] | None = None,
    ) -> RecombinedList:
        """Return the best replies made of clauses of candidates, none of which violates the plan more than the best.

        All hold what `kept` asks for, where the candidates do.
        """
        recipe, learned = self._recipe, self._learned
        state, found = candidates.state, candidates.found
        allowed = self._allowed(state, found, predicted)
        fewest = self._violations(state, found[allowed[0]].filling)
        subject = subject_of(state)
        made = Recombination(
            [
                clauses_of(one.template, one.filling, subject, state.domains)
                for one in (found[place] for place in allowed[: recipe.voters])
            ],
            [round(predicted[place], _DIGITS) for place in allowed],
            RecombinationWeights(voters=recipe.voters, rounds=recipe.rounds),
            lambda words: recipe.variety * learned.variety.new_words(words, opening=state.turn == 0),
        )

        def sound(filling: Filling) -> bool:
            return self._violations(state, filling) <= fewest and (kept is None or kept(filling))

        replies = made.replies(subject, sound)
        return RecombinedList(state, made, replies, candidates.drawn)

    def chosen(self, found: RecombinedList) -> Filling:
        """Return the best of the recombined replies: by their worth, or by what was learned of such lists."""
        fillings = [one.filling for one in found.replies]
        second = self._learned.second
        if second is None or not self._recipe.second_choice:
            return fillings[0]
        fresh = [self._learned.variety.new_to_own(one.words) for one in fillings]
        worths = second.worths(*found) + self._recipe.own_variety * np.array(fresh)
        return fillings[int(np.argmax(worths.round(_DIGITS + 1)))]

    def _allowed(self, state: PlannerState, found: Sequence[TurnCandidate], predicted: Sequence[float]) -> list[int]:
        """Return the places of the candidates with the fewest violations of the plan, the best first."""
        violation_scores = [self._violations(state, one.filling) for one in found]
        fewest = min(violation_scores)
        allowed = [place for place, violation in enumerate(violation_scores) if violation == fewest]
        return sorted(allowed, key=lambda place: (-self._score(state, found[place], predicted[place]), place))

    def _violations(self, state: PlannerState, filling: Filling) -> int:
        recipe = self._recipe
        deadlines = PlanDeadlines(first=recipe.first_by, second=recipe.second_by, facts=recipe.facts_by)
        false = recipe.roles and (state.roles.are_denied_by(filling) or swap_roles(filling, state.values))
        return 2 * WORST_VIOLATION * false + (violations(state, filling, deadlines) if recipe.goal else 0)

    def _score(self, state: PlannerState, one: TurnCandidate, utility: float) -> float:
        """Return the score of a candidate: utility plus weighted novelty, rounded."""
        if not self._recipe.rerank:
            return round(utility, _DIGITS)
        fresh = self._learned.variety.new_words(one.filling.words, opening=state.turn == 0)
        return round(utility + self._recipe.variety * fresh, _DIGITS)
