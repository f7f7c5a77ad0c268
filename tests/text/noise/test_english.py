from __future__ import annotations

from duologue.text.noise.english import SpokenEnglish

ENGLISH = SpokenEnglish()


def test_marks_and_silence_are_no_words() -> None:
    text = "<silence> i'm , here"
    assert [text[start:end] for start, end in ENGLISH.words(text)] == ["i'm", "here"]


def test_known_words_are_taken_for_words_and_others_for_near_letters() -> None:
    assert {ENGLISH.near("two", point) for point in (0.1, 0.9)} == {"to", "too"}
    assert ENGLISH.near("vegetarian", 0.0) not in (None, "vegetarian")
    assert ENGLISH.near("xyz", 0.5) is None


def test_accents() -> None:
    assert ENGLISH.accented("three", "th-fronting", 0.9) == "free"
    assert ENGLISH.accented("booking", "g-dropping", 0.0) == "bookin"
    assert ENGLISH.accented("table", "pin-pen", 0.0) is None


def test_numbers_have_others() -> None:
    assert ENGLISH.other_number("six", 0.0) == "two"
    assert ENGLISH.other_number("two", 0.0) == "three"
    assert ENGLISH.other_number("table", 0.0) is None


def test_colloquial_words_are_whole_words() -> None:
    text = "i would like this hi"
    assert [text[start:end] for (start, end), _ in ENGLISH.colloquial(text)] == ["i would like", "hi"]
