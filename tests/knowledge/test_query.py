from __future__ import annotations

import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.core.records import Fact
from duologue.knowledge.graph import Graph
from duologue.knowledge.normalization import fold
from duologue.knowledge.query import Query, Step, evidence, run
from duologue.knowledge.size import measure

ROWS: list[tuple[str, str, Any]] = [
    ("雾港（小说）", "作者", "林未晞"),
    ("雾港（小说）", "字数", "约12万字"),
    ("林未晞", "居住地", "石桥镇"),
    ("林未晞", "代表作品", "雾港（小说）,灯塔记"),
    ("灯塔记", "作者", "林未晞"),
    ("灯塔记", "字数", "98,000字"),
    ("石桥镇", "人口", 4100),
    ("阿勒", "种族", "岩民"),
    ("阿勒", "等级", 12),
    ("布隆", "种族", "岩民"),
    ("布隆", "等级", "30"),
    ("茜", "种族", "岩民"),
    ("茜", "等级", 30),
    ("茜", "爱好", "唱歌"),
]
GRAPH = Graph("small", [Fact(subject=s, relation=r, object=o) for s, r, o in ROWS])


def values(query: Query) -> tuple[object, ...]:
    return run(query, GRAPH).values


def test_a_look_up_gives_the_values_of_an_attribute_by_any_form_of_the_name() -> None:
    assert values(Query(start=("《雾港》",), steps=(Step("作者"),))) == ("林未晞",)
    assert run(Query(start=("阿勒",)), GRAPH).count == 2, "no attribute: all of it"
    assert values(Query(start=("无人",), steps=(Step("作者"),))) == ()
    assert values(Query(start=("茜",), steps=(Step(("等级", "爱好", "字数")),))) == (30, "唱歌")


def test_a_hop_goes_on_at_the_entity_that_a_value_names() -> None:
    found = run(Query(start=("雾港",), steps=(Step("作者"), Step("居住地"), Step("人口"))), GRAPH)
    assert found.values == (4100,)
    assert [fact.object for fact in found.via] == ["林未晞", "石桥镇"]


def test_a_reverse_look_up_gives_the_entities_that_hold_a_value_also_in_a_list() -> None:
    assert run(Query(start=("林未晞",), steps=(Step("作者", back=True),)), GRAPH).entities == ("雾港（小说）", "灯塔记")
    assert run(Query(start=("灯塔记",), steps=(Step(back=True),)), GRAPH).entities == ("林未晞",)


def test_others_of_the_same_kind_leave_out_who_was_asked_about() -> None:
    query = Query(start=("阿勒",), steps=(Step("种族"), Step("种族", back=True)), others=True)
    assert run(query, GRAPH).entities == ("布隆", "茜")
    assert run(query, GRAPH).count == 2


def test_an_extreme_takes_all_that_are_equally_large() -> None:
    steps = (Step("种族", back=True), Step("等级"))
    assert run(Query(start=("岩民",), steps=steps, take="largest"), GRAPH).entities == ("布隆", "茜")
    assert run(Query(start=("岩民",), steps=steps, take="smallest"), GRAPH).entities == ("阿勒",)
    assert run(Query(start=("茜",), steps=(Step("爱好"),), take="largest"), GRAPH).facts == ()


def test_two_entities_are_compared_by_size_and_by_what_they_share() -> None:
    sizes = Query(start=("雾港", "灯塔记"), steps=(Step("字数"),), take="largest")
    assert run(sizes, GRAPH).entities == ("雾港（小说）",)
    both = ("布隆", "茜")
    assert values(Query(start=both, take="shared")) == ("岩民", "30", 30)
    assert values(Query(start=both, take="different")) == ("唱歌",)
    groups = run(Query(start=both, steps=(Step("等级"),)), GRAPH).groups
    assert [(name, [fact.object for fact in facts]) for name, facts in groups] == [("布隆", ["30"]), ("茜", [30])]


def test_a_query_is_a_record_that_says_itself_in_one_line() -> None:
    query = Query(start=("甲", "乙"), steps=(Step(("作者", "译者")), Step(back=True)), take="shared", others=True)
    assert msgspec.json.decode(msgspec.json.encode(query), type=Query) == query
    assert query.told() == "shared of: 甲, 乙 → 作者|译者 ← * (others)"


