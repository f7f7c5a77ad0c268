from __future__ import annotations

import pytest

from duologue.challenges.proactive.live import goals
from duologue.challenges.proactive.live.goals import draw_goals
from duologue.challenges.proactive.schema import DOMAIN, FILM
from duologue.core.errors import UsageError
from duologue.core.records import Fact


def graph(films: int = 12) -> list[Fact]:
    """Films by directors, each with some facts; two films share a country."""
    rows = []
    for number in range(films):
        film, person = f"电影 {number}", f"导演 {number}"
        rows += [(film, DOMAIN, FILM), (film, "导演", person), (film, "国家", f"国 {number // 2}")]
        rows += [(film, "评论", f"评论 {number} {one}") for one in range(6)]
        rows += [(film, f"属性 {one}", f"值 {number} {one}") for one in range(6)]
        rows += [(person, DOMAIN, "明星")] + [(person, f"经历 {one}", f"事 {number} {one}") for one in range(6)]
    return [Fact(subject=one, relation=two, object=three) for one, two, three in rows]


def test_a_goal_has_two_linked_topics_and_knowledge_about_them_alone() -> None:
    pytest.importorskip("rjieba", reason="without the extra `zh` words are cut into characters")
    facts = graph()
    found = draw_goals(facts, 15, seed=3)
    assert len(found) == 15
    for one in found:
        assert one.goal is not None
        a, b = one.goal.topics
        assert a != b
        assert set(one.goal.relations) <= set(facts)
        if len(one.goal.relations) == 1:
            (link,) = one.goal.relations
            assert {link.subject, link.object} == {a, b}
        else:
            first, second = one.goal.relations
            assert (first.subject, second.subject) == (a, b)
            assert (first.relation, first.object) == (second.relation, second.object)
        assert 9 <= len(one.knowledge) <= 21
        assert set(one.knowledge) <= set(facts)
        assert len(set(one.knowledge)) == len(one.knowledge)
        assert {fact.subject for fact in one.knowledge} == {a, b}
        assert {fact.subject for fact in one.knowledge if fact.relation == DOMAIN} == {a, b}
        assert sum(fact.relation == "评论" for fact in one.knowledge) <= 4  # two of each film
    assert {len(one.goal.relations) for one in found if one.goal is not None} == {1, 2}
    assert len({frozenset(one.goal.topics) for one in found if one.goal is not None}) == 15


def test_the_seed_decides_and_more_goals_begin_with_the_same() -> None:
    assert draw_goals(graph(), 8, seed=3) == draw_goals(graph(), 8, seed=3)
    assert draw_goals(graph(), 8, seed=3) == draw_goals(graph(), 4, seed=3) + draw_goals(graph(), 8, seed=3)[4:]
    assert draw_goals(graph(), 8, seed=3) != draw_goals(graph(), 8, seed=4)


def test_a_small_graph_gives_what_it_has() -> None:
    assert len(draw_goals(graph(1), 5, seed=1)) == 1


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ([], "0 topics"),
        ([Fact(subject="a", relation=DOMAIN, object=FILM), Fact(subject="b", relation="导演", object="a")], "1 topics"),
        (
            [
                Fact(subject="a", relation=DOMAIN, object=FILM),
                Fact(subject="b", relation=DOMAIN, object="明星"),
                Fact(subject="a", relation="导演", object="b"),
            ],
            "9 triples",
        ),
    ],
)
def test_a_graph_without_goals_says_what_is_missing(facts: list[Fact], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        draw_goals(facts, 1, seed=1)


def test_text_that_is_not_segmented_is() -> None:
    facts = [
        Fact(subject=one.subject.replace(" ", "号"), relation=one.relation, object=str(one.object).replace(" ", "号"))
        for one in graph(2)
    ]
    (goal, *_) = draw_goals(facts, 1, seed=1)
    assert goal.goal is not None
    assert all(" " in topic for topic in goal.goal.topics)


def test_more_goals_than_a_graph_has_are_not_looked_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(goals, "_FRUITLESS", 500)
    assert 15 < len(draw_goals(graph(), 10**9, seed=3)) < 30
