from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.spoken.knowledge.denser_graph import denser
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.records import Fact
from duologue.knowledge.graph import Graph

if TYPE_CHECKING:
    from pathlib import Path


def film(name: str, **values: str) -> list[Fact]:
    return [Fact(subject=name, relation=relation, object=value) for relation, value in values.items()]


FILMS = [
    *film("雾港", 导演="顾远", 主演="苏雁", 片长="118分钟"),
    Fact(subject="雾港", relation="主演", object="卡尔"),
    *film("灯塔", 导演="林未晞", 上映时间="2001年", Information="《灯塔》是林未晞的第一部电影。" * 4),
    *film("石桥", 上映时间="1999年", 主演="赵一"),
    *film("无名", Information="没有别的。"),
]


def test_what_was_known_stays_and_every_entity_gets_more() -> None:
    graph = Graph("films", FILMS)
    made = denser(graph, triples=6, seed=1)
    assert set(made) >= set(FILMS)
    assert set(made.entities) == set(graph.entities)
    assert all(len(made.about(name)) >= 5 for name in graph.entities)


def test_what_is_added_is_what_other_entities_of_the_type_have() -> None:
    travel = [
        Fact(subject="鹤鸣谷", relation="门票", object="77元"),
        Fact(subject="鹤鸣谷", relation="电话", object="12"),
    ]
    made = denser(Graph("both", [*FILMS, *travel]), triples=9, seed=3)
    assert set(made.relations("鹤鸣谷")) == {"门票", "电话"}
    assert not {"门票", "电话"} & {fact.relation for name in ("雾港", "灯塔", "石桥") for fact in made.about(name)}
    short = {fact.object for fact in FILMS if len(str(fact.object)) < 40}
    assert {fact.object for fact in made.about("雾港") if fact.relation != "Information"} <= short


def test_an_entity_of_a_whole_graph_has_what_stands_there_and_nothing_else() -> None:
    whole = Graph("whole", [*film("雾港", 导演="顾远", 票房="3亿"), *film("远山", 导演="赵一")])
    made = denser(Graph("films", FILMS), [whole], triples=9, seed=1)
    assert set(made.about("雾港")) == {*FILMS[:4], *whole.about("雾港")}
    assert set(made.about("远山")) == set(whole.about("远山"))


def test_the_order_of_the_triples_plays_no_part_and_the_seed_does() -> None:
    shuffled = list(FILMS)
    Random(5).shuffle(shuffled)
    made = [
        list(denser(Graph("films", facts), triples=9, seed=seed))
        for facts, seed in ((FILMS, 1), (shuffled, 1), (FILMS, 2))
    ]
    assert made[0] == made[1] != made[2]


def test_a_long_text_is_no_copy_of_one_that_is_there() -> None:
    texts = [f"第{place}个故事从这里开始，讲的是一座海边的城。" * 3 for place in range(6)]
    facts = [fact for place, text in enumerate(texts) for fact in film(f"电影{place}", 导演="甲", Information=text)]
    made = denser(Graph("films", [*facts, *film("石桥", 导演="乙")]), triples=4, seed=1)
    drawn = [str(fact.object) for fact in made.about("石桥") if fact.relation == "Information"]
    assert len(drawn) == 1
    assert drawn[0] not in texts


def test_a_graph_without_any_type_stays_as_it_is() -> None:
    facts = film("甲", 颜色="红")
    assert list(denser(Graph("one", facts), seed=1)) == facts


@pytest.mark.real_data(twin="test_what_was_known_stays_and_every_entity_gets_more")
def test_the_rebuilt_graph_gets_twelve_triples_an_entity(real_data: Path) -> None:
    folder = real_data / "spoken"
    graph, travel = (SpokenTask().world(folder / name) for name in ("kg_rebuilt_visible.json.gz", "kb_travel.json.gz"))
    made = denser(graph, [travel], seed=1)
    assert set(made) >= set(graph)
    others = [name for name in graph.entities if name not in travel]
    assert sum(len(made.about(name)) for name in others) >= 11 * len(others)
    assert all(set(made.about(name)) == {*graph.about(name), *travel.about(name)} for name in travel.entities)