PRICES: list[tuple[str, str, Any]] = [
    *(("松亭", "邻近", name) for name in ("竹苑", "梅园", "兰圃")),
    ("竹苑", "门票", "40元"),
    ("梅园", "门票", "无需门票。"),
    ("兰圃", "门票", "请咨询"),
    ("松亭", "门票", "10元"),
    ("竹苑", "用时", "5小时"),
    ("梅园", "用时", "1天"),
    ("兰圃", "用时", "3公里"),
]
PARKS = Graph("parks", [Fact(subject=s, relation=r, object=o) for s, r, o in PRICES])
NEAR = (Step("邻近"), Step("门票"))


def test_units_are_converted_and_what_is_free_costs_least() -> None:
    """The largest went by the first number: 5 hours beat a day, and what is free was no price."""
    both = ("竹苑", "梅园")
    assert run(Query(start=both, steps=(Step("用时"),), take="largest"), PARKS).entities == ("梅园",)
    assert run(Query(start=both, steps=(Step("门票"),), take="smallest"), PARKS).entities == ("梅园",)
    assert run(Query(start=("松亭",), steps=NEAR, take="smallest"), PARKS).entities == ("梅园",), "whatever others cost"
    assert run(Query(start=("松亭",), steps=NEAR, take="less", than="松亭"), PARKS).entities == ("梅园",)


def test_what_is_not_certain_is_not_taken() -> None:
    dearest = run(Query(start=("松亭",), steps=NEAR, take="largest"), PARKS)
    assert (dearest.facts, dearest.certain) == ((), False), "nobody knows what one of them costs"
    mixed = run(Query(start=("竹苑", "兰圃"), steps=(Step("用时"),), take="largest"), PARKS)
    assert (mixed.facts, mixed.certain) == ((), False), "hours and kilometres"
    unknown = run(Query(start=("竹苑", "松亭"), steps=(Step("用时"),), take="largest"), PARKS)
    assert (unknown.facts, unknown.certain) == ((), False), "nothing is known of one of them"
    dearer = run(Query(start=("松亭",), steps=NEAR, take="more", than="竹苑"), PARKS)
    assert (dearer.facts, dearer.certain) == ((), False)
    cheaper = run(Query(start=("松亭",), steps=NEAR, take="less", than="梅园"), PARKS)
    assert (cheaper.facts, cheaper.certain) == ((), True), "nothing is cheaper than what is free"
    unmeasured = run(Query(start=("松亭",), steps=NEAR, take="less", than="兰圃"), PARKS)
    assert (unmeasured.facts, unmeasured.certain) == ((), False)


Rows = list[tuple[str, str, Any]]
names = st.sampled_from("甲乙丙丁")
relations = st.sampled_from("pq")
objects = st.one_of(names, st.integers(0, 3), st.sampled_from(["1", "甲,乙", "甲（一）"]))
facts_made = st.lists(st.tuples(names, relations, objects), max_size=16)
steps_made = st.lists(
    st.builds(Step, st.sampled_from(["", "p", "q", ("p", "q"), ("q",)]), st.booleans()), min_size=1, max_size=3
)


def plain_walk(facts: list[Fact], start: str, steps: list[Step]) -> list[Fact]:
    """The same by going through all facts at every step; names here have no forms but themselves."""
    here: set[str] = {start}
    found: list[Fact] = []
    for number, step in enumerate(steps):
        found = []
        for one in dict.fromkeys(facts):
            said = {fold(str(one.object)), *(fold(part) for part in str(one.object).split(","))}
            near = bool(said & {fold(str(thing)) for thing in here}) if step.back else one.subject in here
            if near and (not step.relation or one.relation in step.relation):
                found.append(one)
        following = steps[number + 1] if number + 1 < len(steps) else step
        if step.back:
            here = {one.subject for one in found}
        elif following.back:
            here = {str(one.object) for one in found}
        else:
            here = {str(one.object).replace("（一）", "") for one in found}
    return found


@given(rows=facts_made, start=st.one_of(names, st.sampled_from(["1", "2"])), steps=steps_made)
def test_any_way_finds_what_a_plain_walk_finds(rows: Rows, start: str, steps: list[Step]) -> None:
    facts = [Fact(subject=s, relation=r, object=o) for s, r, o in rows]
    found = run(Query(start=(start,), steps=tuple(steps)), Graph("any", facts))
    assert set(found.facts) == set(plain_walk(facts, start, steps))
    assert found.count == len(found.facts), "no fact twice"


