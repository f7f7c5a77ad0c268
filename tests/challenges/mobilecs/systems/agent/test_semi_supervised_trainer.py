from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec
import pytest

from duologue.challenges.mobilecs.systems.agent.agent import CustomerAgent
from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
from duologue.challenges.mobilecs.systems.agent.reinforced_policy import ReinforcedPolicy
from duologue.challenges.mobilecs.systems.agent.semi_supervised_recipe import LatentActsRecipe
from duologue.challenges.mobilecs.systems.agent.trainer import bare_turns
from duologue.core.protocols import Run

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Example

TINY = AgentRecipe.tiny()


def without_intents(examples: list[Example]) -> list[Example]:
    return [
        msgspec.structs.replace(
            one,
            references=tuple(msgspec.structs.replace(answer, annotation=None) for answer in one.references),
            user_goal=None,
        )
        for one in examples
    ]


@pytest.fixture
def parts(calls: list[Example]) -> tuple[list[Example], list[Example]]:
    names = sorted({one.sample.dialogue_id for one in calls})
    few = set(names[:8])
    return (
        [one for one in calls if one.sample.dialogue_id in few],
        without_intents([one for one in calls if one.sample.dialogue_id not in few]),
    )


@pytest.mark.parametrize(
    "changes",
    [
        {},
        pytest.param({"staff_acts": False}, marks=pytest.mark.slow),
        pytest.param({"user_intents": False, "cues": False}, marks=pytest.mark.slow),
    ],
)
def test_dialogues_without_intents_teach(
    changes: dict[str, bool], parts: tuple[list[Example], list[Example]], tmp_path: Path
) -> None:
    labelled, bare = parts
    semi = msgspec.structs.replace(LatentActsRecipe(sure=0.1), **changes)
    agent = CustomerAgent(msgspec.structs.replace(TINY, semi_supervised=semi))
    agent.fit(labelled, [], bare, Run(folder=tmp_path, seed=1))
    alone = CustomerAgent(TINY)
    alone.fit(labelled, [], [], Run(folder=tmp_path / "alone", seed=1))
    templates = len(agent._trained().realiser.index.entries)  # what it has learned to say
    assert (templates > len(alone._trained().realiser.index.entries)) == changes.get("staff_acts", True)
    assert "dialogues without intents" in agent.seen
    agent.save(tmp_path)
    other = CustomerAgent(agent.recipe)
    other.load(tmp_path)
    samples = [one.sample for one in labelled[:5]]
    assert other.answer(samples) == agent.answer(samples)


@pytest.mark.slow
@pytest.mark.parametrize("knowledge", ["text", "global"])
def test_each_way_to_read_knowledge_learns_from_dialogues_without_intents(
    knowledge: Literal["text", "global"], parts: tuple[list[Example], list[Example]], tmp_path: Path
) -> None:
    labelled, bare = parts
    agent = CustomerAgent(msgspec.structs.replace(TINY, knowledge=knowledge))
    agent.fit(labelled, [], bare, Run(folder=tmp_path, seed=1))
    products = agent._trained().products  # what it knows
    sources = {one.source for one in products.products} if products is not None else set()
    assert bool(sources & {one.sample.dialogue_id for one in bare}) == (knowledge == "global")
    assert agent.answer([labelled[0].sample])[0].text


@pytest.mark.slow
@pytest.mark.parametrize("bare", [True, False])
def test_the_vocabulary_knows_the_slots_of_all_and_the_words_of_those_wanted(
    bare: bool,  # noqa: FBT001  # a parameter of the test
    parts: tuple[list[Example], list[Example]],
    tmp_path: Path,
) -> None:
    labelled, unlabelled = parts
    agent = CustomerAgent(msgspec.structs.replace(TINY, semi_supervised=LatentActsRecipe(vocabulary=bare, rounds=1)))
    agent.fit(labelled[:20], [], unlabelled, Run(folder=tmp_path, seed=1))
    known = agent._trained().encoder.vocabulary  # what it reads
    said = "".join(one.sample.history[-1].text.lower() for one in labelled[:20])
    assert all(gram in said for gram in known.grams) != bare
    slots = {piece.slot for one in bare_turns(unlabelled) for piece in one.view.pieces}
    assert slots <= set(known.slots)


def test_steps_of_which_nothing_is_known_teach_nothing(
    parts: tuple[list[Example], list[Example]], tmp_path: Path
) -> None:
    labelled, bare = parts
    empty = [  # nothing to look up, and staff labels are never sure enough: nothing can be learned of a turn
        msgspec.structs.replace(one, sample=msgspec.structs.replace(one.sample, knowledge=())) for one in bare[:12]
    ]
    semi = LatentActsRecipe(epochs=1, pre_training=0, user_intents=False, sure=1.0)
    agent = CustomerAgent(msgspec.structs.replace(TINY, semi_supervised=semi))
    agent.fit(labelled, [], empty, Run(folder=tmp_path, seed=1))
    assert agent.answer([labelled[0].sample])[0].text


def test_a_policy_is_learned_on_top(parts: tuple[list[Example], list[Example]], tmp_path: Path) -> None:
    labelled, bare = parts
    agent = CustomerAgent(msgspec.structs.replace(TINY, policy="reward-weighted", calls=2))
    agent.fit(labelled, [], bare, Run(folder=tmp_path, seed=1))
    assert isinstance(agent.policy, ReinforcedPolicy)
    assert agent.seen.endswith("2 simulated calls with goals of the annotated ones")


def test_intents_of_bare_turns_are_never_read(calls: list[Example]) -> None:
    for one in bare_turns(calls):
        assert not one.truth.staff_labels
        assert not one.truth.user_labels
        assert not one.truth.asked
