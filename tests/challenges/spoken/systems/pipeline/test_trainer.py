from __future__ import annotations

from duologue.challenges.spoken.systems.pipeline.trainer import all_values
from duologue.core.records import Annotation, Answer, Example, Fact, Sample, Turn
from duologue.knowledge.graph import Graph

NEAR = [Fact(subject="青石岛", relation="周边景点", object=name) for name in ("白沙湾", "灯塔公园")]
ELSE = Fact(subject="青石岛", relation="门票", object="30元")
ODD = Fact(subject="青石岛", relation="周边景点", object="集市")


def example(*facts: Fact, world: str | None = "kg") -> Example:
    sample = Sample(id="1", dialogue_id="1", history=(Turn(speaker="user", text="呢"),), world=world)
    return Example(sample=sample, references=(Answer(text="好", annotation=Annotation(facts=facts)),))


def test_the_generator_learns_from_all_values_of_the_gold_pair() -> None:
    worlds = {"kg": Graph("kg", [*NEAR, ELSE])}
    assert all_values(example(NEAR[1]), worlds) == NEAR
    assert all_values(example(ODD), worlds) == [*NEAR, ODD]
    assert all_values(example(), worlds) == []


def test_without_a_graph_it_learns_from_the_gold_facts() -> None:
    assert all_values(example(NEAR[1], world=None), {}) == [NEAR[1]]
