from __future__ import annotations

from duologue.challenges.restaurant.prompts.bot import BookingPrompt
from duologue.challenges.restaurant.schema.task_info import INFO
from duologue.core.records import Fact, Sample, Turn
from duologue.knowledge.base import KnowledgeBase

FACTS = [Fact(subject=name, relation="phone", object=f"{name}_phone") for name in ("inn", "bar", "pub")]


def test_facts_are_those_of_the_restaurants_that_were_named_the_latest_first() -> None:
    prompt = BookingPrompt(INFO, facts=2)
    base = KnowledgeBase("kb", FACTS)
    prompt.prepare({"kb": base})
    history = tuple(Turn(speaker="user", text=text) for text in ("the pub", "inn or bar"))
    sample = Sample(id="1", dialogue_id="1", history=history, world="kb")
    assert [one.subject for one in prompt.known_facts(sample)] == ["bar", "inn"]
    assert "inn | phone | inn_phone" in prompt.knowledge(sample)
    assert prompt.known_facts(Sample(id="1", dialogue_id="1", history=history)) == []
