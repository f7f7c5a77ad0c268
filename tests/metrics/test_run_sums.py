from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from duologue.metrics.run_sums import RunSums


@given(st.lists(st.integers(0, 9), max_size=40), st.integers(1, 50), st.lists(st.integers(0, 7), max_size=9))
def test_runs_add_up_their_items_however_the_chunks_fall(numbers: list[int], limit: int, sizes: list[int]) -> None:
    sums = RunSums(len(numbers), limit)
    values, at = np.array(numbers, np.int64), 0
    for size in [*sizes, len(numbers)]:
        sums.add({"n": values[at : at + size]})
        at += size
    sums.add({"half": values / 2})
    runs = [numbers[start : start + sums.step] for start in range(0, len(numbers), sums.step)]
    assert sums.runs == len(runs) <= limit
    assert sums.columns["n"].tolist() == [sum(run) for run in runs]
    assert sums.columns["half"].tolist() == [sum(run) / 2 for run in runs]
    assert sums.where(0, len(numbers)).tolist() == [at for at, run in enumerate(runs) for _ in run]
