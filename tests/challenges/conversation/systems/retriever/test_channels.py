from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.conversation.systems.retriever.channels import ChannelClassifier

CONTEXTS = st.lists(st.lists(st.sampled_from("abc"), max_size=4), max_size=4)


def test_a_small_channel_is_not_drowned_by_a_large_one() -> None:
    found = ChannelClassifier.of([[["hello", "flight"]] * 1000, [["hello", "#delay"]]])
    assert found.channel(["#delay", "hello"]) == 1
    assert found.channel(["flight", "hello"]) == 0


def test_the_formula_by_hand() -> None:
    found = ChannelClassifier.of([[["a", "a", "b"]], [["c"]]])
    assert found.terms[0] == {"a": pytest.approx(math.log(3 / 7)), "b": pytest.approx(math.log(2 / 7))}
    assert list(found.unseen) == pytest.approx([-math.log(7), -math.log(5)])


def test_a_context_of_unknown_terms_and_an_empty_one_go_somewhere() -> None:
    found = ChannelClassifier.of([[["a"]], [["a"]]])
    assert found.channel(["zzz"]) == found.channel([]) == 0


@given(st.lists(CONTEXTS, min_size=1, max_size=3), st.lists(st.sampled_from("abcd"), max_size=4))
def test_any_context_has_a_channel_whatever_the_order_of_its_terms(
    channels: list[list[list[str]]], context: list[str]
) -> None:
    found = ChannelClassifier.of(channels)
    assert 0 <= found.channel(context) < len(channels)
    assert found.channel(context) == found.channel(context[::-1])
