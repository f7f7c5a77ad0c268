from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.systems.planner.features import NAMES as FEATURES
from duologue.challenges.proactive.systems.planner.recipe import PlannerRecipe
from duologue.challenges.proactive.systems.planner.reply_choice import LearnedPlanner, ReplyChoice
from duologue.challenges.proactive.systems.planner.reranking_task import TARGETS, TurnRerankingTask
from duologue.challenges.proactive.systems.planner.second_choice import NAMES
from duologue.challenges.proactive.systems.planner.second_choice_trainer import with_second_choice
from duologue.challenges.proactive.systems.planner.state import state_of, state_words
from duologue.challenges.proactive.systems.planner.template_index import AgentTurnIndex, agent_turns_of, pair_of
from duologue.challenges.proactive.systems.planner.variety import OwnWords, Variety, word_frequencies
from duologue.core.protocols import Run
from duologue.models.choices import ChoiceEncoder, UtilitySize, frequent_words
from duologue.retrieval.reranker import Reranker, RerankingExample

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.challenges.proactive.systems.planner.state import PlannerState
    from duologue.challenges.proactive.systems.planner.template_index import TurnCandidate

    Make = Callable[..., Path]
    Examples = list[RerankingExample[PlannerState]]

TINY = msgspec.structs.replace(PlannerRecipe.tiny(), candidates=30, pool=40)


@pytest.fixture
def parts(sessions: Make) -> tuple[LearnedPlanner, Examples, Examples]:
    """Return a planner that ranks by agreement, and examples: those of its index, and others."""
    examples = files.load(sessions(12))
    training = examples[:32]
    task = TurnRerankingTask(AgentTurnIndex(agent_turns_of(training)), TINY)
    words = frequent_words((state_words(state_of(one.sample)) for one in training), 1)
    encoder = ChoiceEncoder(words, frequent_words(task.template_words(), 1))
    reranker: Reranker[PlannerState, TurnCandidate] = Reranker(
        task, encoder, UtilitySize.of(TINY, features=len(FEATURES), targets=TARGETS)
    )
    people = word_frequencies((one.references[0].text or "").split() for one in examples)
    made = [
        RerankingExample(one.sample.id, state_of(one.sample), one.references[0].text or "", pair_of(one.sample))
        for one in examples
    ]
    return LearnedPlanner(reranker, Variety(people, people)), made[:32], made[32:]


def test_replies_put_aside_give_weights_and_own_words(
    parts: tuple[LearnedPlanner, Examples, Examples], tmp_path: Path
) -> None:
    planner, training, held_out = parts
    learned = with_second_choice(TINY, planner, training, held_out, held_out, run=Run(folder=tmp_path, seed=1))
    assert learned.second is not None
    assert len(learned.second.weights) == len(NAMES)
    assert any(learned.second.weights)
    assert learned.variety.own is not None
    assert learned.variety.own.words.replies == len(held_out)
    assert learned.reranker is planner.reranker
    choice = ReplyChoice(msgspec.structs.replace(TINY, own_variety=0.0), learned)
    lists = [choice.candidates(one.state, apart=one.source) for one in held_out]
    said = [
        choice.best(found, predicted).split() for found, predicted in zip(lists, choice.predicted(lists), strict=True)
    ]
    assert OwnWords.of(said) == learned.variety.own  # what it counts is what it would say
