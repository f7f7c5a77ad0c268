"""The page of what the rebuilt graph flatters: what it counts, and how it reweights scores by domain."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from duologue.core.records import Annotation, Answer, Example, Fact, Sample
from duologue.knowledge.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def page() -> Iterator[ModuleType]:
    before = set(sys.modules)
    sys.path.insert(0, str(BENCHMARKS))
    import spoken_graphs_page

    yield spoken_graphs_page
    sys.path.remove(str(BENCHMARKS))
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(BENCHMARKS)):
            del sys.modules[name]


@pytest.fixture(scope="module")
def program(page: ModuleType) -> ModuleType:
    assert page.DENSER
    import spoken_graphs

    found: ModuleType = spoken_graphs
    return found


def fact(name: str, relation: str) -> Fact:
    return Fact(subject=name, relation=relation, object="x")


def test_the_page_tells_what_the_order_of_triples_gives_away(page: ModuleType) -> None:
    facts = [fact("甲", "a"), fact("甲", "b"), fact("甲", "c"), fact("乙", "a"), fact("园", "门票")]
    dialogues = [[[facts[0]], [facts[1]]], [[], [facts[3]], [facts[0]]]]
    lines = page.holds(Graph("kg", facts), Graph("whole", facts[4:]), dialogues)
    assert "2 entities with 4 triples, 2.0 each" in lines[0]
    assert "75 % of these triples are used in some dialogue, 50 % of these entities in one alone" in lines[1]
    assert "100 % stand in the order of use" in lines[2]


def test_scores_are_reweighted_to_another_mix(page: ModuleType) -> None:
    scores, shares = {"a": 1.0, "b": 0.0, "c": 0.5}, {"a": 0.5, "b": 0.25, "c": 0.25}
    assert page.reweighted(scores, shares, {}) == pytest.approx(0.625)
    assert page.reweighted(scores, shares, {"b": 0.5}) == pytest.approx(0.5 * (0.5 + 0.125) / 0.75)
    assert page.reweighted(scores, shares, {"b": 1.0}) == 0


def test_a_thinned_choice_has_as_many_attributes_and_what_is_wanted(program: ModuleType) -> None:
    graph = Graph("kg", [fact("甲", "a"), fact("甲", "b"), fact("乙", "a")])
    dense = Graph("dense", [*graph, fact("甲", "c"), fact("甲", "d"), fact("乙", "e"), fact("乙", "f")])
    left = program.thinned({("甲", "b")}, graph, dense, {"甲": ["d", "b", "c", "a"], "乙": ["f", "a", "e"]})
    assert [one for one in dense.relations("甲") if left("甲", one)] == ["b", "d"]
    assert [one for one in dense.relations("乙") if left("乙", one)] == ["f"]


def test_what_a_dialogue_spoke_of_counts_from_then_on(program: ModuleType) -> None:
    said = [(fact("甲", "b"),), (), (fact("乙", "a"),)]
    examples = [
        Example(
            sample=Sample(id=f"0#{at}", dialogue_id="0", history=()),
            references=(Answer(text="", annotation=Annotation(facts=facts)),),
            asked=Annotation(facts=(fact("甲", "c"),)) if at == 1 else None,
        )
        for at, facts in enumerate(said)
    ]
    first, second = {("甲", "b")}, {("甲", "b"), ("甲", "c")}
    assert program.spoken_of(examples) == {"0#0": first, "0#1": second, "0#2": second | {("乙", "a")}}
