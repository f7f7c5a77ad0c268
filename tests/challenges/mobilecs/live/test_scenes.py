from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.challenges.mobilecs.simulator.simulated_calls import calls

from duologue.challenges.mobilecs.knowledge.kb import base_of
from duologue.challenges.mobilecs.live.scenes import make_stage
from duologue.challenges.mobilecs.schema.task_infos import DIALOGUE
from duologue.challenges.mobilecs.scoring.dialogue import official
from duologue.challenges.mobilecs.systems.rule_agent import RuleAgent
from duologue.challenges.mobilecs.task import DialogueTask
from duologue.core.errors import FormatError, UsageError
from duologue.core.records import Answer, Record
from duologue.run.simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.records import Sample
    from duologue.run.simulate import Simulation


class Reciter:
    """Recites the knowledge base, whatever is said: the official Success is won by it, the strict one is not."""

    Recipe: type[Record] = Record
    seen = "nothing"

    def prepare(self, *_: Any) -> None:
        """Nothing is needed."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        values = [str(one) for slots in base_of(samples[0].knowledge).values() for one in slots.values()]
        return [Answer(text="，".join(values))]


class Silent(Reciter):
    """Never says a thing."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return [Answer(text="") for _ in samples]


@pytest.fixture
def goals(tmp_path: Path) -> Path:
    path = tmp_path / "goals.json"
    path.write_text(json.dumps(calls()[:20]), encoding="utf-8")
    return path


def simulated(goals: Path, system: Any, seed: int = 1, **options: Any) -> Simulation:
    stage = make_stage(goals, (), **{"n": 20, "seed": seed, "max_turns": None, **options})
    return simulate(DialogueTask(), system, stage, name="agent", seed=seed)


def scores(found: Simulation) -> dict[str, float]:
    return {one.name: one.value for one in found.report.scores}


def test_agents_of_different_worth(goals: Path) -> None:
    rules, reciter, silent = (scores(simulated(goals, one)) for one in (RuleAgent(), Reciter(), Silent()))
    assert rules["success"] > 0.6
    assert (reciter["success"], silent["success"]) == (1, 0)
    assert reciter["strict-success"] < rules["strict-success"]
    assert silent["reward"] < -0.5 < rules["reward"]
    assert silent["answered-requests"] == 0


def test_written_dialogues_have_the_same_success_with_the_official_scorer(goals: Path, tmp_path: Path) -> None:
    found = simulated(goals, RuleAgent())
    DialogueTask().write_dialogues(found.dialogues, tmp_path / "played.json")
    rows = json.loads((tmp_path / "played.json").read_bytes())
    assert len(list(DialogueTask().load(tmp_path / "played.json"))) == sum(len(row["content"]) for row in rows)
    scored = official.score(rows)
    assert all(one.requested for one in scored)
    assert sum(one.fulfilled for one in scored) / len(scored) == pytest.approx(scores(found)["success"])
    assert len(found.report.problems) == sum(not one.fulfilled for one in scored)


def test_equal_seeds_give_equal_dialogues_and_a_user_that_is_asked_anew_says_the_same(goals: Path) -> None:
    first, second, other = (simulated(goals, RuleAgent(), seed) for seed in (1, 1, 2))
    assert first.dialogues == second.dialogues
    assert first.report == second.report
    assert first.dialogues != other.dialogues
    stage = make_stage(goals, (), n=20, seed=1, max_turns=None)
    stage.user.prepare(DIALOGUE, 1, {})
    from duologue.core.records import Sample

    for dialogue in reversed(first.dialogues):
        last = stage.user.answer(
            [Sample(id="x", dialogue_id=dialogue.id, history=dialogue.turns[:-1], knowledge=dialogue.knowledge)]
        )
        assert last[0].text == dialogue.turns[-1].text


def test_a_conversation_that_is_cut_has_open_requests(goals: Path) -> None:
    found = simulated(goals, Silent(), max_turns=3)
    assert found.ended_by == {"max_turns": 20}
    assert scores(found)["turns"] == 1
    assert scores(found)["reward"] == pytest.approx(-0.55)


def test_some_goals_are_drawn_by_the_seed_and_fewer_than_asked_for_are_said(goals: Path) -> None:
    drawn = [{scene.id for scene in make_stage(goals, (), n=5, seed=seed, max_turns=None).scenes} for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(drawn[0]) == 5
    stage = make_stage(goals, (), n=50, seed=1, max_turns=None)
    assert "50 conversations were asked for; goals.json has 20 goals" in stage.notes[-1]


def test_a_file_without_goals_gets_sampled_ones(goals: Path) -> None:
    rows = [{key: row[key] for key in ("id", "KB", "content")} for row in calls()[:20]]
    goals.write_text(json.dumps(rows), encoding="utf-8")
    stage = make_stage(goals, (), n=20, seed=1, max_turns=None)
    assert len(stage.scenes) == 20
    assert stage.notes[1] == "20 goals were sampled from the knowledge bases, since goals.json does not give them"


def test_what_cannot_be_played(goals: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.json"
    turn = {"用户": "喂"}
    strange = {"id": "b", "KB": {"ent-1": {"name": "彩铃", "type": "业务"}}, "goal": {"咨询": "询问-电视"}}
    rows = [{"id": "a", "KB": {}, "goal": {}, "content": [turn]}, {**strange, "content": [turn]}]
    empty.write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(FormatError, match="no goal can be played"):
        make_stage(empty, (), n=1, seed=1, max_turns=None)


@pytest.mark.parametrize(
    ("kind", "nameless"), [("电视", {}), ("业务", {"ent-9": {"type": "业务", "业务费用": "五元"}})]
)
def test_a_goal_with_one_request_that_cannot_be_looked_up_is_left_out(
    goals: Path, kind: str, nameless: dict[str, dict[str, str]]
) -> None:
    row = {**calls()[0], "id": "odd"}
    odd = {**row, "KB": {**row["KB"], **nameless}, "goal": {**row["goal"], "咨询": f"询问-{kind}"}}
    goals.write_text(json.dumps([odd, calls()[1]]), encoding="utf-8")
    stage = make_stage(goals, (), n=2, seed=1, max_turns=None)
    assert [scene.id for scene in stage.scenes] == [calls()[1]["id"]]
    assert "1 dialogues ask for nothing that can be looked up" in stage.notes[1]


def test_a_user_can_learn_from_annotated_dialogues(goals: Path, tmp_path: Path) -> None:
    stages = [make_stage(goals, users, n=20, seed=1, max_turns=None) for users in ((goals,), (goals,), ())]
    assert "has learned from 20 dialogues" in stages[0].notes[0]
    first, second, other = (simulate(DialogueTask(), Reciter(), stage, name="agent", seed=1) for stage in stages)
    assert first.dialogues == second.dialogues
    assert first.dialogues != other.dialogues
    assert scores(first)["success"] == 1
    assert scores(first)["reward"] == scores(second)["reward"]
    bare = [{"id": row["id"], "KB": row["KB"], "content": [{"用户": "喂"}]} for row in calls()[:3]]
    unlabelled = tmp_path / "unlabelled.json"
    unlabelled.write_text(json.dumps(bare), encoding="utf-8")
    with pytest.raises(UsageError, match="intents of both sides"):
        make_stage(goals, (unlabelled,), n=1, seed=1, max_turns=None)
