from __future__ import annotations

import pytest

from duologue.core.errors import UsageError
from duologue.judges.recipe import JudgeRecipe


def test_a_judge_is_called_as_its_model_unless_it_has_a_name() -> None:
    assert JudgeRecipe(url="http://x/v1", model="m").rater == "m"
    assert JudgeRecipe(url="http://x/v1", model="m", name="strict").rater == "strict"


def test_repeats_need_the_seed() -> None:
    with pytest.raises(UsageError, match="repeats=0"):
        JudgeRecipe(url="http://x/v1", model="m", omit=("seed",))
    assert JudgeRecipe(url="http://x/v1", model="m", omit=("seed",), repeats=0.0).repeats == 0
