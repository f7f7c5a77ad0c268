from __future__ import annotations

import pytest
from tests.challenges.spoken.worlds import WORLD

from duologue.challenges.spoken.knowledge.inquiry import Inquiry, Wanted, find
from duologue.core.records import Fact
from duologue.knowledge.graph import Graph
from duologue.knowledge.query import Query, Step

PAINTERS = (Step("职业", back=True), Step("身高"))


@pytest.mark.parametrize(
    ("inquiry", "answers", "rivals", "triples"),
    [
        (Inquiry(query=Query(start=("星河札记",), steps=(Step("作者"), Step("家乡")))), ("鹿鸣镇",), (), 2),
        (
            Inquiry(query=Query(start=("画师",), steps=PAINTERS, take="largest"), wanted="entities"),
            ("沈青梧",),
            (),
            2,
        ),
        (
            Inquiry(query=Query(start=("贺兰舟", "柏子衿"), steps=(Step("身高"),), take="smallest"), wanted="entities"),
            ("柏子衿",),
            ("贺兰舟",),
            2,
        ),
        (Inquiry(query=Query(start=("星河札记",), steps=(Step("主要人物"),)), wanted="count"), ("3个",), (), 3),
        (Inquiry(query=Query(start=("画师",), steps=(Step("职业", back=True),)), wanted="count"), ("3个",), (), 3),
        (
            Inquiry(query=Query(start=("画师",), steps=PAINTERS, take="more", than="沈青梧"), wanted="entities"),
            ("没有",),
            (),
            1,
        ),
    ],
)
def test_an_inquiry_gives_answers_and_evidence(
    inquiry: Inquiry, answers: tuple[str, ...], rivals: tuple[str, ...], triples: int
) -> None:
    found = find(inquiry, WORLD)
    assert found is not None
    assert (found.answers, found.rivals, len(found.facts)) == (answers, rivals, triples)
    assert all(one in found.text for one in answers)
    assert all(found.text.index(answers[0]) < found.text.index(one) for one in rivals)


def test_what_the_graph_does_not_know_is_no_answer() -> None:
    assert find(Inquiry(query=Query(start=("无名氏",), steps=(Step("作者"),))), WORLD) is None
    nobody = Query(start=("木匠",), steps=PAINTERS, take="more", than="沈青梧")
    assert find(Inquiry(query=nobody, wanted="entities"), WORLD) is None


@pytest.mark.parametrize("wanted", ["values", "entities", "count"])
def test_a_fact_without_a_value_answers_nothing(wanted: Wanted) -> None:
    """A graph may say of an attribute that it has no value, `[]`: that raised an IndexError."""
    graph = Graph("small", [Fact(subject="守门人", relation="生命值", object=())])
    inquiry = Inquiry(query=Query(start=("守门人",), steps=(Step("生命值"),)), wanted=wanted)
    assert find(inquiry, graph) is None


def test_that_there_is_nothing_is_said_only_where_that_is_certain() -> None:
    rows = [("松亭", "邻近", "竹苑"), ("松亭", "邻近", "梅园"), ("竹苑", "门票", "40元"), ("梅园", "门票", "请咨询")]
    graph = Graph("parks", [Fact(subject=s, relation=r, object=o) for s, r, o in rows])
    dearer = Query(start=("松亭",), steps=(Step("邻近"), Step("门票")), take="more", than="竹苑")
    assert find(Inquiry(query=dearer, wanted="entities"), graph) is None
    free = Graph("parks", [*list(graph)[:3], Fact(subject="梅园", relation="门票", object="免费")])
    found = find(Inquiry(query=dearer, wanted="entities"), free)
    assert found is not None
    assert found.answers == ("没有",)


def test_what_costs_the_same_is_told_so() -> None:
    rows = [("竹苑", "门票", "无需门票。"), ("梅园", "门票", "免费"), ("兰圃", "门票", "40元。")]
    graph = Graph("parks", [Fact(subject=s, relation=r, object=o) for s, r, o in rows])
    cheaper = Query(start=("竹苑", "梅园"), steps=(Step("门票"),), take="smallest")
    found = find(Inquiry(query=cheaper, wanted="entities"), graph)
    assert found is not None
    assert found.text == "一样，梅园、竹苑。梅园的门票是免费，竹苑的门票是无需门票。"
    other = find(Inquiry(query=Query(start=("竹苑", "兰圃"), steps=(Step("门票"),), take="smallest")), graph)
    assert other is not None
    assert other.text.endswith("兰圃的门票是40元，竹苑的门票是无需门票。")
