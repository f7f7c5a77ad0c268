from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st
from tests.growth import LINEAR, growth

from duologue.core.records import Fact
from duologue.knowledge import graph as module
from duologue.knowledge.graph import Graph
from duologue.knowledge.normalization import bare, fold, parts_of

if TYPE_CHECKING:
    import pytest


def fact(subject: str, relation: str, value: str | float | tuple[str, ...]) -> Fact:
    return Fact(subject=subject, relation=relation, object=value)


SMALL = [
    fact("雾港（小说）", "作者", "林未晞"),
    fact("雾港（小说）", "地点", "云间,石桥"),
    fact("林未晞", "代表作品", "雾港（小说）"),
    fact("雾港（电影）", "导演", "顾远·舟"),
    fact("雾港（电影）", "等级", 70),
    fact("灰狼", "等级", "70"),
    fact("灰狼", "技能", ("咬", "跑")),
    fact("雾港（小说）", "作者", "林未晞"),
]


def test_facts_come_in_file_order_also_of_an_entity_met_again_later() -> None:
    graph = Graph("small", SMALL)
    assert list(graph) == SMALL
    assert len(graph) == 8
    assert list(graph.about("雾港（小说）")) == [SMALL[0], SMALL[1], SMALL[7]]
    assert list(graph.about("谁")) == []
    assert list(graph.entities) == ["雾港（小说）", "林未晞", "雾港（电影）", "灰狼"]
    assert "灰狼" in graph
    assert "灰" not in graph


def test_an_ambiguous_name_keeps_all_its_entities_apart() -> None:
    graph = Graph("small", SMALL)
    assert list(graph.forms("《雾 港》")) == ["雾港（小说）", "雾港（电影）"]
    assert list(graph.forms("雾港（电影）")) == ["雾港（电影）", "雾港（小说）"]
    assert list(graph.forms("雾港(电影)")) == ["雾港（电影）", "雾港（小说）"], "width of the suffix does not count"
    assert list(graph.forms("雾港电影")) == ["雾港（电影）"], "a recogniser writes no brackets"
    assert list(graph.forms("雾")) == []


def test_a_name_of_very_many_entities_is_indexed_in_the_time_of_one_pass() -> None:
    def made(size: int) -> list[Fact]:
        return [fact(f"雾港（{number}）", "等级", 1) for number in range(size)]

    def work(facts: list[Fact]) -> None:
        assert list(Graph("many", facts).forms("雾港")) == [one.subject for one in facts]

    assert growth(made, work, 5_000) < LINEAR


def test_attributes_and_values_of_an_entity() -> None:
    graph = Graph("small", SMALL)
    assert list(graph.relations("雾港（小说）")) == ["作者", "地点"]
    assert list(graph.objects("雾港（小说）", "作者")) == ["林未晞", "林未晞"], "a repeated row is there twice"
    assert list(graph.objects("灰狼", "技能")) == ["咬", "跑"]
    assert list(graph.objects("灰狼", "颜色")) == []


def test_a_value_leads_back_to_the_facts_that_hold_it() -> None:
    graph = Graph("small", SMALL)
    assert list(graph.holders("顾远舟")) == [SMALL[3]]
    assert list(graph.holders("跑")) == [SMALL[6]]
    assert list(graph.holders(70)) == [SMALL[4], SMALL[5]], "folded, a number is its text"
    assert list(graph.holders("石桥")) == []
    assert list(graph.holders("石桥", parts=True)) == [SMALL[1]]


def test_numbers_and_texts_are_different_values_of_a_relation() -> None:
    graph = Graph("small", SMALL)
    assert list(graph.subjects("等级", 70)) == ["雾港（电影）"]
    assert list(graph.subjects("等级", "70")) == ["灰狼"]
    assert list(graph.subjects("作者", "林未晞")) == ["雾港（小说）"]
    assert list(graph.subjects("技能", "咬")) == ["灰狼"]


def test_an_empty_graph_answers_everything_with_nothing() -> None:
    graph = Graph("empty", []).ready()
    assert list(graph) == []
    assert not graph.forms("谁")
    assert not graph.holders("什么", parts=True)
    assert not graph.subjects("a", "b")


def test_two_texts_with_one_hash_are_still_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "hash", lambda text: 7, raising=False)
    assert list(Graph("small", SMALL).holders("顾远舟")) == [SMALL[3]]


names = st.text("雾港Ａa·（） ", min_size=1, max_size=6)
values = st.one_of(st.text("雾a·,、 7", min_size=1, max_size=5), st.integers(0, 9), st.tuples(names, names))


@given(rows=st.lists(st.tuples(names, st.sampled_from("pq"), values), max_size=25), text=st.one_of(names, values))
def test_every_look_up_finds_what_a_plain_scan_finds(rows: list[tuple[str, str, Any]], text: Any) -> None:
    facts = [fact(*row) for row in rows]
    graph = Graph("any", facts)
    wanted = text[0] if isinstance(text, tuple) else text
    held = [one for one in facts if any(fold(value) == fold(wanted) for value in module.values_of(one))]
    listed = [one for one in facts if fold(wanted) in {fold(p) for v in module.values_of(one) for p in parts_of(v)}]
    assert list(graph.holders(wanted)) == held
    assert list(graph.holders(wanted, parts=True)) == [one for one in facts if one in held or one in listed]
    exactly = [one.subject for one in facts if one.relation == "p" and wanted in module.values_of(one)]
    assert list(graph.subjects("p", wanted)) == list(dict.fromkeys(exactly))
    called = {name for name in graph.entities if {fold(name), bare(name)} & {fold(wanted), bare(str(wanted))}}
    assert set(graph.forms(str(wanted))) == called
