from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.proactive.systems.planner.reranking_task import candidate_utilities

TEXTS = st.text(alphabet="甲乙丙丁", min_size=1, max_size=12).map(Counter)


def test_a_reply_by_hand() -> None:
    f1, gain = candidate_utilities(Counter("甲甲乙"), Counter("甲丙"))
    assert f1 == pytest.approx(2 * 1 / 5)
    assert gain == pytest.approx((2 * 1 - 0.43 * 3) / 42)


@given(TEXTS)
def test_nothing_is_better_than_the_reference(reference: Counter[str]) -> None:
    best = candidate_utilities(reference, reference)
    assert best[0] == 1.0
    for other in (reference + Counter("甲"), Counter(reference.keys()), Counter("甲乙丙丁")):
        assert all(worse <= top + 1e-12 for worse, top in zip(candidate_utilities(other, reference), best, strict=True))


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
def test_the_gains_of_replies_tell_whether_their_f1_is_above_the_price(
    pairs: list[tuple[Counter[str], Counter[str]]],
) -> None:
    shared = sum((said & wanted).total() for said, wanted in pairs)
    said, wanted = (sum(one.total() for one in side) for side in zip(*pairs, strict=True))
    total = 42 * sum(candidate_utilities(*pair)[1] for pair in pairs) - 0.43 * wanted
    f1 = 2 * shared / (said + wanted)
    assert total == pytest.approx((f1 - 0.43) * (said + wanted), abs=1e-9)
