from __future__ import annotations

import pytest

from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.simulator.bot_turn import NOTHING, read_text

BASE = {"the_old_red_city_pig", "old_red_city", "odd_cow"}


@pytest.mark.parametrize("slot", templates.SLOTS_EXTRA, ids=lambda slot: slot.name)
def test_questions_of_the_challenge_are_understood_in_any_spelling(slot: templates.RequestSlot) -> None:
    for text in (slot.question, f"{slot.question.capitalize()}?"):
        heard = read_text(text, BASE)
        assert (heard.asked, heard.question, heard.hands_back) == ((slot.name,), True, False)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Sure! How many guests, and what is your budget?", ("number", "price")),
        ("Please tell me which city you have in mind.", ("location",)),
        ("What ambience would you like?", ("atmosphere",)),
        ("Italian food in Rome for two people it is.", ()),
        ("Shall I book it?", ()),
    ],
)
def test_questions_in_free_words(text: str, asked: tuple[str, ...]) -> None:
    assert read_text(text, BASE).asked == asked


def test_restaurants_are_found_with_underscores_blanks_and_capitals_and_the_longest_name_counts() -> None:
    assert read_text("what do you think of this option: odd_cow", BASE).names == ("odd_cow",)
    said = "How about The Old Red City Pig? Or Odd Cow, or odd_cow."
    assert read_text(said, BASE).names == ("the_old_red_city_pig", "odd_cow")
    assert read_text("here it is odd_cow_phone", BASE).names == ()


def test_who_goes_on() -> None:
    for text in (
        templates.BOT_ON_IT,
        templates.BOT_LOOK,
        templates.BOT_ANOTHER,
        "One moment, searching.",
        "I'm on it!",
    ):
        assert read_text(text, BASE).hands_back, text
    for text in (templates.BOT_READY, templates.BOT_UPDATE, "Shall I look it up? Or hold on?", "Booked."):
        assert not read_text(text, BASE).hands_back, text
    assert NOTHING.hands_back


def test_values_are_told_as_whole_words() -> None:
    heard = read_text("Here it is: odd_cow_phone.", BASE)
    assert heard.tells("odd_cow_phone")
    assert not heard.tells("cow_phone")
    assert read_text("Call 01 23 45.", BASE).tells("01 23 45")
