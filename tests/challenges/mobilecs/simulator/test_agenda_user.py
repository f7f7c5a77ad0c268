from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from tests.challenges.mobilecs.simulator.simulated_calls import calls, perfect_in_acts, perfect_in_text, played

from duologue.challenges.mobilecs.schema.intents import USER_LABELS, acts_of
from duologue.challenges.mobilecs.scoring.dialogue import official
from duologue.challenges.mobilecs.simulator.agenda_user import MAX_TURNS, AgendaUser
from duologue.challenges.mobilecs.simulator.reward import Reward
from duologue.core.errors import UsageError
from duologue.core.rng import Rng

ROW = {
    "KB": {
        "ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元"},
        "ent-2": {"name": "飞享", "type": "主套餐", "业务费用": "三十八元"},
    },
    "goal": {"ent-1": {"type": "业务", "name": "彩铃", "业务费用": "?", "用户意图": "求助-查询"}},
}


def officially(row: dict[str, Any], replies: list[str]) -> bool:
    """Whether the official scorer counts the dialogue as a success."""
    intents = {"用户意图": "问候", "用户意图-生成": "问候", "客服意图": "通知", "客服意图-生成": "通知"}
    content = [{**intents, "客服": "好", "客服-生成": reply} for reply in replies]
    return official.score([{**row, "content": content}])[0].fulfilled


@pytest.mark.parametrize("agent", [perfect_in_text, perfect_in_acts])
def test_a_perfect_agent_always_succeeds(agent: Any) -> None:
    user = AgendaUser()
    for seed in range(5):
        for row in calls():
            steps = played(user, row, agent, seed)
            assert (steps[-1].info.ended, steps[-1].info.open) == ("done", 0)
            assert officially(row, [step.info.reply for step in steps])
            assert not any(step.info.groundless for step in steps)


@pytest.mark.parametrize("intent", [None, ""])
def test_a_silent_agent_never_succeeds(intent: str | None) -> None:
    for row in calls():
        steps = played(AgendaUser(), row, lambda _asked, _base: ("", intent))
        assert steps[-1].info.ended == "gave-up"
        assert not officially(row, [step.info.reply for step in steps])
        assert "投诉反馈" in ",".join(step.intent for step in steps)


def test_an_agent_that_says_anything_at_random_seldom_succeeds() -> None:
    rng = Rng(3)
    values = sorted({one for row in calls() for slots in row["KB"].values() for one in slots.values()})
    runs = [played(AgendaUser(), row, lambda _asked, _base: (rng.choice(values), None)) for row in calls()]
    assert sum(steps[-1].info.open == 0 for steps in runs) < 0.2 * len(runs)
    assert sum(step.info.groundless for steps in runs for step in steps) > len(runs)


def test_success_is_the_official_one_however_the_dialogue_goes() -> None:
    for number, row in enumerate(calls()):
        rng = Rng(number)

        def now_and_then(intent: str, base: dict[str, Any], rng: Rng = rng) -> tuple[str, str | None]:
            return perfect_in_text(intent, base) if rng.happens(0.3) else ("这个要看当地的情况", None)

        steps = played(AgendaUser(), row, now_and_then)
        assert officially(row, [step.info.reply for step in steps]) is (steps[-1].info.open == 0)


def test_equal_seeds_give_equal_dialogues_and_intents_are_those_of_the_inventory() -> None:
    dialogues = [[played(AgendaUser(), row, perfect_in_text, seed) for row in calls()] for seed in (1, 1, 2)]
    assert dialogues[0] == dialogues[1]
    assert dialogues[0] != dialogues[2]
    labels = {act.name for steps in dialogues[0] for step in steps for act in acts_of(step.intent, "user")}
    assert labels <= set(USER_LABELS)


def asked(*replies: str, goal: dict[str, Any] | None = None, acts: bool = False) -> list[Any]:
    """Return the steps of a dialogue in which the staff say these after the request, and all is on the agenda."""
    user, row = AgendaUser(talk=0), {**ROW, **({"goal": goal} if goal else {})}
    for seed in range(50):
        user.reset(row["goal"], row["KB"], seed)
        if "(" in user.first_utterance()[1]:
            steps: list[Any] = []
            for one in replies:
                if not steps or not steps[-1].done:
                    steps.append(user.step("", one) if acts else user.step(one))
            return steps
    raise AssertionError("no seed asks at once")


def test_rewards() -> None:
    steps = asked("是六元", "是六元", "彩铃五元", "再见")
    found = [step.info.reward for step in steps]
    assert found[:2] == [-0.25, -0.35]  # a turn and a groundless value; the same reply again
    assert found[2] in {0.05, 1.05}  # the last request answered, and the end at once or one turn later
    assert asked("感谢来电，再见")[0].info == ((), 1, -0.55, 0, "感谢来电，再见", "staff-left")


