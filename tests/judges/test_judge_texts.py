from __future__ import annotations

import pytest

from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.judges.judge_texts import load_texts
from duologue.ratings.protocol import find_protocol

JUDGED = ("conversation", "mobilecs/dialogue", "proactive", "spoken")


@pytest.mark.parametrize("task", JUDGED)
def test_each_challenge_brings_texts_in_both_languages_for_its_own_protocol(task: str) -> None:
    loaded = load_texts(load_task(task))
    assert find_protocol(loaded.texts.protocol).criterion
    assert loaded.mark.startswith("v1 ")
    for language in ("en", "zh"):
        assert getattr(loaded.wording(language), loaded.texts.unit)
        assert "[/said 0a1b2c3d4e5f]" in loaded.shared(language).marks


@pytest.mark.parametrize("task", ["restaurant", "mobilecs/extraction"])
def test_tasks_without_replies_are_not_judged(task: str) -> None:
    with pytest.raises(UsageError, match=f"task '{task}' has no texts for judges"):
        load_texts(load_task(task))
