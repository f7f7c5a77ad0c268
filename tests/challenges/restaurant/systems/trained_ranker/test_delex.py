from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.restaurant.systems.trained_ranker.delex import KbLexicon
from duologue.core.records import Fact

KB = (
    ("old_inn", "cuisine", "thai"),
    ("old_inn", "location", "rome"),
    ("old_inn", "rating", "7"),
    ("old_inn", "phone", "old_inn_phone"),
    ("new_inn", "cuisine", "french"),
    ("new_inn", "location", "rome"),
    ("new_inn", "rating", "9"),
    ("new_inn", "phone", "new_inn_phone"),
)


@pytest.fixture
def lexicon() -> KbLexicon:
    return KbLexicon(Fact(subject=subject, relation=field, object=value) for subject, field, value in KB)


def test_values_become_markers_and_keep_field_and_value_beside_them(lexicon: KbLexicon) -> None:
    found = lexicon.delexicalise("i want thai food in rome, please")
    assert found.tokens == ("i", "want", "<value>", "food", "in", "<value>", ",", "please")
    assert [value.position for value in found.values] == [2, 5]
    assert [lexicon.fields[value.field] for value in found.values] == ["cuisine", "location"]


def test_two_values_of_a_field_are_two_pairs_and_the_same_value_is_one(lexicon: KbLexicon) -> None:
    first, second, third = lexicon.delexicalise("thai or french or thai").values
    assert first.field == second.field
    assert first.pair != second.pair
    assert first.pair == third.pair


def test_fields_are_in_alphabetical_order(lexicon: KbLexicon) -> None:
    assert lexicon.fields == ("cuisine", "location", "phone", "rating")
    assert lexicon.item_fields == {"phone"}


def test_fields_that_are_spoken_of_are_told_once_each(lexicon: KbLexicon) -> None:
    assert lexicon.delexicalise("any location, or a cuisine, or a location").fields == (0, 1)
    assert lexicon.delexicalise("here it is new_inn_phone").fields == (2,)
    assert lexicon.delexicalise("the phone, not the location. the phone").items == ("phone", "phone")
    assert lexicon.delexicalise("where should it be").fields == ()


def test_a_restaurant_becomes_a_name(lexicon: KbLexicon) -> None:
    found = lexicon.delexicalise("what do you think of this option: old_inn")
    assert found.tokens[-3:] == ("option", ":", "<name>")
    assert (found.subject, found.item) == ("old_inn", None)


def test_a_value_of_one_restaurant_alone_becomes_an_item_with_its_field(lexicon: KbLexicon) -> None:
    found = lexicon.delexicalise("here it is new_inn_phone")
    assert found.tokens[-2:] == ("<item>", "phone")
    assert (found.subject, found.item) == ("new_inn", "phone")


def test_names_in_no_knowledge_base_are_read_by_their_shape(lexicon: KbLexicon) -> None:
    assert lexicon.delexicalise("the option was no_such_inn").tokens[-1] == "<name>"
    assert lexicon.delexicalise("here it is no_such_inn_phone").subject == "no_such_inn"
    assert lexicon.delexicalise("here it is no_such_inn_phone").item == "phone"


def test_an_api_call_is_a_word_and_its_values_are_values(lexicon: KbLexicon) -> None:
    assert lexicon.delexicalise("api_call thai rome").tokens == ("api_call", "<value>", "<value>")


def test_words_of_names_are_not_values() -> None:
    lexicon = KbLexicon([Fact(subject="big_business_car", relation="atmosphere", object="business")])
    assert lexicon.delexicalise("at big_business_car").tokens == ("at", "<name>")


def test_fact_lines_read_as_forms_and_do_not_count_as_speech(lexicon: KbLexicon) -> None:
    assert lexicon.delexicalise("old_inn r_cuisine thai").tokens == ("<name>", "<field>", "<value>")
    assert lexicon.spoken() == set()
    lexicon.delexicalise("with french food")
    assert lexicon.spoken() == {"with", "food", "<value>", "cuisine"}


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    lexicon = KbLexicon(Fact(subject=subject, relation=field, object=value) for subject, field, value in KB)
    found = lexicon.delexicalise(text)
    assert all(found.tokens[value.position] == "<value>" for value in found.values)
    assert found is lexicon.delexicalise(text)
