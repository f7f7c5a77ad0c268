from __future__ import annotations

from tests.challenges.mobilecs.simulator.call_states import entity_of

from duologue.challenges.mobilecs.simulator.phrases import Template
from duologue.challenges.mobilecs.simulator.surface_realiser import SurfaceRealiser, concatenated
from duologue.challenges.mobilecs.simulator.utterance import SpanMark, Text
from duologue.core.rng import Rng


def realiser_of(number: int = 0, length: float = 20) -> SurfaceRealiser:
    return SurfaceRealiser(
        Rng("realiser", number),
        about=[Template("这个套餐是上个月才办的")],
        fillers=[Template("您看一下"), Template("是这样的")],
        lengths=((0.0, length), (1.0, length)),
    )


def test_phrases_are_not_repeated_while_there_are_others() -> None:
    options = [Template("好"), Template("行")]
    differing = 0
    for number in range(50):
        realiser = realiser_of(number)
        differing += realiser.phrase(options).text != realiser.phrase(options).text
    assert differing >= 45


def test_short_intents_stay_and_others_grow_to_the_length_while_there_are_sentences() -> None:
    assert realiser_of().lengthen(Text("嗯"), "被动确认").text == "嗯"
    assert len(realiser_of().lengthen(Text("十块"), "通知").text) > 2
    whole = realiser_of(length=500).lengthen(Text("十块"), "通知").text
    assert sorted(whole.split("，")) == sorted(["十块", "这个套餐是上个月才办的", "您看一下", "是这样的"])


def test_joined_texts_keep_their_marks() -> None:
    mark = SpanMark(0, "套餐", is_mention=True)
    joined = realiser_of().join([Text("我要"), Text("飞享", mark)])
    assert (joined.text, joined.spans) == ("我要，飞享", [(3, 5, mark)])
    assert realiser_of().join([Text("一"), Text("二")], [Template("和")]).text == "一和二"
    assert concatenated(Text("我要"), Text("飞享", mark)).spans == [(2, 4, mark)]


def test_a_name_is_repeated_in_full_short_or_not_at_all() -> None:
    entity = entity_of(0, "飞享套餐", "飞享")
    assert {realiser_of(number).repeated_name(entity).text for number in range(60)} == {"飞享", "飞享套餐", ""}
