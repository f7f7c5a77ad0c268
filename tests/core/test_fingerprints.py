from __future__ import annotations

import pytest

from duologue.core.fingerprints import BYTES, of_beginnings, of_runs, of_several, of_text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Sorry , I can 't !", "sorry, I can't"),
        ("ＡＢＣ 123", "abc123"),
        ("您好 ， 请问", "您好，请问"),
        ("a_b", "a b"),
    ],
)
def test_spaces_case_width_and_punctuation_make_no_difference(one: str, other: str) -> None:
    assert of_text(one).print == of_text(other).print


def test_other_words_make_another_fingerprint_of_so_many_bytes() -> None:
    assert of_text("one").print != of_text("two").print
    assert of_text("one").print < 1 << 8 * BYTES


def test_a_chinese_character_is_half_a_word_and_half_a_surrogate_pair_is_read() -> None:
    assert of_text("请问 the price ？").size == 3
    assert of_text("half \ud800 a pair").size == 3


def test_the_order_of_several_counts_and_nothing_moves_from_one_to_the_next() -> None:
    assert of_several([1, 2]) != of_several([2, 1])
    assert of_several([1]) != of_several([1, 0])


def test_runs_of_words_are_equal_where_their_words_are_and_come_in_their_order() -> None:
    here = list(of_runs("one two, three four five", 3))
    there = list(of_runs("zero ONE two three. Four", 3))
    assert here[:2] == there[1:]
    assert len({*here, *there}) == 4
    assert list(of_runs("three two one", 3)) != list(of_runs("one two three", 3))
    assert list(of_runs("one two", 3)) == []
    assert len(list(of_runs("请问价格", 3))) == 2


def test_fingerprints_are_the_same_on_every_machine_and_in_every_version() -> None:
    """Sketches of training data are kept beside models, and are held against texts years later."""
    assert of_text("one") == (47858165133491, 1.0)
    assert of_text("请问 the price ？") == (279871191282752, 3.0)
    assert of_runs("one two, three four", 3) == [2264378061633963847, 2176084697420075238]
    assert of_several([1, 2]) == 263145243160641
    assert of_beginnings([7, 8]) == [0, 41591189347691, 204371030991261]
    assert of_runs("one two", 1) == [of_text("one").print, of_text("two").print]
