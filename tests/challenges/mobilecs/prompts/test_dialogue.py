from __future__ import annotations

import json
from typing import Any

import pytest

from duologue.challenges.mobilecs.prompts.dialogue import ServicePrompt
from duologue.challenges.mobilecs.schema.task_infos import DIALOGUE
from duologue.core.records import Act, Annotation, Answer, Sample

SAMPLE = Sample(id="1#0", dialogue_id="1")


def test_intents_of_the_challenge_are_read_and_others_dropped() -> None:
    prompt = ServicePrompt(DIALOGUE)
    found = prompt.read(
        '{"user_intents": [{"intent": "询问", "arguments": ["青松套餐-业务费用", "a(b)", ""]}, '
        '"问候", {"intent": "x"}, 3],'
        ' "staff_intents": ["通知", "通知", "y"], "reply": "您好\\n四十六元"}',
        SAMPLE,
    )
    assert found.answer == Answer(
        text="您好 四十六元",
        annotation=Annotation(
            acts=(
                Act(speaker="user", name="询问", args=("青松套餐-业务费用",)),
                Act(speaker="user", name="问候"),
                Act(speaker="system", name="通知"),
            )
        ),
    )
    assert found.dropped == 5
    assert prompt.read('{"user_intents": []}', SAMPLE).answer is None


@pytest.mark.parametrize(
    ("told", "dropped"),
    [
        ({}, 0),
        ({"user_intents": None, "staff_intents": None}, 0),
        ({"user_intents": {"intent": "询问"}}, 1),
        ({"user_intents": "询问"}, 1),
        ({"user_intents": [{"intent": "询问", "arguments": [1, {}]}]}, 2),
        ({"user_intents": [{"intent": "询问", "arguments": {"a": "b"}}]}, 1),
        ({"staff_intents": [{"intent": "通知"}, 3]}, 2),
        ({"staff_intents": {"intent": "通知"}}, 1),
        ({"staff_intents": "通知"}, 0),
    ],
)
def test_what_has_not_the_form_of_intents_is_counted(told: dict[str, Any], dropped: int) -> None:
    found = ServicePrompt(DIALOGUE).read(json.dumps({"reply": "您好", **told}), SAMPLE)
    assert found.answer is not None
    assert found.answer.text == "您好"
    assert found.dropped == dropped


def test_the_labels_of_the_challenge_stand_in_the_instruction_and_in_the_schema() -> None:
    prompt = ServicePrompt(DIALOGUE, "en")
    system = prompt.messages(SAMPLE)[0].content
    assert "求助-故障" in system
    assert "套餐外流量计费" in system
    assert "抱歉" in prompt.schema(SAMPLE)["properties"]["staff_intents"]["items"]["enum"]
    assert prompt.said(Answer(text="x"), SAMPLE) is None
