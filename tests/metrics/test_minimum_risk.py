"""Utilities of pairs of texts, and the text of least risk."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.metrics.minimum_risk import UTILITIES, LeastRisk, bigram_f1, chosen, chrf, f1, least_risk, sentence_bleu

WORDS = st.lists(st.sampled_from("abcd"), max_size=6)
NAMES = st.sampled_from(list(UTILITIES))


@given(texts=st.lists(WORDS, min_size=1, max_size=4), name=NAMES)
def test_a_text_is_worth_most_to_itself(texts: list[list[str]], name: str) -> None:
    worth = UTILITIES[name](texts)
    assert worth.shape == (len(texts), len(texts))
    assert (worth >= 0).all()
    assert (worth <= 1 + 1e-9).all()
    full = [at for at, one in enumerate(texts) if one]
    assert worth[full, full] == pytest.approx(1)


def test_utilities_of_a_case_by_hand() -> None:
    said, right = ["the", "cat", "sat"], ["the", "cat", "ran"]
    assert f1([said, right])[0, 1] == pytest.approx(2 / 3)
    assert bigram_f1([said, right])[0, 1] == pytest.approx(2 * 3 / 10)
    assert sentence_bleu([said, right])[0, 1] == pytest.approx((2 / 3 * 2 / 3 * 1 / 2 * 1) ** 0.25)
    precisions = [1 / 2, 0]  # "ab" and "ac": characters, then the pair
    assert chrf([["ab"], ["ac"]])[0, 1] == pytest.approx(sum(precisions) / 2)


@given(text=WORDS, times=st.integers(1, 4), name=NAMES)
def test_one_text_however_often_is_taken(text: list[str], times: int, name: str) -> None:
    assert least_risk([text] * times, name) == 0


@given(text=WORDS, others=st.lists(st.sampled_from("efgh"), unique=True, max_size=3), name=NAMES)
def test_a_majority_wins_over_texts_that_have_nothing_in_common(text: list[str], others: list[str], name: str) -> None:
    texts = [*([one] for one in others), *([text] * (len(others) + 1))]
    assert texts[least_risk(texts, name)] == text


@given(one=WORDS, other=WORDS, more=st.integers(1, 2), name=st.sampled_from(["f1", "bigram-f1"]))
def test_of_two_texts_the_more_frequent_wins(one: list[str], other: list[str], more: int, name: str) -> None:
    texts = [one, *[other] * (1 + more)]
    worth = UTILITIES[name]([one, other])[0, 1]
    assert texts[least_risk(texts, name)] == other or worth == pytest.approx(1)


@given(texts=st.lists(WORDS, min_size=1, max_size=4), name=NAMES)
def test_the_order_of_the_texts_breaks_ties_alone(texts: list[list[str]], name: str) -> None:
    found = {tuple(order[least_risk(order, name)]) for order in permutations(texts)}
    worth = UTILITIES[name](texts)
    means = [sum(1.0 if a == b else worth[i, j] for j, b in enumerate(texts)) for i, a in enumerate(texts)]
    best = {tuple(text) for text, mean in zip(texts, means, strict=True) if mean > max(means) - 1e-6}
    assert found <= best


def test_a_choice_says_whether_all_texts_are_worth_the_same() -> None:
    assert chosen([["a"], ["b"]], "f1") == LeastRisk(0, undecided=True)
    assert chosen([["a"], ["b"], ["b"]], "f1") == LeastRisk(1, undecided=False)
    assert chosen([["a"], ["a"]], "f1") == LeastRisk(0, undecided=False)


def test_ties_go_to_the_first_and_nothing_is_refused() -> None:
    assert least_risk([["a"], ["b"]], "f1") == 0
    assert least_risk([[], ["b"], []], "bleu") == 0
    with pytest.raises(ValueError, match="no text"):
        least_risk([], "f1")
    with pytest.raises(ValueError, match="there are f1, bigram-f1, bleu, chrf"):
        least_risk([["a"]], "f2")
