from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.prompts.stream import TurnStream
from duologue.challenges.mobilecs.systems.agent_baseline.stream import MARKS
from duologue.challenges.mobilecs.task import DialogueTask
from duologue.core.records import Act, Annotation, Answer, Example, Fact, Sample, Turn
from duologue.prompts.linearization import Given

KNOWLEDGE = (
    Fact(subject="ent-1", relation="name", object="彩铃"),
    Fact(subject="ent-1", relation="业务费用", object="五元"),
)


def sample(turn: int, *said: str) -> Sample:
    history = tuple(Turn(speaker="user", text=text) for text in said)
    return Sample(id=f"d#{turn}", dialogue_id="d", history=history, knowledge=KNOWLEDGE)


def test_the_query_stands_between_the_parts_that_are_written() -> None:
    writing = TurnStream(DialogueTask.info).written(Given(sample(1, "彩铃是什么", "它多少钱")))
    names, user, name, intent, result, staff, reply = MARKS
    assert next(writing) == (f"彩铃{names}它多少钱{user}", name, 15)
    assert writing.send("") == (f"彩铃{names}它多少钱{user}{name}", intent, 25)
    part = writing.send("询问(彩铃-业务费用)")
    assert part.text.endswith(f"询问(彩铃-业务费用){intent}五元{result}")
    assert part[1:] == (staff, 10)
    assert writing.send("通知")[1:] == (reply, 65)
    with pytest.raises(StopIteration) as stop:
        writing.send("每月五元每月五元每月五元")
    answer = stop.value.value.answer
    assert answer.text == "每月五元"
    assert answer.annotation.acts == (
        Act(speaker="user", name="询问", args=("彩铃-业务费用",)),
        Act(speaker="system", name="通知"),
    )


def test_whole_streams_are_learned() -> None:
    acts = (Act(speaker="user", name="询问", args=("彩铃-业务费用",)), Act(speaker="system", name="通知"))
    reference = Answer(text="每月五元", annotation=Annotation(acts=acts))
    (pair,) = TurnStream(DialogueTask.info).pairs([Example(sample=sample(0, "彩铃多少钱"), references=(reference,))])
    names, user, name, intent, result, staff, reply = MARKS
    assert pair.source == f"{names}彩铃多少钱{user}"
    assert pair.target == f"彩铃{name}询问(彩铃-业务费用){intent}五元{result}通知{staff}每月五元{reply}"
