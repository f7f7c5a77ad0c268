from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.twitter.soak import soak

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_collectors_killed_at_random_lose_and_double_nothing(tmp_path: Path) -> None:
    done = soak(tmp_path, Random(5), accounts=8, runs=4, longest_seconds=1.5, growth=30)
    assert not done.differences
    assert done.dialogues > 50


@pytest.mark.slow
def test_200_accounts_in_30_killed_runs_lose_and_double_nothing(tmp_path: Path) -> None:
    done = soak(tmp_path, Random(6), accounts=200, runs=30, longest_seconds=4.0, growth=100)
    assert not done.differences
    assert done.killed >= 5  # a quick machine is done before most of the kills
    assert done.dialogues > 1_000
