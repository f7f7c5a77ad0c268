from __future__ import annotations

import math

import pytest

from duologue.challenges.proactive.systems.planner.variety import OwnWords, Variety, word_frequencies

COMMON = [["你", "好", "呀"]] * 9 + [["你", "好", "你"]]


def test_a_word_counts_once_per_reply() -> None:
    document_counts = word_frequencies(COMMON)
    assert document_counts.replies == 10
    assert document_counts.words == {"你": 10, "好": 10, "呀": 9}


def test_words_of_everybody_bring_nothing_and_unheard_words_bring_themselves() -> None:
    variety = Variety(word_frequencies(COMMON), word_frequencies([]))
    assert variety.new_words(["你", "好"], opening=False) == pytest.approx(0.0, abs=1e-9)
    assert variety.new_words(["红高粱", "巩俐"], opening=False) == 2.0


def test_a_rare_word_is_new_as_often_as_two_thousand_others_leave_it_out() -> None:
    replies = [["早"]] + [["好"]] * 999
    found = Variety(word_frequencies(replies), word_frequencies([])).new_words(["早"], opening=False)
    assert found == pytest.approx(math.exp(-2), rel=1e-9)
    assert found == pytest.approx((1 - 0.001) ** 2000, rel=0.01)


def test_first_turns_are_compared_with_first_turns() -> None:
    variety = Variety(word_frequencies(COMMON), word_frequencies([["早"]]))
    assert variety.new_words(["你"], opening=True) == 1.0
    assert variety.new_words(["早"], opening=True) == pytest.approx(0.0, abs=1e-9)
    assert variety.new_words(["早"], opening=False) == 1.0


def test_equal_words_are_written_in_one_order() -> None:
    assert list(word_frequencies([["b", "a"], ["a", "c"]]).words) == ["a", "b", "c"]


def test_a_word_is_new_to_a_planner_that_never_says_it_though_people_do() -> None:
    people = word_frequencies([["你", "好", "呀"], *[["你", "好"]] * 999])
    variety = Variety(people, people, OwnWords.of([["你", "好"]] * 300 + [["早"]]))
    assert variety.new_to_own(["呀"]) == pytest.approx(math.exp(-2000 * 0.25 * 0.001) - 0.11)
    assert variety.new_to_own(["好"]) == pytest.approx(-0.11, abs=1e-6)
    assert variety.new_to_own(["早"]) == pytest.approx(math.exp(-2000 * 0.75 / 301) - 0.11)
    assert variety.new_to_own(["红高粱"]) == pytest.approx(1 - 0.11)


def test_pairs_of_words_count_besides() -> None:
    variety = Variety(word_frequencies([]), word_frequencies([]), OwnWords.of([["你", "好"]] * 300))
    assert variety.new_to_own(["你", "好"]) == pytest.approx(2 * -0.11 + 0.09 * -0.31, abs=1e-6)
    assert variety.new_to_own(["好", "你"]) == pytest.approx(2 * -0.11 + 0.09 * (1 - 0.31), abs=1e-6)


def test_nothing_is_new_where_own_words_are_not_known() -> None:
    assert Variety(word_frequencies(COMMON), word_frequencies([])).new_to_own(["红高粱"]) == 0.0
