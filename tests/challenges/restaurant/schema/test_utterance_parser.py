from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.utterance_parser import (
    FIXED_TEXTS,
    KINDS,
    ParsedUtterance,
    UtteranceParser,
    named_values,
    normalise,
    parse_utterance,
)

LOOSE = UtteranceParser(loose=True)
WAITS = st.sampled_from(templates.WAITS)
WORDS = st.from_regex(r"[a-z][a-z_]{2,8}", fullmatch=True)


@pytest.mark.parametrize("kind", FIXED_TEXTS)
def test_every_fixed_text_is_read_as_its_kind(kind: str) -> None:
    for text in FIXED_TEXTS[kind]:
        for wait in templates.WAITS:
            assert parse_utterance(text.format(wait=wait)) == ParsedUtterance(kind=kind)


@given(wait=WAITS, new=WORDS, other=WORDS, slot=st.sampled_from(templates.SLOTS_EXTRA), data=st.data())
def test_every_answer_and_hedge_gives_its_values_back(
    wait: str, new: str, other: str, slot: templates.RequestSlot, data: st.DataObject
) -> None:
    pattern = data.draw(st.sampled_from(slot.answers))
    reading = parse_utterance(pattern.text.format(wait=wait, new=new, o=other))
    assert reading.kind == "answer"
    assert slot.name in reading.slots
    assert reading.values["new"] == new
    assert reading.values.get("o", other) == other
    if slot.hedges:
        pattern = data.draw(st.sampled_from(slot.hedges))
        reading = parse_utterance(pattern.text.format(wait=wait, a=new, b=other))
        assert reading.kind == "hedge"
        assert slot.name in reading.slots
        assert reading.values["a"] == new


@given(wait=WAITS, new=WORDS, slot=st.sampled_from(templates.SLOTS_EXTRA), data=st.data())
def test_every_update_names_its_slot_alone(
    wait: str, new: str, slot: templates.RequestSlot, data: st.DataObject
) -> None:
    prefix = data.draw(st.sampled_from(templates.UPDATE_PREFIXES))
    phrase = data.draw(st.sampled_from(slot.phrases))
    text = prefix.text.format(wait=wait) + phrase.format(new=new)
    assert parse_utterance(text) == ParsedUtterance(kind="update", slots=(slot.name,), values={"new": new})


@given(data=st.data(), slots=st.lists(st.sampled_from(templates.SLOTS_EXTRA), unique_by=lambda slot: slot.name))
def test_a_request_gives_its_slots_in_any_order(data: st.DataObject, slots: list[templates.RequestSlot]) -> None:
    opening = data.draw(st.sampled_from(templates.OPENINGS))
    values = {slot.name: data.draw(WORDS) for slot in slots}
    phrases = [data.draw(st.sampled_from(slot.phrases)).format(new=values[slot.name]) for slot in slots]
    assert parse_utterance(" ".join([opening, *phrases])) == ParsedUtterance(
        kind="request", slots=tuple(values), values=values
    )


def test_a_request_for_a_restaurant_keeps_the_name_whole() -> None:
    text = "may i have a table at the_kind_business_pig_party"
    assert parse_utterance(text) == ParsedUtterance(kind="request-at", values={"name": "the_kind_business_pig_party"})


def test_words_that_can_mean_several_slots_name_them_all() -> None:
    assert parse_utterance("hold on, i am asking my friend and she wants rome, let's do that").slots == (
        "cuisine",
        "location",
        "price",
    )
    assert parse_utterance("hold on, i am asking my friend if she wants to do rome, let's see").slots == (
        "cuisine",
        "location",
    )


@given(st.text(max_size=60))
def test_any_text_at_all_is_read_without_an_error(text: str) -> None:
    assert parse_utterance(text).kind in KINDS
    assert LOOSE.parse(text).kind in KINDS
    assert isinstance(named_values(text, {"rome": "location"}), dict)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "may i have a table,",
        "may i have a tables",
        "may i have a table  in rome",
        "may i have a table in rome and so on",
        "may i have a table at two names",
        "in rome or paris",
        "Hello",
        "wait, i am asking my friend",
        "for two pleases",
    ],
)
def test_what_is_not_spelled_as_in_the_challenge_is_unknown(text: str) -> None:
    assert parse_utterance(text).kind == "unknown"


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("Hi!", ParsedUtterance(kind="greeting")),
        ("  ", ParsedUtterance(kind="silence")),
        ("It\u2019s  perfect!!", ParsedUtterance(kind="accept")),
        ("lets do it", ParsedUtterance(kind="accept")),
        ("Thanks.", ParsedUtterance(kind="thanks")),
        ("Hello, I would like to book a table", ParsedUtterance(kind="request")),
        ("For TWO, please.", ParsedUtterance(kind="answer", slots=("number",), values={"new": "two"})),
        ("What was the first option again?", ParsedUtterance(kind="ask-first")),
        ("What is the phone number of the restaurant please?", ParsedUtterance(kind="ask-phone")),
        ("Wait! I am asking my friend, and she wants Rome. Let's do that", None),
        (
            "Hi, I'd like to book a table for two in paris, please",
            ParsedUtterance(
                kind="request", slots=("number", "location"), values={"number": "two", "location": "paris"}
            ),
        ),
    ],
)
def test_a_loose_reader_forgives_how_people_type(text: str, reading: ParsedUtterance | None) -> None:
    found = LOOSE.parse(text)
    assert found == reading or (reading is None and found.values == {"new": "rome"})


def test_a_loose_reader_reads_every_pattern_as_the_strict_one_does() -> None:
    for kind, texts in FIXED_TEXTS.items():
        for text in texts:
            assert LOOSE.parse(text.format(wait=templates.WAITS[0])).kind == kind
    for slot in templates.SLOTS_EXTRA:
        for pattern in (*slot.answers, *slot.hedges):
            text = pattern.text.format(wait=templates.WAITS[1], new="x", o="y", a="x", b="y")
            assert LOOSE.parse(text) == parse_utterance(text)


def test_a_free_sentence_names_values_by_look_up_and_names_are_never_split() -> None:
    slot_of = {"italian": "cuisine", "thai": "cuisine", "two": "number", "business": "atmosphere", "glutenfree": "food"}
    assert named_values("Something ITALIAN, for 2; gluten-free!", slot_of) == {
        "cuisine": ["italian"],
        "number": ["two"],
        "food": ["glutenfree"],
    }
    assert named_values("gluten free, thai or italian or thai", slot_of) == {
        "food": ["glutenfree"],
        "cuisine": ["thai", "italian"],
    }
    assert named_values("a table at the_business_two", slot_of) == {}


def test_squeezing_is_stable() -> None:
    text = normalise("  Hi!  I would like THAT, please. <silence>")
    assert text == "hi id like that please <silence>"
    assert normalise(text) == text
