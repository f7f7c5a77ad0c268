from __future__ import annotations

import pytest

from duologue.challenges.spoken.prompts.chosen_facts import ChosenFacts
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.records import Annotation, Answer, Example, Fact, Sample, Turn
from duologue.prompts.linearization import Given

FACTS = (
    Fact(subject="故宫", relation="门票", object="60元"),
    Fact(subject="故宫", relation="地址", object="北京"),
)
SAMPLE = Sample(
    id="1", dialogue_id="1", history=(Turn(speaker="user", text="你好"), Turn(speaker="user", text="故宫门票多少钱"))
)


def test_chosen_triples_stand_before_the_chat() -> None:
    form = ChosenFacts(SpokenTask.info)
    assert (
        form.source(Given(SAMPLE, FACTS))
        == "知识：故宫，门票，60元；故宫，地址，北京\n用户：你好\n用户：故宫门票多少钱\n你："
    )
    short = ChosenFacts(SpokenTask.info, turns=1)
    assert short.source(Given(SAMPLE)).splitlines()[1:] == ["用户：故宫门票多少钱", "你："]


def test_the_reply_alone_is_learned_and_the_triples_are_those_that_were_chosen() -> None:
    form = ChosenFacts(SpokenTask.info)
    reference = Answer(text="60元哦", annotation=Annotation(facts=FACTS[:1]))
    (pair,) = form.pairs([Example(sample=SAMPLE, references=(reference,)), Example(sample=SAMPLE)])
    assert pair == (form.source(Given(SAMPLE, FACTS[:1])), "60元哦")
    writing = form.written(Given(SAMPLE, FACTS))
    assert next(writing).text == form.source(Given(SAMPLE, FACTS))
    with pytest.raises(StopIteration) as stop:
        writing.send("要\n60元")
    assert stop.value.value.answer == Answer(text="要 60元", annotation=Annotation(facts=FACTS))
