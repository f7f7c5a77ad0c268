from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.retrieval.postings import Postings

ROW = st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 4, width=32), max_size=5)


@given(st.lists(ROW, max_size=6), ROW)
def test_a_row_gets_the_sum_over_the_terms_it_shares(rows: list[dict[str, float]], asked: dict[str, float]) -> None:
    found = Postings([list(row.items()) for row in rows]).sums(list(asked.items()))
    wanted = [sum(row[term] * weight for term, weight in asked.items() if term in row) for row in rows]
    assert found.tolist() == pytest.approx(wanted, rel=1e-5, abs=1e-6)


def test_terms_that_no_row_has_give_nothing() -> None:
    assert Postings([[("a", 1.0)], []]).sums([("z", 2.0)]).tolist() == [0.0, 0.0]
