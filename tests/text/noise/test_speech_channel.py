from __future__ import annotations

import hashlib
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.core.errors import UsageError
from duologue.core.records import Annotation, Example, Mention, Sample, Span, Turn, Value
from duologue.text.noise.chinese import SpokenChinese
from duologue.text.noise.english import SpokenEnglish
from duologue.text.noise.speech_channel import KINDS, SpeechChannel

if TYPE_CHECKING:
    from duologue.text.noise.spoken_language import SpokenLanguage

CALL = "你好，我想问一下那个青松套餐一个月多少钱，现在流量还有没有？"
TALK = "没有 呢 ， 有 什么 推荐 的 电影 吗 ？"
TABLE = "hello can you book a table for six people in london with british food in a cheap price range please"
LANGUAGES = [(SpokenChinese(), CALL), (SpokenChinese(spaced=True), TALK), (SpokenEnglish(), TABLE)]


def heard(language: SpokenLanguage, text: str, kind: str, strength: float, n: int = 60) -> list[str]:
    channel = SpeechChannel(language, 1, {kind: strength})
    return [channel.say(text, dialogue=str(number), at=0).text for number in range(n)]


@pytest.mark.parametrize(("language", "text"), LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_a_switch_with_a_strength_of_its_own(kind: str, language: SpokenLanguage, text: str) -> None:
    changed = [{at for at, one in enumerate(heard(language, text, kind, s)) if one != text} for s in (0, 0.5, 1, 3)]
    assert not changed[0]
    assert changed[1] <= changed[2] <= changed[3]  # what a small strength changes a greater one changes too
    assert len(changed[1]) < len(changed[3])


def test_fillers_and_repairs_only_add_and_cuts_only_take() -> None:
    for language, text in LANGUAGES:
        for kind in ("fillers", "repairs"):
            for one in heard(language, text, kind, 2):
                signs = iter(one)
                assert all(sign in signs for sign in text)
        assert all(one in text for one in heard(language, text, "cuts", 5))
        assert all(heard(language, text, "cuts", 5))


def test_a_number_said_wrong_is_said_right_after_it() -> None:
    found = {one for one in heard(SpokenEnglish(), "for six", "repairs", 5, 200) if one != "for six"}
    assert all(one.endswith("six") for one in found)
    assert any(one.startswith("for two") for one in found)


def test_words_between_spaces_stay_between_single_spaces() -> None:
    channel = SpeechChannel(SpokenChinese(spaced=True), 3, dict.fromkeys(KINDS, 3.0))
    for number in range(60):
        said = channel.say(TALK, dialogue=str(number), at=0).text
        assert said == " ".join(said.split())


def test_a_speaker_has_one_accent_through_a_dialogue() -> None:
    channel = SpeechChannel(SpokenEnglish(), 1, {"dialect": 5})
    said = "is there anything cheap with the right rating"
    for dialogue in map(str, range(20)):
        words = [channel.say(said, dialogue=dialogue, at=at).text.split() for at in range(8)]
        for forms in zip(*words, strict=True):
            assert len(set(forms)) <= 3  # the plain word and what this accent makes of it
    assert len({channel.say(said, dialogue=str(n), at=0).text for n in range(40)}) > 3


@given(st.integers(0, 2**32), st.text("好吗我要二三 ，？ab", max_size=30), st.data())
def test_spans_have_their_words_wherever_they_are(seed: int, text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    channel = SpeechChannel(SpokenChinese(), seed, {"fillers": 5, "repairs": 5, "cuts": 5})
    noisy = channel.say(text, [(start, end)], dialogue="d", at=0)
    first, last = noisy.spans[0]
    signs = iter(noisy.text[first:last])
    assert all(sign in signs for sign in text[start:end])  # nothing of an annotated name is lost


def test_annotations_follow_their_words() -> None:
    annotation = Annotation(
        mentions=(
            Mention(label="套餐", text="青松套餐", span=Span(turn=4, start=10, end=14)),
            Mention(label="x", text="x"),
        ),
        values=(Value(slot="时间", text="一个月", span=Span(turn=4, start=14, end=17)),),
    )
    turn = Turn(speaker="user", text=CALL, annotation=annotation)
    assert CALL[10:14] == "青松套餐"
    channel = SpeechChannel(SpokenChinese(), 1, dict.fromkeys(KINDS, 3.0))
    for number in range(40):
        noisy = channel.turn(turn, dialogue=str(number), at=4)
        assert noisy.annotation is not None
        mention, bare = noisy.annotation.mentions
        (value,) = noisy.annotation.values
        assert bare == annotation.mentions[1]
        for one, before in ((mention, "青松套餐"), (value, "一个月")):
            assert one.span is not None
            assert noisy.text[one.span.start : one.span.end] == one.text != ""
            assert SequenceMatcher(None, one.text, before).ratio() > 0 or len(one.text) == len(before)


def test_only_the_user_is_heard_through_it() -> None:
    history = tuple(Turn(speaker=who, text=TABLE) for who in ("user", "system", "api"))
    example = Example(sample=Sample(id="1", dialogue_id="1", history=history))
    noisy = SpeechChannel(SpokenEnglish(), 1, {"fillers": 5}).example(example).sample.history
    assert noisy[0].text != TABLE
    assert noisy[1:] == history[1:]


def test_the_bytes_of_a_seed_stay_the_same_on_every_python() -> None:
    said = []
    for language, text in LANGUAGES[1:]:
        channel = SpeechChannel(language, 7, dict.fromkeys(KINDS, 1.5))
        said += [channel.say(text, dialogue=str(n), at=n).text for n in range(50)]
    assert hashlib.sha256("\n".join(said).encode()).hexdigest()[:16] == "77d7d5bf1c03f437"


@pytest.mark.parametrize("strengths", [{"fillers": 6}, {"fillers": -1}, {"filler": 1}])
def test_unknown_kinds_and_strengths_are_refused(strengths: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        SpeechChannel(SpokenEnglish(), 1, strengths)
