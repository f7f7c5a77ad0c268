from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.prompts.whole_kb import WholeKb
from duologue.challenges.mobilecs.task import DialogueTask
from duologue.core.records import Act, Annotation, Answer, Example, Fact, Sample, Turn
from duologue.prompts.linearization import Given
from duologue.prompts.prompt import Reading

KNOWLEDGE = (
    Fact(subject="ent-1", relation="name", object="彩铃"),
    Fact(subject="ent-1", relation="type", object="附加业务"),
    Fact(subject="ent-1", relation="业务费用", object="五元"),
)
HISTORY = (
    Turn(speaker="user", text="喂"),
    Turn(speaker="system", text="您好"),
    Turn(speaker="user", text="彩铃多少钱"),
)
SAMPLE = Sample(id="d#1", dialogue_id="d", history=HISTORY, knowledge=KNOWLEDGE)
WRITTEN = "用户意图：询问(彩铃-业务费用)；客服意图：通知；回复：每月五元"
ACTS = (Act(speaker="user", name="询问", args=("彩铃-业务费用",)), Act(speaker="system", name="通知"))


def test_the_whole_base_and_two_utterances_are_given() -> None:
    form = WholeKb(DialogueTask.info)
    assert form.source(Given(SAMPLE)) == "知识：名称：彩铃；类型：附加业务；业务费用：五元 上一句：喂 用户：彩铃多少钱"
    reference = Answer(text="每月五元", annotation=Annotation(acts=ACTS))
    assert form.pairs([Example(sample=SAMPLE, references=(reference,))]) == [(form.source(Given(SAMPLE)), WRITTEN)]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (WRITTEN, Answer(text="每月五元", annotation=Annotation(acts=ACTS))),
        ("用户意图：；客服意图：；回复：好的", Answer(text="好的", annotation=Annotation())),
        ("每月五元", None),
    ],
)
def test_intents_and_reply_are_read_from_one_line(text: str, read: Answer | None) -> None:
    writing = WholeKb(DialogueTask.info).written(Given(SAMPLE))
    next(writing)
    with pytest.raises(StopIteration) as stop:
        writing.send(text)
    assert stop.value.value == Reading(read)
