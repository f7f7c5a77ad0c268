from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.systems.planner.recipe import PlannerRecipe
from duologue.challenges.proactive.systems.planner.reply_generator import ReplyGenerator
from duologue.challenges.proactive.systems.planner.slots import TOPICS, Slotter, is_slot
from duologue.challenges.proactive.systems.planner.state import state_of
from duologue.challenges.proactive.systems.planner.template_index import pair_of
from duologue.core.protocols import Run
from duologue.retrieval.reranker import RerankingExample

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.challenges.proactive.systems.planner.reply_generator import GeneratedReplies
    from duologue.challenges.proactive.systems.planner.state import PlannerState

    Examples = list[RerankingExample[PlannerState]]

RECIPE = PlannerRecipe.tiny()


def with_generator(**entries: object) -> PlannerRecipe:
    return msgspec.structs.replace(RECIPE, generator=msgspec.structs.replace(RECIPE.generator, **entries))


@pytest.fixture
def examples(sessions: Callable[..., Path]) -> Examples:
    return [
        RerankingExample(one.sample.id, state_of(one.sample), one.references[0].text or "", pair_of(one.sample))
        for one in files.load(sessions(8))
    ]


@pytest.fixture
def generator(examples: Examples, tmp_path: Path) -> ReplyGenerator:
    """Return a generator that knows its few examples well."""
    recipe = with_generator(width=32, epochs=60, dropout=0.0, word_dropout=0.0, learning_rate=1e-2, precision="float32")
    return ReplyGenerator.trained(recipe, examples, examples[:8], Run(folder=tmp_path, seed=1))


def said(found: GeneratedReplies) -> list[str]:
    return [" ".join(one.filling.words) for one in found.likely]


def test_what_people_said_is_learned_with_the_facts_of_each_state(
    generator: ReplyGenerator, examples: Examples
) -> None:
    found = [generator.replies(one.state, RECIPE) for one in examples]
    assert sum(one.reference in said(replies) for one, replies in zip(examples, found, strict=True)) > len(found) / 2
    slots = [is_slot(word) for replies in found for made in replies.likely for word in made.template]
    assert any(slots)
    for one, replies in zip(examples, found, strict=True):
        assert 0 < len(replies.likely) <= 2
        assert replies.drawn is not None
        assert len(replies.drawn) <= 2
        for made in replies.likely:
            assert Slotter(made.filling.used)(made.filling.words) == made.template
            assert set(made.filling.used) <= set(one.state.values)


def test_equal_states_get_equal_replies(generator: ReplyGenerator, examples: Examples) -> None:
    assert [generator.replies(one.state, RECIPE) for one in examples] == [
        generator.replies(one.state, RECIPE) for one in examples
    ]


def test_without_facts_topics_alone_are_named(generator: ReplyGenerator, examples: Examples) -> None:
    without = msgspec.structs.replace(RECIPE, copy=False)
    found = [made for one in examples for made in generator.replies(one.state, without).likely]
    assert {value.slot for made in found for value in made.filling.used} <= set(TOPICS)


def test_beam_and_drawn_replies_can_be_left_out(generator: ReplyGenerator, examples: Examples) -> None:
    state = examples[3].state
    whole = generator.replies(state, RECIPE)
    assert generator.replies(state, with_generator(beam=0)) == ([], whole.drawn)
    for recipe in (with_generator(drawn=0), msgspec.structs.replace(RECIPE, second_choice=False)):
        assert generator.replies(state, recipe) == (whole.likely, None)
