from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.retrieval.template_index import (
    RetrievedTemplate,
    TemplateCandidate,
    TemplateEntry,
    TemplateIndex,
    merged,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


class Line(TemplateEntry, frozen=True, kw_only=True):
    text: str


class Said(TemplateCandidate, frozen=True, kw_only=True):
    text: str

    @property
    def key(self) -> str:
        return self.text


def line(words: str, text: str = "", *, source: str = "", needs: tuple[str, ...] = ()) -> Line:
    return Line(source=source, turn=0, groups=((1.0, tuple(words.split())),), needs=needs, text=text)


def numbers(found: list[RetrievedTemplate]) -> list[int]:
    return [one.entry for one in found]


LINES = [line("a b", source="one"), line("a", source="two"), line("a b", source="two"), line("c", source="three")]
ALL = np.ones(len(LINES), dtype=bool)


def test_the_most_similar_come_first_and_ties_in_their_order() -> None:
    found = TemplateIndex(LINES).nearest([(1.0, ["a", "b"])], ALL, pool=9)
    assert numbers(found) == [0, 2, 1, 3]
    assert [one.rank for one in found] == [0, 1, 2, 3]
    assert found[0].similarity == pytest.approx(1.0)
    assert found[3].similarity == 0.0


def test_neither_the_unusable_nor_those_of_its_own_source_are_found() -> None:
    index = TemplateIndex(LINES)
    assert numbers(index.nearest([(1.0, ["a", "b"])], np.array([True, True, False, True]), pool=2)) == [0, 1]
    assert numbers(index.nearest([(1.0, ["a", "b"])], ALL, pool=9, apart="two")) == [0, 3]
    assert numbers(index.nearest([(1.0, ["a", "b"])], ALL, pool=9, apart="nowhere")) == [0, 2, 1, 3]


@given(st.lists(st.sampled_from(["a", "b", "a b", "c", "a c"]), min_size=1, max_size=12), st.integers(1, 14))
def test_a_pool_is_the_head_of_all(rows: list[str], pool: int) -> None:
    index = TemplateIndex([line(words) for words in rows])
    usable = np.ones(len(rows), dtype=bool)
    every = index.nearest([(1.0, ["a", "b"])], usable, pool=len(rows))
    assert index.nearest([(1.0, ["a", "b"])], usable, pool=pool) == every[:pool]


def test_equal_candidates_are_one_and_needs_must_be_known() -> None:
    index = TemplateIndex(
        [line("a", "x"), line("a", "y", needs=("q",)), line("a", "x"), line("a", "z"), line("a", "w")]
    )

    def fill(one: RetrievedTemplate) -> Iterator[Said]:
        text = index.entries[one.entry].text
        yield from (Said(entry=one.entry, similarity=one.similarity, text=said) for said in (text, text.upper()))

    retrieved = index.nearest([(1.0, ["a"])], np.ones(5, dtype=bool), pool=9)
    found = index.distinct(retrieved, fill, known="", limit=9)
    assert [(one.text, one.entry, one.times) for one in found] == [
        ("x", 0, 2), ("X", 0, 2), ("z", 3, 1), ("Z", 3, 1), ("w", 4, 1), ("W", 4, 1)
    ]  # fmt: skip
    assert [one.text for one in index.distinct(retrieved, fill, known="pqr", limit=3)] == ["x", "X", "y", "Y"]
    assert [(one.key, one.times) for one in merged([found[0], found[2], found[0]])] == [("x", 4), ("z", 1)]
