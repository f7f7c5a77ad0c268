from __future__ import annotations

import json

from duologue.challenges.mobilecs.prompts.extraction import ExtractionPrompt
from duologue.challenges.mobilecs.schema.task_infos import EXTRACTION
from duologue.core.records import Sample, Span, Turn

TEXTS = ("彩铃彩铃多少钱", "彩铃五元", "我还欠十元")
SAMPLE = Sample(
    id="1",
    dialogue_id="1",
    history=tuple(Turn(speaker=("user", "system")[at % 2], text=text) for at, text in enumerate(TEXTS)),
)


def told(**parts: object) -> str:
    service = {
        "type": "业务",
        "mentions": [{"utterance": 0, "text": "彩铃"}] * 3
        + [{"utterance": 1, "text": "彩铃"}, {"utterance": 9, "text": "彩铃"}],
        "slots": [
            {"slot": "业务费用", "utterance": 1, "value": "五元"},
            {"slot": "欠费", "utterance": 1, "value": "五元"},
        ],
    }
    return json.dumps({"services": [service], "user": [{"slot": "欠费", "utterance": 2, "value": "十元"}], **parts})


def test_characters_are_counted_and_what_stands_nowhere_is_dropped() -> None:
    found = ExtractionPrompt(EXTRACTION).read(told(), SAMPLE)
    assert found.answer is not None
    assert found.answer.annotation is not None
    spans = [one.span for one in found.answer.annotation.mentions]
    assert spans == [Span(turn=0, start=0, end=2), Span(turn=0, start=2, end=4), Span(turn=1, start=0, end=2)]
    assert {one.entity for one in found.answer.annotation.mentions} == {"ent-1"}
    values = [(one.slot, one.text, one.entity) for one in found.answer.annotation.values]
    assert values == [("业务费用", "五元", "ent-1"), ("欠费", "十元", None)]
    assert found.dropped == 3


def test_services_that_are_named_nowhere_are_dropped_with_their_slots() -> None:
    prompt = ExtractionPrompt(EXTRACTION)
    odd = [{"type": "业务", "mentions": [], "slots": []}, {"type": "x"}, 7, {"type": "业务", "mentions": "彩铃"}]
    found = prompt.read(told(services=odd, user="x"), SAMPLE)
    assert found.answer == prompt.empty(SAMPLE)
    assert found.dropped == 6  # four services, mentions that are no list, and slots of the user that are none
    assert prompt.read(told(services={}), SAMPLE).answer is None
    assert "[1] 客服: 彩铃五元" in prompt.history(SAMPLE)
