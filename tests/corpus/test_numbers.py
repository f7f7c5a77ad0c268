from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from duologue.corpus.numbers import NumberSet

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("run", [7, 100, 10_000])
def test_counts_are_those_of_sets_whatever_fits_into_memory(tmp_path: Path, run: int) -> None:
    rng = Random(run)
    one, two = ([int(rng.random() * 900) << 54 for _ in range(n)] for n in (1500, 400))
    first, second = NumberSet(tmp_path / "one", run=run), NumberSet(tmp_path / "two", run=run)
    for start in range(0, len(one), 60):
        first.add(one[start : start + 60])
    second.add(two)
    assert (len(first), len(second)) == (len(set(one)), len(set(two)))
    found = first.common(second, 3)
    assert found.size == len(set(one) & set(two))
    assert found.some == set(sorted(set(one) & set(two))[:3])
    assert first.common(second) == second.common(first)


def test_an_empty_set_has_nothing_in_common(tmp_path: Path) -> None:
    empty, full = NumberSet(tmp_path / "empty"), NumberSet(tmp_path / "full")
    full.add([0, (1 << 64) - 1])
    assert (len(empty), len(full), empty.common(full).size, full.common(empty).size) == (0, 2, 0, 0)
    assert full.common(full, 9).some == {0, (1 << 64) - 1}
