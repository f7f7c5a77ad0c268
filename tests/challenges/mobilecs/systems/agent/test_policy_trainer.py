from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from duologue.challenges.mobilecs.simulator.agenda_user import AgendaUser
from duologue.challenges.mobilecs.systems.agent.agent import CustomerAgent
from duologue.challenges.mobilecs.systems.agent.policy_trainer import Playing, PolicyTrainer, play, playable_rows
from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
from duologue.challenges.mobilecs.systems.agent.reinforced_policy import ReinforcedPolicy, first_weights
from duologue.challenges.mobilecs.systems.agent.request_cues import RequestCues
from duologue.challenges.mobilecs.systems.agent.staff_policy import SupervisedPolicy
from duologue.challenges.mobilecs.systems.agent.trainer import training_rows
from duologue.core.errors import UsageError
from duologue.core.protocols import Run

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Example

TINY = AgentRecipe.tiny()


@pytest.fixture(scope="module")
def agent(calls: list[Example], tmp_path_factory: pytest.TempPathFactory) -> CustomerAgent:
    found = CustomerAgent(TINY)
    found.fit(calls, [], [], Run(folder=tmp_path_factory.mktemp("agent"), seed=1))
    return found


def changed(**entries: Any) -> AgentRecipe:
    return msgspec.structs.replace(TINY, **{"calls": 12, "calls_per_step": 4, **entries})


def test_goals_are_annotated_and_sampled_ones(calls: list[Example]) -> None:
    rows = training_rows(calls)
    found = playable_rows(rows, 1)
    assert len(rows) < len(found) <= 2 * len(rows)
    assert playable_rows(rows, 1) == found != playable_rows(rows, 2)


def test_a_call_is_played_with_the_agent_and_its_rewards_are_kept(calls: list[Example], agent: CustomerAgent) -> None:
    row = playable_rows(training_rows(calls), 1)[0]
    call = play(agent, AgendaUser(), row, first_weights(), "1", Playing(RequestCues()))
    again = play(agent, AgendaUser(), row, first_weights(), "1", Playing(RequestCues()))
    assert [turn[1:] for turn in again.turns] == [turn[1:] for turn in call.turns]
    assert call.reward == pytest.approx(call.turns[0].to_go)
    assert all(turn.features.shape[0] > max(turn.chosen, turn.supervised) for turn in call.turns)


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["policy-gradient", "reward-weighted"])
def test_a_policy_is_learned_saved_and_loaded(policy: str, calls: list[Example], tmp_path: Path) -> None:
    agents = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        made = CustomerAgent(changed(policy=policy))
        made.fit(calls, [], [], Run(folder=tmp_path / name, seed=1))
        made.save(tmp_path / name)
        agents.append(made)
    card = json.loads((tmp_path / "a" / "agent.json").read_bytes())
    assert card["policy"] == json.loads((tmp_path / "b" / "agent.json").read_bytes())["policy"]
    assert "12 simulated calls" in card["seen"]
    loaded = CustomerAgent(changed(policy=policy))
    loaded.load(tmp_path / "a")
    assert isinstance(loaded.policy, ReinforcedPolicy)
    samples = [one.sample for one in calls[:10]]
    assert loaded.answer(samples) == agents[0].answer(samples)


def test_a_supervised_agent_has_no_other_policy(agent: CustomerAgent, tmp_path: Path) -> None:
    agent.save(tmp_path)
    loaded = CustomerAgent(TINY)
    loaded.load(tmp_path)
    assert isinstance(loaded.policy, SupervisedPolicy)


def test_exploration_draws_other_actions(calls: list[Example], agent: CustomerAgent) -> None:
    row = playable_rows(training_rows(calls), 1)[0]
    sure = first_weights() * 1000
    for exploration, is_other in ((0.0, False), (1.0, True)):
        how = Playing(RequestCues(), exploration)
        turns = [turn for n in range(5) for turn in play(agent, AgendaUser(), row, sure, str(n), how).turns]
        assert any(turn.chosen != turn.supervised for turn in turns) == is_other


def test_closeness_holds_the_policy_back(calls: list[Example], agent: CustomerAgent, tmp_path: Path) -> None:
    rows, run = training_rows(calls), Run(folder=tmp_path, seed=1)
    moved = []
    for closeness in (0.0, 100.0):
        recipe = changed(policy="policy-gradient", closeness=closeness)
        learned = PolicyTrainer(agent, rows, recipe, run).learn().weights
        moved.append(learned["value"])
    assert moved[1] > moved[0]


def test_terms_of_the_reward_are_left_out(calls: list[Example], agent: CustomerAgent, tmp_path: Path) -> None:
    terms = ("turn", "repeated", "groundless", "answered", "success", "left_open")
    trainer = PolicyTrainer(
        agent,
        training_rows(calls),
        changed(policy="policy-gradient", without_reward=terms, strict_reward=0.0),
        Run(folder=tmp_path, seed=1),
    )
    call = play(agent, trainer.users[0], trainer.rows[0], first_weights(), "1", Playing(RequestCues()))
    assert not np.any([turn.to_go for turn in call.turns])


def test_without_a_goal_to_play_there_is_no_policy_to_learn(
    calls: list[Example], agent: CustomerAgent, tmp_path: Path
) -> None:
    rows = [{**row, "goal": {}, "KB": {}} for row in training_rows(calls)]
    with pytest.raises(UsageError, match="no goal of the training dialogues"):
        PolicyTrainer(agent, rows, changed(), Run(folder=tmp_path, seed=1))
