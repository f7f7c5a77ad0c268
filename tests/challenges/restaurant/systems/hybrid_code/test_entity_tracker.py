from __future__ import annotations

import pytest

from duologue.challenges.restaurant.systems.hybrid_code.entity_tracker import FITS, EntityTracker
from duologue.challenges.restaurant.systems.trained_ranker.delex import KbLexicon
from duologue.core.records import Fact, Turn

NAMES = {"old_inn": "7", "new_inn": "30", "far_inn": "12"}
FACTS = [
    *(Fact(subject="old_inn", relation="location", object=place) for place in ("rome", "paris")),
    Fact(subject="old_inn", relation="price", object="cheap"),
    *(Fact(subject=name, relation="rating", object=rating) for name, rating in NAMES.items()),
    *(Fact(subject=name, relation="phone", object=f"{name}_phone") for name in NAMES),
]
LEXICON = KbLexicon(FACTS)
LISTED = [Turn(speaker="api", text=f"{name} r_rating {rating}") for name, rating in NAMES.items()]


def tracked(*turns: Turn) -> EntityTracker:
    tracker = EntityTracker(LEXICON)
    for turn in turns:
        tracker.observe(turn)
    return tracker


def said(speaker: str, text: str) -> Turn:
    return Turn(speaker=speaker, text=text)


def fits(tracker: EntityTracker, text: str) -> dict[str, float]:
    return dict(zip(FITS, tracker.fit(LEXICON.delexicalise(text)), strict=True))


def test_the_latest_value_of_the_user_counts_and_the_bot_names_none() -> None:
    tracker = tracked(said("user", "in paris"), said("system", "paris then"), said("user", "no, in rome"))
    assert fits(tracker, "api_call rome")["all its values are the latest"] == 1
    assert fits(tracker, "api_call paris cheap")["share of its values that are the latest"] == 0
    assert fits(tracker, "api_call rome cheap")["share of its values that are the latest"] == 0.5
    assert fits(tracker, "api_call rome cheap")["all its values are the latest"] == 0
    assert not any(fits(tracker, "hello").values())


def test_options_are_known_by_rating_and_by_what_was_proposed() -> None:
    first, second, third = "new_inn", "far_inn", "old_inn"
    tracker = tracked(*LISTED)
    assert fits(tracker, f"what about {first}")["its restaurant is rated highest of those not proposed"] == 1
    for name in (first, second):
        tracker.observe(said("system", f"what about {name}"))
    now = {name: {what for what, value in fits(tracker, name).items() if value} for name in NAMES}
    listed = "its restaurant is listed"
    assert now[first] == {listed, "its restaurant was proposed first", "its restaurant was proposed last but one"}
    assert now[second] == {listed, "its restaurant was named last", "its restaurant was proposed last"}
    assert now[third] == {listed, "its restaurant is rated highest of those not proposed"}


def test_a_call_without_a_value_and_a_restaurant_nobody_told_of_are_forbidden() -> None:
    tracker = tracked(said("user", "in paris"), *LISTED[:1])
    for text, allowed in (
        ("api_call rome", True),
        ("api_call rome cheap", False),
        ("here it is old_inn_phone", True),
        ("here it is far_inn_phone", False),
        ("the option was no_such_inn", False),
        ("hello", True),
    ):
        assert tracker.allowed(LEXICON.delexicalise(text)) is allowed, text


def test_flags_tell_what_there_is() -> None:
    tracker = tracked(said("user", "cheap, in rome"))
    assert tracker.flags() == ["<has location>", "<has price>"]
    assert tracker.observe(LISTED[0]) is None
    assert tracker.flags()[2:] == ["<listed>", "<left>"]
    tracker.observe(said("system", "what about old_inn"))
    assert tracker.flags()[2:] == ["<listed>", "<proposed>", "<named>"]


@pytest.mark.parametrize("rating", ["nan", "", "many"])
def test_a_rating_that_is_no_number_comes_last(rating: str) -> None:
    tracker = tracked(LISTED[0], said("api", f"odd_inn r_rating {rating or '-'}"))
    assert fits(tracker, "old_inn")["its restaurant is rated highest of those not proposed"] == 1
