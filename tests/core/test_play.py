from __future__ import annotations

import inspect
import random
from typing import TYPE_CHECKING

import pytest

from duologue.core.errors import PlugInError
from duologue.core.play import play
from duologue.core.records import Act, Annotation, Answer, Candidate, Fact, Goal, Item, Record, Turn
from duologue.core.scenes import Scene, SystemView, UserView
from tests.records_in import demand_strict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import TaskInfo, World
    from duologue.core.records import Sample

PLAN = Fact(subject="blue plan", relation="price", object="20")
GOAL = Goal(items=(Item(name="wish", kind="plan", known={"name": "blue plan"}, asked=("price",)),))


class Seller:
    """Looks up the plan that the user names; says the price, else asks again."""

    Recipe = Record
    seen = "nothing"

    def __init__(self) -> None:
        self.saw: list[Sample] = []

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None: ...

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        self.saw += samples
        return [self.reply(sample) for sample in samples]

    def reply(self, sample: Sample) -> Answer:
        heard = sample.history[-1].text if sample.history else ""
        for fact in sample.knowledge:
            if fact.subject in heard:
                act = Act(speaker="system", name="inform", args=(fact.relation,))
                return Answer(text=f"it costs {fact.object}", annotation=Annotation(facts=(fact,), acts=(act,)))
        return Answer(text="which plan")


class Buyer(Seller):
    """Says which plan it wants and leaves when it has heard what it asked for."""

    def reply(self, sample: Sample) -> Answer:
        assert sample.goal is not None
        (wish,) = sample.goal.items
        heard = sample.history[-1].text if sample.history else ""
        if "costs" in heard:
            return Answer()
        act = Act(speaker="user", name="request", args=wish.asked)
        text = f"how much is the {wish.known['name']}" if sample.history else "hello"
        return Answer(text=text, annotation=Annotation(acts=(act,)))


class Said(Seller):
    """Says the lines it was given, one after the other."""

    def __init__(self, *answers: Answer) -> None:
        super().__init__()
        self.answers = list(answers)

    def reply(self, sample: Sample) -> Answer:
        return self.answers.pop(0)


def scene(**changed: object) -> Scene:
    views = {"system": SystemView(knowledge=(PLAN,), world="shop"), "user": UserView(goal=GOAL)}
    return Scene(**{"id": "s1", "max_turns": 10, **views, **changed})  # type: ignore[arg-type]  # fields by name


def test_two_systems_talk_until_one_has_nothing_to_say() -> None:
    dialogue = play(Seller(), Buyer(), scene(), random.Random(1))
    assert [(turn.speaker, turn.text) for turn in dialogue.turns] == [
        ("user", "hello"),
        ("system", "which plan"),
        ("user", "how much is the blue plan"),
        ("system", "it costs 20"),
    ]
    assert dialogue.meta == {"ended_by": "user", "world": "shop"}
    assert (dialogue.id, dialogue.knowledge, dialogue.goal) == ("s1", (PLAN,), GOAL)


def test_the_dialogue_keeps_what_each_side_understood() -> None:
    dialogue = play(Seller(), Buyer(), scene(), random.Random(1))
    last = dialogue.turns[-1].annotation
    assert last is not None
    assert last.facts == (PLAN,)
    assert dialogue.turns[0].annotation is not None


def test_each_side_sees_its_own_view_and_the_words_alone() -> None:
    seller, buyer = Seller(), Buyer()
    play(seller, buyer, scene(), random.Random(1))
    for sample in seller.saw:
        assert (sample.goal, sample.knowledge, sample.world) == (None, (PLAN,), "shop")
        assert all(turn.annotation is None for turn in sample.history if turn.speaker == "user")
    for sample in buyer.saw:
        assert (sample.goal, sample.knowledge, sample.world) == (GOAL, (), None)
        assert all(turn.annotation is None for turn in sample.history if turn.speaker == "system")
    assert buyer.saw[-1].history[0].annotation is not None


def test_the_views_of_the_two_sides_are_different_types() -> None:
    assert not issubclass(SystemView, UserView)
    assert not issubclass(UserView, SystemView)
    hints = inspect.get_annotations(Scene)
    assert (hints["system"], hints["user"]) == ("SystemView", "UserView")


@pytest.mark.parametrize("most", range(5))
def test_a_conversation_is_cut_after_its_number_of_turns(most: int) -> None:
    dialogue = play(Seller(), Seller(), scene(max_turns=most), random.Random(1))
    assert len(dialogue.turns) == most
    assert dialogue.meta["ended_by"] == "max_turns"


def test_the_system_may_speak_first() -> None:
    dialogue = play(Seller(), Buyer(), scene(first="system"), random.Random(1))
    assert [turn.speaker for turn in dialogue.turns[:2]] == ["system", "user"]


def test_who_speaks_first_may_be_left_to_chance_and_is_fixed_by_the_seed() -> None:
    firsts = [play(Seller(), Seller(), scene(first=None), random.Random(seed)).turns[0].speaker for seed in range(20)]
    assert set(firsts) == {"user", "system"}
    assert firsts == [
        play(Seller(), Seller(), scene(first=None), random.Random(seed)).turns[0].speaker for seed in range(20)
    ]


