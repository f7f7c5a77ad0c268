from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from duologue.metrics.pairwise_overlap import KeyedTexts

TEXTS = st.lists(st.text(alphabet="ab好\U0001f600", max_size=8), min_size=1, max_size=6)


@given(TEXTS)
@example(["a" * 3000, "a" * 2000])
@example(["", ""])
def test_overlaps_are_the_multiset_intersections_of_all_pairs(texts: list[str]) -> None:
    for keyed in (KeyedTexts.of_characters(texts), KeyedTexts.of_tokens(texts)):
        expect(keyed, [Counter(text) for text in texts])
        expect(keyed.bigrams, [Counter(map("".join, pairwise(text))) for text in texts])


def expect(found: KeyedTexts, bags: list[Counter[str]]) -> None:
    assert found.sizes.tolist() == [bag.total() for bag in bags]
    assert found.overlaps().tolist() == [[(one & other).total() for other in bags] for one in bags]


def test_many_texts_are_compared_as_few_are() -> None:
    texts = [chr(0x4E00 + number % 900) * (1 + number % 3) for number in range(1200)]
    found = KeyedTexts.of_characters(texts)
    assert found.table().size > 1 << 20
    some = KeyedTexts.of_characters(texts[:60]).overlaps()
    assert found.overlaps()[:60, :60].tolist() == some.tolist()


@given(TEXTS, TEXTS)
def test_the_first_are_compared_with_the_others(texts: list[str], others: list[str]) -> None:
    found = KeyedTexts.of_characters([*texts, *others]).overlaps(len(texts))
    assert found.tolist() == [[(Counter(one) & Counter(other)).total() for other in others] for one in texts]
