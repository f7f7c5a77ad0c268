from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.missing_slot import is_missing
from duologue.challenges.mobilecs.systems.agent.network import TurnProbabilities
from duologue.challenges.mobilecs.systems.agent.slot_cues import SlotCue, SlotCues
from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffAction

CUES = SlotCues(
    [
        SlotCue(text=text, turns=17, wanted={slot: times})
        for text, slot, times in (
            ("多少分", "通话时长", 16),
            ("少分钟", "通话时长", 16),
            ("分钟", "通话时长", 14),
            ("多少", "流量总量", 4),
            ("还剩", "NA:流量余额", 18),
            ("剩多", "NA:流量余额", 18),
            ("剩多少", "NA:流量余额", 18),
            ("什么套", "咨询:套餐", 18),
            ("什么", "咨询:套餐", 18),
            ("么套", "咨询:套餐", 18),
            ("打多久", "通话时长", 12),
        )
    ]
)
PLAN = {"name": "青松套餐", "type": "套餐", "流量总量": "七个g", "业务费用": "三十八块钱"}
NAME, VOLUME, FEE = range(3)


def missing(
    asked: str, *told: int, base: dict[str, dict[str, str]] | None = None, wanted: float = 0.1, cues: SlotCues = CUES
) -> bool:
    view = CallView([], asked, {"ent-1": PLAN} if base is None else base)
    shares = np.full(len(view.pieces), wanted, dtype=np.float32)
    read = TurnProbabilities(np.zeros(3, np.float32), shares, shares, shares, [])
    return is_missing(view, read, StaffAction(("通知",), told), cues)


def test_no_other_value_is_told_for_a_slot_that_is_not_there() -> None:
    assert missing("青松套餐有多少分钟", VOLUME)
    assert missing("青松套餐有多少分钟", FEE, VOLUME)


@pytest.mark.parametrize(
    ("asked", "told", "changed"),
    [
        pytest.param("青松套餐有多少分钟", (), {}, id="nothing is told"),
        pytest.param("青松套餐有多少分钟", (NAME,), {}, id="the name alone"),
        pytest.param("七个g还有多少分钟", (VOLUME,), {}, id="what the user says is confirmed"),
        pytest.param("青松套餐有多少分钟", (VOLUME,), {"wanted": 0.6}, id="the networks know better"),
        pytest.param("嗯好的", (VOLUME,), {}, id="nothing is asked for"),
        pytest.param("青松套餐多少", (FEE,), {}, id="the slot is there"),
        pytest.param("什么套餐", (VOLUME,), {}, id="products of a type"),
        pytest.param("能打多久", (VOLUME,), {}, id="one cue may be chance"),
        pytest.param("有多少分钟", (0,), {"base": {"NA": {"通话时长": "二百分钟"}}}, id="the user has it"),
        pytest.param("还剩多少", (VOLUME,), {"base": {"ent-1": {**PLAN, "流量余额": "一个g"}}}, id="a product has it"),
    ],
)
def test_what_may_be_an_answer_is_told(asked: str, told: tuple[int, ...], changed: dict[str, Any]) -> None:
    assert not missing(asked, *told, **changed)


def test_a_slot_that_is_there_must_be_clearly_less_asked_for() -> None:
    also = SlotCues(
        [
            *CUES.cues,
            *(SlotCue(text=text, turns=17, wanted={"流量总量": 15}) for text in ("有多", "有多少", "有多少分")),
        ]
    )
    assert missing("有多少分钟", FEE)
    assert not missing("有多少分钟", FEE, cues=also)


@pytest.mark.parametrize("asked", ["青松套餐能用多久", "有效期多长", "它是多长时间的啊", "那什么时候到期"])
def test_how_long_something_lasts_is_a_slot_whose_words_training_need_not_have(asked: str) -> None:
    assert missing(asked, VOLUME)
    assert not missing(asked, VOLUME, base={"ent-1": {**PLAN, "业务时长": "六个月"}})
    assert not missing(asked, VOLUME, wanted=0.6)


def test_how_long_something_takes_is_another_question() -> None:
    assert not missing("多久能好啊", VOLUME)


def test_data_left_of_the_user_are_no_data_of_a_product() -> None:
    assert missing("还剩多少", VOLUME)