def test_an_empty_reply_is_said_and_does_not_end_the_conversation() -> None:
    dialogue = play(
        Said(Answer(text=""), Answer()), Said(Answer(text="a"), Answer(text="b")), scene(), random.Random(1)
    )
    assert [turn.text for turn in dialogue.turns] == ["a", "", "b"]
    assert dialogue.meta["ended_by"] == "system"


def test_a_system_that_ranks_says_its_first_candidate() -> None:
    def offer(history: tuple[Turn, ...], rng: random.Random) -> tuple[Candidate, ...]:
        order = sorted("ab", key=lambda _: rng.random())
        return tuple(Candidate(id=key, text=f"{key} after {history[-1].text}") for key in order)

    system = Said(Answer(ranking=("b", "a")), Answer(ranking=("a", "b")))
    user = Said(Answer(text="x"), Answer(text="y"), Answer())
    dialogue = play(system, user, scene(candidates=offer), random.Random(1))
    assert [turn.text for turn in dialogue.turns] == ["x", "b after x", "y", "a after y"]
    assert {candidate.id for candidate in system.saw[0].candidates} == {"a", "b"}
    assert not any(sample.candidates for sample in user.saw)


def test_a_candidate_that_was_not_offered_cannot_be_said() -> None:
    with pytest.raises(PlugInError, match="ranks 'z' first in sample 's1#1', which has no such candidate"):
        play(Said(Answer(ranking=("z",))), Buyer(), scene(), random.Random(1))


@pytest.mark.parametrize("number", [0, 2])
def test_a_partner_that_gives_no_answer_or_several_is_named(number: int) -> None:
    class Odd(Seller):
        def answer(self, samples: Sequence[Sample]) -> list[Answer]:
            return [Answer(text="hello")] * number

    with pytest.raises(PlugInError, match=f"Odd returned {number} answers for 1 sample; "):
        play(Odd(), Buyer(), scene(), random.Random(1))


def test_the_user_hears_neither_an_api_call_nor_its_facts() -> None:
    def api(text: str) -> tuple[str, ...] | None:
        return ("blue plan price 20", "red plan price 30") if text == "api_call plans" else None

    system = Said(Answer(text="api_call plans"), Answer(text="blue it is"))
    user = Said(Answer(text="a plan"), Answer())
    dialogue = play(system, user, scene(api=api), random.Random(1))
    assert [turn.speaker for turn in dialogue.turns] == ["user", "system", "api", "api", "system"]
    assert [turn.text for turn in user.saw[-1].history] == ["a plan", "blue it is"]
    assert [turn.text for turn in system.saw[-1].history][-2:] == ["blue plan price 20", "red plan price 30"]


def test_where_the_user_speaks_after_a_call_it_has_heard_nothing_since_its_own_turn() -> None:
    system = Said(Answer(text="api_call plans"), Answer(text="blue it is"))
    user = Said(Answer(text="a plan"), Answer(text="..."), Answer())
    calls = {"api_call plans": ("blue plan price 20",)}
    dialogue = play(system, user, scene(api=calls.get, after_call="user"), random.Random(1))
    assert [turn.speaker for turn in dialogue.turns] == ["user", "system", "api", "user", "system"]
    assert [turn.text for turn in user.saw[1].history] == ["a plan"]
    assert [turn.text for turn in user.saw[2].history] == ["a plan", "...", "blue it is"]
    assert [turn.text for turn in system.saw[-1].history] == ["a plan", "api_call plans", "blue plan price 20", "..."]


def test_a_system_that_calls_forever_is_cut() -> None:
    system = Said(*[Answer(text="api_call")] * 9)
    dialogue = play(system, Said(Answer(text="a")), scene(max_turns=5, api=lambda _: ()), random.Random(1))
    assert [turn.speaker for turn in dialogue.turns] == ["user", *["system"] * 4]


def test_sample_ids_are_stable_and_never_repeated() -> None:
    seller, buyer = Seller(), Buyer()
    play(seller, buyer, scene(), random.Random(1))
    ids = [sample.id for sample in (*seller.saw, *buyer.saw)]
    assert ids == ["s1#1", "s1#3", "s1#user0", "s1#user2", "s1#user4"]
    assert {sample.dialogue_id for sample in (*seller.saw, *buyer.saw)} == {"s1"}


def test_a_scene_may_say_after_each_turn_that_the_conversation_is_over() -> None:
    def after_three(turns: tuple[Turn, ...]) -> bool:
        return len(turns) == 3

    scene = Scene(id="s", max_turns=8, over=after_three)
    dialogue = play(Seller(), Talker(), scene, random.Random(0))
    assert [turn.speaker for turn in dialogue.turns] == ["user", "system", "user"]
    assert dialogue.meta["ended_by"] == "over"


class Talker(Seller):
    """Never stops."""

    def reply(self, sample: Sample) -> Answer:
        return Answer(text="and then")


@pytest.mark.parametrize("kind", [Scene, SystemView, UserView])
def test_a_scene_and_what_each_side_knows_are_not_changed(kind: type[Record]) -> None:
    demand_strict(kind)


class FixedDraw(random.Random):
    def __init__(self, drawn: float) -> None:
        super().__init__(1)
        self.drawn = drawn

    def random(self) -> float:
        return self.drawn


def test_a_draw_below_one_half_lets_the_user_begin() -> None:
    for drawn, speaker in ((0.0, "user"), (0.49, "user"), (0.51, "system"), (0.99, "system")):
        assert play(Seller(), Seller(), scene(first=None), FixedDraw(drawn)).turns[0].speaker == speaker
