from __future__ import annotations

from typing import Any

import msgspec

from duologue.challenges.spoken.systems.trace import Trace, Tracing, trace_of
from duologue.core.records import Annotation, Answer, Fact, Sample
from duologue.knowledge.query import Query, Step

SAMPLE = Sample(id="1", dialogue_id="1")
TALL = Fact(subject="甲", relation="身高", object=190)
SHORT = Fact(subject="乙", relation="身高", object=150)
HOME = Fact(subject="甲", relation="居住地", object="石桥")


def answer(*facts: Fact) -> Answer:
    return Answer(text="好", annotation=Annotation(facts=facts))


def test_a_system_that_can_tell_its_way_is_asked(reader: Any) -> None:
    class Telling(type(reader)):  # type: ignore[misc]  # the fixture's class is only known when it runs
        def trace(self, sample: Sample) -> Trace:
            return Trace(entity=f"of {sample.id}")

    assert isinstance(Telling(), Tracing)
    assert not isinstance(reader, Tracing)
    assert trace_of(Telling(), SAMPLE, answer(TALL)).entity == "of 1"


def test_of_any_other_system_the_answer_shows_the_way(reader: Any) -> None:
    assert trace_of(reader, SAMPLE, Answer(text="好")) == Trace()
    assert trace_of(reader, SAMPLE, answer(TALL, SHORT)) == Trace(
        entity="甲", query=Query(start=("甲", "乙"), steps=(Step(("身高",)),)), facts=(TALL, SHORT)
    )
    assert trace_of(reader, SAMPLE, answer(TALL, HOME)).query == Query(start=("甲",), steps=(Step(("身高", "居住地")),))


def test_a_trace_can_be_kept_in_a_transcript(reader: Any) -> None:
    trace = trace_of(reader, SAMPLE, answer(TALL, SHORT))
    assert msgspec.convert(msgspec.json.decode(msgspec.json.encode(trace)), Trace) == trace
