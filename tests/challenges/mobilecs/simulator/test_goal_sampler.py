from __future__ import annotations

from tests.challenges.mobilecs.simulator.simulated_calls import calls, perfect_in_text, played

from duologue.challenges.mobilecs.scoring.dialogue import official
from duologue.challenges.mobilecs.simulator.agenda_user import AgendaUser
from duologue.challenges.mobilecs.simulator.goal_sampler import sample_goal


def test_sampled_goals_can_be_played_and_answered() -> None:
    for seed in range(3):
        for row in calls():
            goal = sample_goal(row["KB"], seed)
            assert goal is not None
            assert official.requested_items(goal, row["KB"])
            assert played(AgendaUser(), {**row, "goal": goal}, perfect_in_text)[-1].info.ended == "done"


def test_goals_depend_on_the_seed_alone() -> None:
    base = calls()[0]["KB"]
    goals = [sample_goal(base, seed) for seed in range(12)]
    assert goals == [sample_goal(base, seed) for seed in range(12)]
    assert any(goal != goals[0] for goal in goals)


def test_bases_with_nothing_to_ask_for() -> None:
    assert sample_goal({}, 1) is None
    assert sample_goal({"ent-1": {"name": "彩铃"}}, 1) is None


def test_services_without_a_name_are_not_asked_for() -> None:
    nameless = {"ent-1": {"type": "套餐"}, "NA": {"用户状态": "x"}}
    assert [sample_goal(nameless, seed) for seed in range(20)] == [None] * 20
    priced = {"ent-1": {"type": "套餐", "业务费用": "5元"}}
    goals = [sample_goal(priced, seed) for seed in range(20)]
    assert all(goal is not None and "咨询" not in goal for goal in goals)
