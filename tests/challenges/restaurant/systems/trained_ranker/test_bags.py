from __future__ import annotations

from duologue.challenges.restaurant.systems.trained_ranker.bags import BagTable
from duologue.models.vocabulary import UNKNOWN


def test_equal_bags_have_one_number() -> None:
    table = BagTable()
    assert [table.number(bag) for bag in (["a", "b"], [], ("a", "b"), ["b", "a"])] == [0, 1, 0, 2]
    assert table.bags == [("a", "b"), (), ("b", "a")]


def test_a_word_counts_once_per_bag() -> None:
    table = BagTable()
    for bag in (["a", "a", "b"], ["b"], ["c", "b"]):
        table.number(bag)
    vocabulary = table.vocabulary(least=2)
    assert vocabulary.words == ("b",)
    known = vocabulary.target(["b"])[0]
    assert table.tokens(vocabulary) == [[UNKNOWN, UNKNOWN, known], [known], [UNKNOWN, known]]
