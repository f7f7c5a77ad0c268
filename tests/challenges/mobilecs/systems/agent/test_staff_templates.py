from __future__ import annotations

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.staff_templates import AnsweredTurn, key_of, templates_of
from duologue.challenges.mobilecs.systems.agent.turn_encoder import TurnTruth

BASE = {
    "ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元"},
    "ent-2": {"name": "飞享", "type": "套餐", "业务费用": "五元"},
    "NA": {"持有套餐": "飞享"},
}


def answered(reply: str, dialogue: str = "a", asked: frozenset[int] = frozenset()) -> AnsweredTurn:
    view = CallView([], "喂", BASE)
    return AnsweredTurn(dialogue, view, TurnTruth(frozenset(), asked, asked, ("通知",), frozenset()), reply)


def test_names_and_values_become_places() -> None:
    (found,) = templates_of([answered("彩铃每月收五元，好吧")], common=1)
    assert found.parts == ("", "每月收", "，好吧")
    assert [(hole.owner, hole.slot) for hole in found.holes] == [(0, "name"), (0, "业务费用")]
    assert found.key == (("业务费用",),)
    (own,) = templates_of([answered("您用的是飞享")], common=1)
    assert own.key == (("NA", "持有套餐"),)


def test_a_value_of_two_entities_is_of_the_one_that_is_spoken_of() -> None:
    (found,) = templates_of([answered("彩铃要五元", asked=frozenset({1}))], common=1)
    assert len({hole.owner for hole in found.holes}) == 1


def test_what_may_be_other_knowledge_is_not_used_again() -> None:
    strange = answered("您可以办宽带", "b")
    other = AnsweredTurn("c", CallView([], "喂", {"ent-1": {"name": "宽带"}}), strange.truth, "有宽带")
    kept = [
        "".join(one.parts)
        for one in templates_of(
            [
                *(answered(text) for text in ("收八块", "一个月到期", "一共十八", "发到0000000", "您看一下")),
                strange,
                other,
            ],
            common=1,
        )
    ]
    assert kept == ["发到0000000", "您看一下", "有"]


def test_rare_wording_and_silence_are_left_out() -> None:
    turns = [answered("您看一下", "a"), answered("您看一下", "b"), answered("您瞧一瞧", "b"), answered("", "b")]
    assert len(templates_of(turns, common=2)) == 2


def test_keys_leave_names_beside_slots_out() -> None:
    assert key_of([("ent-1", ["name", "业务费用"]), ("NA", ["欠费"]), ("ent-2", ["name"])]) == (
        ("NA", "欠费"),
        ("name",),
        ("业务费用",),
    )
