from __future__ import annotations

from duologue.challenges.mobilecs.schema.annotation_scheme import annotation_scheme
from duologue.challenges.mobilecs.schema.english import INTENT_NAMES, SLOT_NAMES, TYPE_NAMES


def test_every_label_has_a_name_in_both_languages_and_every_intent_a_note() -> None:
    scheme = annotation_scheme()
    assert set(scheme.types) == set(TYPE_NAMES)
    assert {*scheme.slots, *scheme.user_slots} == set(SLOT_NAMES)
    labels = {label for side in scheme.intents.values() for label in side}
    assert labels == set(INTENT_NAMES) == set(scheme.notes)
    assert set(scheme.with_arguments) < labels


def test_the_guideline_says_all_in_both_languages() -> None:
    for section in annotation_scheme().guideline:
        for text in (section.title, *section.rules):
            assert text.en.isascii() or "“" in text.en or "求" in text.en or "其他" in text.en
            assert any("\u4e00" <= sign <= "\u9fff" for sign in text.zh)