@given(rows=facts_made, starts=st.lists(names, min_size=1, max_size=3, unique=True), relation=relations)
def test_what_is_taken_is_part_of_all_and_shared_and_different_divide_it(
    rows: Rows, starts: list[str], relation: str
) -> None:
    graph = Graph("any", [Fact(subject=s, relation=r, object=o) for s, r, o in rows])
    taken = {
        take: run(Query(start=tuple(starts), steps=(Step(relation),), take=take), graph).facts
        for take in ("all", "largest", "smallest", "shared", "different")
    }
    assert all(set(part) <= set(taken["all"]) for part in taken.values())
    assert sorted(map(repr, taken["shared"] + taken["different"])) == sorted(map(repr, taken["all"]))
    sizes = [measure(fact.object) for fact in taken["all"]]
    known = [size for size in sizes if size is not None]
    if len(known) == len(sizes) and all(graph.objects(start, relation) for start in starts):
        assert {measure(fact.object) for fact in taken["largest"]} == {max(known)}
        assert {measure(fact.object) for fact in taken["smallest"]} == {min(known)}
    else:
        assert not taken["largest"]
        assert not taken["smallest"]


@given(rows=facts_made, start=names, steps=steps_made)
def test_others_never_name_who_was_asked_about_after_the_first_step(rows: Rows, start: str, steps: list[Step]) -> None:
    graph = Graph("any", [Fact(subject=s, relation=r, object=o) for s, r, o in rows])
    found = run(Query(start=(start,), steps=(Step("p"), *steps), others=True), graph)
    assert start not in found.entities


def test_more_and_less_go_beyond_an_entity_or_a_value() -> None:
    steps = (Step("种族", back=True), Step("等级"))
    assert run(Query(start=("岩民",), steps=steps, take="more", than="阿勒"), GRAPH).entities == ("布隆", "茜")
    assert run(Query(start=("岩民",), steps=steps, take="less", than="阿勒"), GRAPH).facts == ()
    assert run(Query(start=("岩民",), steps=steps, take="less", than="20"), GRAPH).entities == ("阿勒",)
    assert run(Query(start=("岩民",), steps=steps, take="more", than="无人"), GRAPH).facts == ()
    assert Query(start=("岩民",), take="more", than="茜").told() == "more than 茜 of: 岩民 → *"


def test_the_evidence_has_the_hops_to_the_answer_and_no_other() -> None:
    steps = (Step("种族", back=True), Step("等级"))
    lowest = evidence(Query(start=("岩民",), steps=steps, take="smallest"), GRAPH)
    assert [(one.subject, one.relation) for one in lowest] == [("阿勒", "种族"), ("阿勒", "等级")]
    compared = evidence(Query(start=("阿勒", "茜"), steps=(Step("等级"),), take="largest"), GRAPH)
    assert [one.object for one in compared] == [12, 30], "what lost the comparison is evidence, too"
    others = evidence(Query(start=("阿勒",), steps=(Step("种族"), Step("种族", back=True)), others=True), GRAPH)
    assert [one.subject for one in others] == ["阿勒", "布隆", "茜"]
    bound = evidence(Query(start=("岩民",), steps=steps, take="less", than="阿勒"), GRAPH)
    assert [one.object for one in bound] == [12], "that nothing is less rests on what it was measured against"


@pytest.mark.parametrize("last", [Step("b"), Step("b", back=True)])
def test_the_evidence_of_a_hub_is_found_in_one_pass(last: Step) -> None:
    n = 800
    rows = [Fact(subject=f"e{number}", relation="a", object="hub") for number in range(n)]
    rows += [Fact(subject=f"e{number}", relation="b", object=f"e{n - 1 - number}") for number in range(n)]
    graph, query = Graph("hub", rows), Query(start=("hub",), steps=(Step("a", back=True), last))
    calls = 0

    def count(_: object, event: str, __: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        found = evidence(query, graph)
    finally:
        sys.setprofile(None)
    assert len(found) == 2 * n
    assert calls < 300 * n, "each hop is not held against each fact after it"


@given(rows=facts_made, start=st.one_of(names, st.sampled_from(["1", "2"])), steps=steps_made)
def test_all_evidence_of_a_plain_way_is_answer_or_hop_and_holds_the_answer(
    rows: Rows, start: str, steps: list[Step]
) -> None:
    graph = Graph("any", [Fact(subject=s, relation=r, object=o) for s, r, o in rows])
    query = Query(start=(start,), steps=tuple(steps))
    result = run(query, graph)
    assert set(result.facts) <= set(evidence(query, graph)) <= {*result.facts, *result.via}
