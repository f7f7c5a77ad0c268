from __future__ import annotations

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


def test_the_labels_of_the_challenge_stand_in_the_instruction_and_in_the_schema() -> None:
    prompt = ServicePrompt(DIALOGUE, "en")
    system = prompt.messages(SAMPLE)[0].content
    assert "求助-故障" in system
    assert "套餐外流量计费" in system
    assert "抱歉" in prompt.schema(SAMPLE)["properties"]["staff_intents"]["items"]["enum"]
    assert prompt.said(Answer(text="x"), SAMPLE) is None
