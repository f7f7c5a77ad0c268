from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.conversation.systems.mbr import mbr_index, pairwise_agreement

texts = st.lists(st.lists(st.sampled_from("abcd"), max_size=5), min_size=1, max_size=6)


def cut(*said: str) -> list[list[str]]:
    return [text.split() for text in said]


def test_the_text_between_two_others_is_chosen() -> None:
    said = cut("please send a message", "please send us a message", "please send us an email")
    assert mbr_index(said, [1, 1, 1]) == 1


def test_weights_decide_against_the_many() -> None:
    said = [["yes"], ["no"], ["no"]]
    assert mbr_index(said, [1, 1, 1]) == 1
    assert mbr_index(said, [3, 1, 1]) == 0


def test_a_name_that_only_one_text_knows_costs_it_agreement() -> None:
    said = cut("it is at <name> street", "it is at 71 peter street", "it is at <name> street")
    assert mbr_index(said, [1, 1.5, 1]) == 0


def test_there_must_be_a_text() -> None:
    with pytest.raises(ValueError, match="no text"):
        mbr_index([], [])


@given(texts)
def test_agreement_is_a_fraction_and_the_same_both_ways(said: list[list[str]]) -> None:
    table = pairwise_agreement(said)
    assert table.shape == (len(said), len(said))
    assert ((table >= 0) & (table <= 1)).all()
    assert np.allclose(table, table.T)
    assert np.diag(table).tolist() == [float(bool(text)) for text in said]


@given(texts, st.integers(0, 5))
def test_a_text_with_all_the_weight_agrees_most_with_itself(said: list[list[str]], place: int) -> None:
    place %= len(said)
    weights = [0.0] * len(said)
    weights[place] = 1.0
    chosen = mbr_index(said, weights)
    assert set(said[chosen]) == set(said[place]) or not said[place]
