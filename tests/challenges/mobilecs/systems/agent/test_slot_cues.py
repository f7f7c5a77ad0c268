from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.slot_cues import SlotCues, slot_of

BASE = {"ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元"}, "NA": {"账户余额": "三块"}}
FEE, BALANCE, TYPE = 1, 2, 3


def view(last: str) -> CallView:
    return CallView([], last, BASE)


TURNS = [
    *((view(f"彩铃，多少_钱{noise}"), {FEE}) for noise in "啊呢"),
    (view("还剩多少"), {BALANCE}),
    (view("还剩多少呢"), {BALANCE}),
    (view("我不用了"), set[int]()),
]


def test_a_cue_tells_a_slot_by_the_share_of_its_turns() -> None:
    cues = SlotCues.of(TURNS)
    assert {one.text for one in cues.cues} == {"多少"}  # three turns at least, and twice the slot
    assert cues.cues[0].wanted == {"业务费用": 2, "NA:账户余额": 2}
    rows = cues.features(view("彩铃多少"))
    assert rows[FEE].tolist() == pytest.approx([2 / 7, 0, 1])
    assert not rows[TYPE].any()
    assert not cues.features(view("喂")).any()


def test_a_turn_that_was_counted_does_not_see_itself() -> None:
    rows = SlotCues.of(TURNS).features(TURNS[0][0], {FEE})
    assert rows[:, 0].tolist() == pytest.approx([0, 1 / 6, 2 / 6, 0])


def test_names_and_breaks_are_no_part_of_a_cue() -> None:
    assert view("那个彩铃 多少_钱，啊").masked == "那个#多少钱啊"
    assert [slot_of(one) for one in view("").pieces] == ["name", "业务费用", "NA:账户余额", "咨询:业务"]
