from __future__ import annotations

from duologue.challenges.mobilecs.schema.intents import USER_LABELS
from duologue.challenges.mobilecs.simulator.habits import BESIDE_KINDS, NEXT_REQUEST, Habits
from duologue.core.rng import Rng


def test_habits_draw_what_the_user_can_do() -> None:
    habits, rng = Habits(), Rng(1)
    assert {habits.opening(rng) for _ in range(200)} == {"bare", "other", "direct", "greeted"}
    assert {habits.beside(rng, frozenset({"通知"}), "") for _ in range(2000)} == {*BESIDE_KINDS, NEXT_REQUEST}
    assert set(BESIDE_KINDS) <= set(USER_LABELS)
    assert habits.turns_beside(rng, 0) == 0
    lengths = [habits.turns_beside(rng, 1) for _ in range(500)]
    assert 9 < sum(lengths) / len(lengths) < 11.5
