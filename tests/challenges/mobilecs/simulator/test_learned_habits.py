from __future__ import annotations

from duologue.challenges.mobilecs.simulator.habits import NEXT_REQUEST
from duologue.challenges.mobilecs.simulator.learned_habits import LearnedHabits
from duologue.challenges.mobilecs.simulator.user_turns import TurnKey, UserTurn
from duologue.core.rng import Rng

ASKS = TurnKey(("entity:业务费用",), (), is_named=True)


def turn(*labels: str, staff: str = "通知", key: TurnKey = TurnKey(), place: int = 1) -> UserTurn:  # noqa: B008  # a tuple
    return UserTurn(key, labels, (staff,) if place else (), place == 0, place == 9, ("嗯",))


def test_what_follows_what_is_counted() -> None:
    dialogue = [turn("问候", place=0), *[turn("被动确认", staff="主动确认")] * 40, *[turn("询问", key=ASKS)] * 40]
    habits = LearnedHabits([[*dialogue, turn("再见", place=9)]] * 5)
    drawn = [habits.beside(Rng(number), frozenset({"主动确认"}), "被动确认") for number in range(200)]
    assert drawn.count("被动确认") > 170
    drawn = [habits.beside(Rng(number), frozenset({"通知"}), "询问") for number in range(200)]
    assert drawn.count(NEXT_REQUEST) > 170
    unseen = {habits.beside(Rng(number), frozenset({"抱歉"}), "投诉反馈") for number in range(100)}
    assert unseen == {"被动确认", NEXT_REQUEST}
    assert habits.turns_beside(Rng(1), 1) == 40
    openings = [habits.opening(Rng(number)) for number in range(200)]
    assert openings.count("bare") > 100


def test_nothing_learned_leaves_every_choice_possible() -> None:
    habits = LearnedHabits([])
    assert habits.turns_beside(Rng(1), 1) == 0
    assert habits.beside(Rng(1), frozenset(), "") == NEXT_REQUEST
