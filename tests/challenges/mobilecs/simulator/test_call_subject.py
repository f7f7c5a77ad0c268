from __future__ import annotations

from tests.challenges.mobilecs.simulator.call_states import entity_of

from duologue.challenges.mobilecs.simulator.call_subject import CallSubject
from duologue.challenges.mobilecs.simulator.utterance import SpanMark, Text


def test_the_last_service_heard_is_the_subject() -> None:
    first, second = entity_of(0, "套餐"), entity_of(1, "它")
    subject = CallSubject(telling=True)
    assert not subject.is_clear(first)
    said = Text("您的")
    said.add(second.names[0])
    said.add(Text("五块", SpanMark(0, "业务费用", is_mention=False)))
    subject.hear(said)
    subject.hear(Text("还有余额十块", SpanMark(None, "账户余额", is_mention=False)))
    assert subject.is_clear(first)
    assert subject.is_clear(None)
    assert subject.needs_name(second, second.names)
    assert not subject.needs_name(second, [Text(second.product.name)]), "its product names it"


def test_speakers_who_need_not_tell_leave_names_out() -> None:
    subject = CallSubject(telling=False)
    assert subject.is_clear(entity_of(0, "套餐"))
    assert not subject.needs_name(entity_of(0, "套餐"), [])


def test_words_that_may_belong_to_a_name_blur_its_ends() -> None:
    def told(before: str, after: str) -> Text:
        text = Text(before)
        text.add(Text("流量包", SpanMark(0, "流量包", is_mention=True)))
        text.add(Text(after))
        return text

    subject = CallSubject(telling=True)
    assert subject.blurs(told("我那个", ""))
    assert subject.blurs(told("您的", "这个"))
    assert not subject.blurs(told("您的", "怎么收费"))
    assert not CallSubject(telling=False).blurs(told("我那个", ""))
