from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.proactive.systems.planner.voters import SHARED, agreement_with

REPLIES = st.lists(
    st.lists(st.sampled_from(["天", "好看", "。", "看好"]), min_size=1, max_size=6).map(tuple), max_size=5
)


@given(REPLIES, REPLIES.filter(bool))
def test_what_is_shared_with_voters_is_counted(voters: list[tuple[str, ...]], replies: list[tuple[str, ...]]) -> None:
    found = agreement_with(voters, replies)
    assert found.shape == (len(replies), len(SHARED))
    if not voters:
        assert not found.any()
        return
    of_all = sum(len("".join(one)) for one in voters)
    for reply, row in zip(replies, found, strict=True):
        shared = [(Counter("".join(reply)) & Counter("".join(one))).total() for one in voters]
        sizes = [len("".join(reply)) + len("".join(one)) for one in voters]
        assert row[0] == pytest.approx(np.mean([2 * n / size for n, size in zip(shared, sizes, strict=True)]), abs=1e-5)
        assert row[1] == pytest.approx(2 * sum(shared) / max(1.0, 2 * of_all / len(voters)) / len(voters), abs=1e-5)


def test_a_reply_agrees_wholly_with_itself() -> None:
    one = ("天", "好看", "。")
    assert agreement_with([one, one], [one])[0].tolist() == pytest.approx([1.0] * len(SHARED))
