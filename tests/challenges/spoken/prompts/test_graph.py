from __future__ import annotations

from duologue.challenges.spoken.prompts.graph import GraphPrompt
from duologue.challenges.spoken.scoring.options import INFO
from duologue.core.records import Annotation, Answer, Fact, Sample, Turn
from duologue.knowledge.graph import Graph

FACTS = [Fact(subject="青石岛", relation="门票", object="30元"), Fact(subject="白沙湾", relation="门票", object=0)]
GRAPH = Graph("kg", FACTS)


def sample(*said: str, world: str | None = "kg") -> Sample:
    history = tuple(Turn(speaker="user", text=text) for text in said)
    return Sample(id="1", dialogue_id="1", history=history, world=world)


def ready(facts: int = 60) -> GraphPrompt:
    prompt = GraphPrompt(INFO, facts=facts)
    prompt.prepare({"kg": GRAPH})
    return prompt


def test_triples_of_what_is_named_are_told_with_numbers_the_latest_first() -> None:
    prompt = ready()
    assert prompt.knowledge(sample("青石岛呢", "白沙湾呢")) == "[1] 白沙湾 | 门票 | 0\n[2] 青石岛 | 门票 | 30元"
    assert prompt.knowledge(sample("你好")) == prompt.wording.nothing
    assert prompt.known_facts(sample("青石岛", world=None)) == []
    assert len(ready(facts=1).known_facts(sample("青石岛和白沙湾"))) == 1


def test_triples_are_chosen_by_number_and_no_other_is_ever_written() -> None:
    prompt, asked = ready(), sample("青石岛呢", "白沙湾呢")
    found = prompt.read('{"facts": [2, 2, 7, 0, true, "1"], "reply": "30元 。"}', asked)
    assert found.answer == Answer(text="30元 。", annotation=Annotation(facts=(FACTS[0],)))
    assert found.dropped == 4
    assert prompt.read('{"facts": [1]}', asked).answer is None
    assert (
        prompt.said(
            Answer(text="x", annotation=Annotation(facts=(Fact(subject="x", relation="y", object="z"),))), asked
        )
        is None
    )
    assert GraphPrompt(INFO).known_facts(asked) == []
