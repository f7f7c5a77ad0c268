from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe, sizes
from duologue.core.errors import UsageError
from duologue.core.recipe import resolve


def test_the_default_is_the_size_of_the_challenge() -> None:
    assert sizes(CallCorpusRecipe()) == {"train": 7179, "dev": 898, "test": 898, "unlabelled": 87_933}


def test_shares_that_leave_no_training_data_are_refused() -> None:
    with pytest.raises(UsageError, match="leave nothing for training"):
        resolve(CallCorpusRecipe, overrides=["dev_share=0.5", "test_share=0.5"])
    with pytest.raises(UsageError, match="profile"):
        resolve(CallCorpusRecipe, overrides=["profile=tidy"])


def test_sizes_beyond_all_reckoning_are_refused() -> None:
    for override in (f"n={10**400}", "unlabelled_ratio=1e308"):
        with pytest.raises(UsageError, match=r"xpected (int|float) <="):
            resolve(CallCorpusRecipe, overrides=[override])