def test_the_user_asks_again_in_other_words_then_complains() -> None:
    steps = asked("这个看当地情况", "系统在升级", "我们会处理的")
    assert ["ent-1-业务费用" in step.intent for step in steps] == [True, True, False]
    assert [step.done for step in steps] == [False, False, True]
    assert steps[2].intent.split(",") == ["投诉反馈", "再见"]
    assert [step.info.ended for step in steps] == ["", "", "gave-up"]


@pytest.mark.parametrize(
    ("reply", "intent"),
    [
        ("请稍等", "被动确认"),
        ("您是说彩铃是吗", "被动确认"),
        ("您是说飞享是吗", "否认,求助-查询(ent-1-业务费用)"),
        ("请问您贵姓", "提供信息"),
        ("没听清您再说一遍", "求助-查询(ent-1-业务费用)"),
        ("请问有什么可以帮您", "求助-查询(ent-1-业务费用)"),
    ],
)
def test_what_is_no_answer_is_reacted_to(reply: str, intent: str) -> None:
    assert asked(reply)[0].intent == intent


def test_acts_are_reacted_to_likewise() -> None:
    assert asked("询问", acts=True)[0].intent == "提供信息"
    assert asked("通知(ent-1-业务费用)", acts=True)[0].info.fulfilled == ("ent-1-业务费用",)
    assert asked("通知(ent-1-流量总量)", acts=True)[0].info.groundless == 1


def test_a_cancellation_ends_when_the_staff_confirm_it() -> None:
    goal = {"ent-1": {"name": "彩铃", "业务费用": "?", "用户意图": "求助-查询,取消"}}
    steps = asked("五元", "帮您看一下，请稍等", "彩铃已经帮您取消了", goal=goal)
    assert ["取消" in step.intent for step in steps] == [True, False, False]
    assert "客套" in steps[2].intent


def test_a_request_that_the_base_cannot_answer_is_settled_by_any_answer() -> None:
    goal = {"ent-1": {"name": "彩铃", "业务费用": "?", "办理渠道": "?", "用户意图": "询问"}}
    steps = asked("五元", "没有查到", "不客气", goal=goal)
    assert any(step.info.ended == "done" for step in steps if step.done) or not steps[-1].info.open


def test_a_staff_that_never_comes_to_the_point_is_left() -> None:
    steps = played(AgendaUser(max_turns=4), ROW, lambda _asked, _base: ("请稍等", None))
    assert (len(steps), steps[-1].info.ended) == (4, "too-long")
    assert len(played(AgendaUser(), ROW, lambda _asked, _base: ("请稍等", None))) < MAX_TURNS


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ({}, "no request that the knowledge base answers"),
        ({"ent-1": {"流量总量": "?"}}, "no request"),
        ({"咨询": "询问-电视"}, "type '电视' is unknown"),
    ],
)
def test_goals_that_cannot_be_played(goal: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        AgendaUser().reset(goal, ROW["KB"], 1)


def test_a_dialogue_that_is_over_takes_no_further_turn() -> None:
    user = AgendaUser()
    user.reset(ROW["goal"], ROW["KB"], 1)
    user.first_utterance()
    assert user.step("再见").done
    with pytest.raises(UsageError, match="call reset"):
        user.step("喂")


def test_a_user_without_words_does_the_same() -> None:
    for row in calls()[:20]:
        spoken, silent = (played(AgendaUser(speaks=speaks), row, perfect_in_acts) for speaks in (True, False))
        assert [step[1:] for step in spoken] == [step[1:] for step in silent]
        assert not any(step.utterance for step in silent)
        assert all(step.utterance for step in spoken)


def test_how_much_is_said_beside_the_agenda() -> None:
    means = []
    for talk in (0, 0.5, 1):
        lengths = [len(played(AgendaUser(talk=talk, speaks=False), row, perfect_in_acts)) for row in calls()]
        means.append(sum(lengths) / len(lengths))
    assert means[0] < 5 < means[1] < means[2] < 14


def test_terms_of_the_reward_can_be_switched_off() -> None:
    row = calls()[0]
    steps = played(AgendaUser(reward=Reward(turn=0, success=0)), row, perfect_in_text)
    fulfilled = len(steps[-1].info.fulfilled)
    repeats = sum(one.info.reply == other.info.reply for one, other in pairwise(steps))
    assert sum(step.info.reward for step in steps) == pytest.approx(0.1 * fulfilled - 0.1 * repeats)
