from __future__ import annotations

from duologue.challenges.mobilecs.simulator.speech_noise import SpeechNoise
from duologue.challenges.mobilecs.simulator.utterance import SpanMark, Text
from duologue.core.rng import Rng

MARK = SpanMark(0, "业务", is_mention=True)


def spoken(number: int, *, whole_names: bool) -> Text:
    text = Text("您看见")
    text.add(Text("定位服务", MARK))
    text.add(Text("没有呢"))
    noise = SpeechNoise(whole_names=whole_names)
    rng = Rng("noise", number)
    noise.apply(text, noise.style(rng), rng, staff=True)
    return text


def test_a_false_start_is_no_part_of_a_name_where_names_are_to_be_whole() -> None:
    differing = 0
    for number in range(2000):
        one, other = (spoken(number, whole_names=whole) for whole in (False, True))
        if one.text == other.text and one.spans != other.spans:  # a sign said twice may come between
            differing += 1
            ((start, end, _),) = one.spans
            ((later, same, _),) = other.spans
            assert start < later
            assert end == same
    assert differing >= 5
