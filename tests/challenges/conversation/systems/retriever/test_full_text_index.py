from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("tantivy", reason="the retriever's engine is optional")

from duologue.challenges.conversation.systems.retriever.full_text_index import TextIndex

TEXTS = [["my", "parcel", "is", "late"], ["my", "bill"], ["parcel", "parcel", "bill", "bill"]]


def index(*texts: list[str]) -> TextIndex:
    return TextIndex(["said"], ([text] for text in texts))


def bm25(times: int, length: int, mean: float, having: int, total: int) -> float:
    """Robertson and Zaragoza 2009, with the engine's inverse document frequency."""
    rarity = math.log(1 + (total - having + 0.5) / (having + 0.5))
    return rarity * times * 2.2 / (times + 1.2 * (1 - 0.75 + 0.75 * length / mean))


def test_scores_are_those_of_the_formula() -> None:
    hits = index(*TEXTS).best({"said": {"late": 1.0, "parcel": 2.0}}, 10)
    mean = 10 / 3
    first = bm25(1, 4, mean, 1, 3) + 2 * bm25(1, 4, mean, 2, 3)
    second = 2 * bm25(2, 4, mean, 2, 3)
    assert hits.rows.tolist() == ([0, 2] if first > second else [2, 0])
    assert hits.scores.tolist() == pytest.approx(sorted([first, second], reverse=True), abs=0.002)


def test_fields_add_up_with_their_weights() -> None:
    both = TextIndex(["last", "before"], [[["a"], ["b"]], [["b"], ["a"]]])
    assert both.best({"last": {"a": 1.0}, "before": {"a": 0.5}}, 2).rows.tolist() == [0, 1]
    assert both.best({"last": {"a": 0.5}, "before": {"a": 1.0}}, 2).rows.tolist() == [1, 0]
    assert both.best({"last": {"a": 0.0}, "before": {"a": 1.0}}, 2).rows.tolist() == [1]


def test_of_equal_texts_the_first_comes_first_and_no_more_are_given_than_asked_for() -> None:
    same = index(*[["good", "morning"]] * 5)
    assert same.best({"said": {"good": 1.0}}, 5).rows.tolist() == [0, 1, 2, 3, 4]
    assert len(same.best({"said": {"good": 1.0}}, 2).rows) == 2


def test_nothing_is_found_for_nothing_and_for_what_nobody_said() -> None:
    assert not len(index(*TEXTS).best({}, 5).rows)
    assert not len(index(*TEXTS).best({"said": {}}, 5).rows)
    assert not len(index(*TEXTS).best({"said": {"whale": 1.0}}, 5).rows)
    assert not len(index(*TEXTS).best({"said": {"bill": 1.0}}, 0).rows)
    assert not len(index().best({"said": {"bill": 1.0}}, 5).rows)


@settings(max_examples=25)
@given(st.lists(st.text(st.characters(codec=None), min_size=1, max_size=6).filter(lambda text: not text.isspace())))
def test_any_text_can_be_indexed_and_looked_for(words: list[str]) -> None:
    parts = " ".join(words).split()
    found = index(parts, ["other"]).best({"said": dict.fromkeys(parts, 1.0)}, 3)
    assert set(found.rows.tolist()) <= {0, 1}
