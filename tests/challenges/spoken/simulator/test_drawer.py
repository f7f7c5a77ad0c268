from __future__ import annotations

from tests.challenges.spoken.worlds import WORLD

from duologue.challenges.spoken.knowledge.inquiry import find
from duologue.challenges.spoken.simulator.drawer import Drawer
from duologue.challenges.spoken.simulator.exam import wordings
from duologue.core.rng import Rng


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
