from __future__ import annotations

from duologue.core.records import Turn
from duologue.knowledge.leaks import Leak, leaks


def talk(*lines: str) -> list[Turn]:
    speakers = {"u": "user", "s": "system", "a": "api"}
    return [Turn(speaker=speakers[line[0]], text=line[2:]) for line in lines]


def test_a_value_is_a_leak_once_and_only_before_the_other_side_says_it() -> None:
    turns = talk("u inn?", "s the bar", "u bar or inn or pub", "u pub")
    assert leaks(turns, ["inn", "bar", "pub"]) == [Leak(0, ("inn",)), Leak(2, ("pub",))]


def test_what_only_the_system_hears_tells_the_user_nothing() -> None:
    assert leaks(talk("a inn phone", "u inn"), ["inn"]) == [Leak(1, ("inn",))]


def test_what_the_user_was_told_is_no_secret() -> None:
    assert leaks(talk("u thirty for the inn"), ["thirty", "inn"], told=["price: thirty"]) == [Leak(0, ("inn",))]


def test_values_and_texts_are_compared_by_their_form_and_empty_values_are_none() -> None:
    turns = talk("u The Inn !")
    assert leaks(turns, ["the_inn", "", " "], form=lambda text: text.lower().replace("_", " ")) == [
        Leak(0, ("the_inn",))
    ]
    assert leaks(turns, ["secret"], said=lambda _: "a secret") == [Leak(0, ("secret",))]
