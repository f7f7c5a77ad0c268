from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.conversation.scoring.counts import DIFFERENT, MOST_FREQUENT, _diversity, count, count_each
from duologue.challenges.conversation.scoring.items import ScoredItems
from duologue.core.records import Scoring
from duologue.metrics.diversity import count_distinct
from duologue.metrics.tokens import number_grams, number_tokens

ITEMS = ScoredItems(["1", "2", "3"], ["a b", "c", "a  b"], [["a b", "b"], ["d"], ["a"]], [])


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4), min_size=1, max_size=6))
def test_diversity_without_sorting_is_that_of_the_shared_count(said: list[list[str]]) -> None:
    for grams in number_grams(number_tokens(said), 2):
        shared = count_distinct([list(zip(*(text[at:] for at in range(grams.order)), strict=False)) for text in said])
        found = _diversity(grams, len(said))
        for name in ("said", "fresh", "group_said", "group_alone"):
            assert getattr(found, name).tolist() == getattr(shared, name).tolist(), name


def test_portions_with_one_numbering_count_what_all_samples_count() -> None:
    whole, tokens = count_each(ITEMS, "coco")
    known: dict[str, int] = {}
    parts = [count_each(ITEMS.take(start, start + 1), "coco", known) for start in range(3)]
    assert list(whole) == list(parts[0][0])
    for name, values in whole.items():
        assert np.concatenate([part[name] for part, _ in parts]) == pytest.approx(values)
    assert parts[-1][1].vocabulary == tokens.vocabulary == 4


def test_a_reply_is_the_same_whatever_its_spaces() -> None:
    found = count(ITEMS, Scoring(variant="strict"))
    assert found.columns[DIFFERENT.name].tolist() == [1, 1, 0]
    assert found.columns[MOST_FREQUENT.name].tolist() == [1, 0, 1]
    assert found.intervals == {}  # so few samples
