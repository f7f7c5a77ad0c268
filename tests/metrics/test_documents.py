from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from duologue.metrics.caption import Cider
from duologue.metrics.documents import Numbered, cider_of
from duologue.metrics.tokens import number_texts

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=7).map(" ".join)
CORPORA = st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=9)


def numbered(part: list[tuple[str, list[str]]], known: dict[str, int]) -> Numbered:
    """Return a portion with its references dealt out in layers, the first ones of all items first."""
    placed = sorted((depth, item) for item, (_, several) in enumerate(part) for depth in range(len(several)))
    texts = [*(said for said, _ in part), *(part[item][1][depth] for depth, item in placed)]
    tokens = number_texts(texts, known)
    items = np.array([item for _, item in placed], np.int32)
    return Numbered(tokens.numbers.astype(np.int32), tokens.lengths.astype(np.int32), items)


@given(CORPORA, st.integers(1, 4))
def test_cider_in_portions_is_that_of_all_items_at_once(corpus: list[tuple[str, list[str]]], size: int) -> None:
    known: dict[str, int] = {}
    portions = [numbered(corpus[start : start + size], known) for start in range(0, len(corpus), size)]
    found = np.concatenate(list(cider_of(portions)))
    whole = Cider([said.split() for said, _ in corpus], [[one.split() for one in several] for _, several in corpus])
    assert np.allclose(found, whole.values(), rtol=1e-12, atol=1e-15)


def test_a_portion_without_a_word_counts_no_document() -> None:
    corpus = [("", [""]), ("a b", ["a c"]), ("c", ["a", "b"])]
    known: dict[str, int] = {}
    found = np.concatenate(list(cider_of([numbered([one], known) for one in corpus])))
    whole = Cider([said.split() for said, _ in corpus], [[one.split() for one in several] for _, several in corpus])
    assert np.allclose(found, whole.values(), rtol=1e-12, atol=1e-15)
