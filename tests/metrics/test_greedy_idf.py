from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.metrics.greedy_idf import IdfMatching, ReferenceIdf
from duologue.metrics.word_vectors import Vectors

TABLE = Vectors(["a", "b", "c"], np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 4.0]]))
REFERENCES = [["a", "b"], ["a", "c"], ["a", "a"]]
texts = st.lists(st.sampled_from(["a", "b", "c", "unknown"]), max_size=5)


def matching(references: list[list[str]]) -> IdfMatching:
    idf = ReferenceIdf()
    idf.add(references)
    return IdfMatching(TABLE, idf)


def plain(said: list[str], wanted: list[str], references: list[list[str]]) -> float:
    """The formulas of BERTScore word by word, as the paper writes them."""

    def idf(word: str) -> float:
        return math.log((len(references) + 1) / (sum(word in one for one in references) + 1))

    def cosine(one: str, other: str) -> float:
        first, second = TABLE.of([one])[0], TABLE.of([other])[0]
        return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))

    def share(these: list[str], those: list[str]) -> float:
        whole = sum(map(idf, these))
        return sum(idf(word) * max(cosine(word, other) for other in those) for word in these) / whole if whole else 0.0

    if not said or not wanted:
        return 0.0
    precision, recall = share(said, wanted), share(wanted, said)
    return 2 * precision * recall / (precision + recall) if precision and recall else 0.0


def test_a_word_that_every_reference_has_weighs_nothing() -> None:
    idf = ReferenceIdf()
    idf.add(REFERENCES)
    assert idf.of(["a", "b", "?"]).tolist() == [0.0, pytest.approx(math.log(2)), pytest.approx(math.log(4))]
    found = matching(REFERENCES)
    assert found.f1(["a", "b"], [["a", "b"]]) == found.f1(["b"], [["a", "b"]]) == pytest.approx(1)
    assert found.f1(["a"], [["a", "b"]]) == 0


def test_a_reply_that_is_its_reference_has_1_whatever_the_rounding() -> None:
    rng = np.random.default_rng(1)
    words = [f"w{number}" for number in range(50)]
    replies = [rng.choice(words, size=9).tolist() for _ in range(100)]
    idf = ReferenceIdf()
    idf.add(replies)
    found = IdfMatching(Vectors(words, rng.normal(size=(50, 30)).round(5)), idf)
    assert {found.f1(text, [text[::-1]]) for text in replies} == {1}


def test_precision_and_recall_are_weighted_by_hand() -> None:
    # c and b have idf ln 2, ? has ln 4 and the mean vector (4/3, 5/3); cos(b, c) = .8
    unknown = float(np.array([4, 5]) @ np.array([3, 4]) / 5 / math.sqrt(41))
    precision, recall = (0.8 + 2 * unknown) / 3, max(0.8, unknown)
    expected = 2 * precision * recall / (precision + recall)
    assert matching(REFERENCES).f1(["b", "?"], [["c"]]) == pytest.approx(expected)


@given(st.lists(texts, min_size=1, max_size=4), texts)
def test_the_score_is_that_of_the_formula_and_the_best_reference_counts(
    references: list[list[str]], said: list[str]
) -> None:
    expected = max(plain(said, wanted, references) for wanted in references)
    assert matching(references).f1(said, references) == pytest.approx(expected)


def test_an_empty_side_and_a_single_reference_have_0() -> None:
    assert matching(REFERENCES).f1([], [["b"]]) == 0
    assert matching(REFERENCES).f1(["b"], [[]]) == 0
    assert matching([["a", "b"]]).f1(["a", "b"], [["a", "b"]]) == 0


def test_little_likeness_is_no_likeness_at_all() -> None:
    # all words have idf ln 1.5; cos(a, c) = .6, cos(a, b) = 0
    assert matching([["c", "b"], ["a"]]).f1(["a"], [["c", "b"]]) == pytest.approx(2 * 0.6 * 0.3 / 0.9)
