from __future__ import annotations

from tests.challenges.spoken.worlds import WORLD

from duologue.challenges.spoken.knowledge.inquiry import find
from duologue.challenges.spoken.simulator.drawer import Drawer
from duologue.challenges.spoken.simulator.exam import wordings
from duologue.core.records import Fact
from duologue.core.rng import Rng
from duologue.knowledge.graph import Graph


def test_every_shape_can_be_drawn_and_has_an_answer() -> None:
    shapes = Drawer(WORLD, wordings("development")["adjectives"]).shapes()
    for (kind, shape), draw in shapes.items():
        drafts = [draft for at in range(300) if (draft := draw(Rng(kind, shape, at))) is not None]
        assert drafts, (kind, shape)
        assert all(find(draft.inquiry, WORLD) is not None for draft in drafts)


def test_a_way_never_goes_along_one_attribute_twice() -> None:
    draw = Drawer(WORLD, wordings("development")["adjectives"]).shapes()["three-hops", "forward"]
    for at in range(200):
        draft = draw(Rng("ways", at))
        if draft is not None:
            names = [step.relation_names for step in draft.inquiry.query.steps]
            assert len(set(names)) == len(names)


def test_what_is_free_and_other_units_are_asked_about() -> None:
    prices = {"竹溪苑": "40元", "梅岭园": "免费开放。", "兰亭圃": "0.5万元", "菊香台": "1小时 - 2天"}
    graph = Graph("parks", [Fact(subject=name, relation="门票", object=price) for name, price in prices.items()])
    draw = Drawer(graph, wordings("development")["adjectives"]).shapes()["comparison", "larger"]
    drafts = [draft for at in range(200) if (draft := draw(Rng("parks", at))) is not None]
    asked = {name for draft in drafts for name in draft.inquiry.query.start}
    assert asked == {"竹溪苑", "梅岭园", "兰亭圃"}
    assert all(find(draft.inquiry, graph) is not None for draft in drafts)
