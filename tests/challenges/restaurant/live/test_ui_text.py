from __future__ import annotations

import string

import pytest

from duologue.challenges.restaurant.live.ui_text import UI_TEXTS, UiText
from duologue.challenges.restaurant.schema.templates import LOCATION, SLOTS
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.systems.solver.solver import BookingState
from duologue.core.errors import UsageError
from duologue.core.records import Fact, Turn
from duologue.knowledge.base import KnowledgeBase

DETAILS = {"slot": "price", "value": "dear", "values": "cheap moderate", "name": "x", "call": "api_call a b c d e"}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_all_languages_have_the_same_remarks_about_the_same_things() -> None:
    assert set(UI_TEXTS) == {"en", "zh"}
    assert {key: fields(text) for key, text in UI_TEXTS["en"].items()} == {
        key: fields(text) for key, text in UI_TEXTS["zh"].items()
    }


@pytest.mark.parametrize("lang", UI_TEXTS)
def test_no_remark_speaks_of_restaurants_in_every_domain(lang: str) -> None:
    assert not [key for key, text in UI_TEXTS[lang].items() if "restaurant" in text or "餐" in text or "一家" in text]


@pytest.mark.parametrize("lang", UI_TEXTS)
def test_every_remark_can_be_made(lang: str) -> None:
    remarks = UiText(lang, KnowledgeBase("made", make_kb(1, 1)), SLOTS)
    state = BookingState()
    state.asked = "price"
    for key in UI_TEXTS[lang]:
        if not key.startswith("hint"):  # hints are part of other remarks
            assert "{" not in remarks.turn(key, state, DETAILS).text


def test_changes_that_help_are_offered_one_per_slot_first() -> None:
    rows = {"x": ("thai", "rome"), "y": ("thai", "paris"), "z": ("thai", "london"), "w": ("italian", "bonn")}
    facts = [
        Fact(subject=name, relation=slot, object=value)
        for name, (cuisine, location) in rows.items()
        for slot, value in (
            ("cuisine", cuisine),
            ("location", location),
            ("number", "two"),
            ("price", "cheap"),
            ("atmosphere", "casual"),
        )
    ]
    remarks = UiText("en", KnowledgeBase("small", facts), SLOTS)
    text = remarks.text("no-match", BookingState(), {"call": "api_call italian rome two cheap casual"})
    assert text == (
        "I am sorry, I found nothing for: italian, rome, two, cheap, casual."
        " You could change something: with thai cuisine, in bonn."
    )
    text = remarks.text("no-match", BookingState(), {"call": "api_call greek oslo two cheap casual"})
    assert text.endswith("You could change something: in bonn.")


def test_the_hint_fits_what_was_said_last() -> None:
    remarks = UiText("en", KnowledgeBase("made", make_kb(1, 1)), SLOTS)
    state = BookingState()
    assert "may i have a table" in remarks.text("your-turn", state, {})
    state.observe(Turn(speaker="user", text="hi"))
    state.observe(Turn(speaker="system", text=LOCATION.question))
    assert "where should it be? I know" in remarks.text("your-turn", state, {})


def test_an_unknown_language_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="known are en, zh"):
        UiText("klingon", KnowledgeBase("none", []), SLOTS)
