from __future__ import annotations

from duologue.challenges.mobilecs.knowledge.kb import facts_of
from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.core.records import Sample, Turn

BASE = {
    "ent-1": {"name": "飞享套餐", "type": "主套餐", "流量总量": "一个G"},
    "ent-2": {"name": "一个g的包", "type": "流量包"},
    "NA": {"持有套餐": "飞享套餐"},
}


def view(last: str, *said: tuple[str, str]) -> CallView:
    return CallView(said, last, BASE)


def told(one: CallView, text: str) -> set[tuple[str, str]]:
    return {(one.pieces[number].owner, one.pieces[number].slot) for number in one.told_in(text)}


def test_the_longest_value_counts_whatever_its_case() -> None:
    one = view("")
    spoken = one.spoken("飞享套餐有一个g，一个G的包没有")
    assert [(part.start, part.end) for part in spoken] == [(0, 4), (5, 8), (9, 14)]
    assert told(one, "有一个G的包") == {("ent-2", "name"), ("咨询", "流量包"), ("咨询", "附加套餐")}
    assert ("ent-1", "流量总量") in told(one, "有一个g")


def test_a_text_whose_lower_case_is_longer_tells_nothing() -> None:
    assert view("").spoken("İ飞享套餐") == []


def test_the_history_of_a_sample_is_turns_with_the_systems_own_replies() -> None:
    history = (
        Turn(speaker="user", text="喂"),
        Turn(speaker="system", text="您有飞享套餐"),
        Turn(speaker="user", text="多少流量"),
    )
    one = CallView.of(Sample(id="a", dialogue_id="a", history=history, knowledge=facts_of(BASE)))
    assert (one.users, one.staff, one.last, one.turn) == (["喂"], ["您有飞享套餐"], "多少流量", 1)
    assert {one.pieces[number].slot for number in one.told_before[0]} == {"name", "持有套餐", "套餐", "主套餐"}
    assert one.said_before == [set()]
    assert one.said_now == set()


def test_what_the_user_has_said_in_part_is_not_given() -> None:
    base = {"ent-1": {"name": "彩铃", "业务费用": "五元,五块钱"}, "ent-2": {"name": "宽带", "业务费用": "十元"}}
    one = CallView([], "彩铃五元宽带十元", base)
    slots = {(piece.owner, piece.slot): number for number, piece in enumerate(one.pieces)}
    fees = {slots["ent-1", "业务费用"], slots["ent-2", "业务费用"]}
    assert one.said_now & fees == fees
    assert one.given_now & fees == {slots["ent-2", "业务费用"]}


def test_an_utterance_is_looked_through_once_and_not_in_every_turn() -> None:
    said = ("飞享套餐呢", "有一个G")
    first, later = view("喂", said), view("多少钱", said, ("嗯", "飞享套餐"))
    assert told(first, said[1]) == {("ent-1", "流量总量")}
    assert later.told_before[0] is first.told_before[0]
    assert later.said_before[0] is first.said_before[0]
    other = CallView([said], "喂", {"ent-1": {"name": "飞享套餐", "type": "主套餐", "流量总量": "两个G"}})
    assert other.told_before == [set()]


def test_what_the_staff_have_not_said_is_said_first() -> None:
    replies = ("查不到", "看不到")
    said = [("多少钱", "查不到")]
    assert CallView([], "多少钱", {}).unsaid(replies) == "查不到"
    assert CallView(said, "多少钱", {}).unsaid(replies) == "看不到"
    assert CallView([*said, ("多少钱", "看不到")], "多少钱", {}).unsaid(replies) == "查不到"
