"""The bound of dialogues that are cut into samples."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from duologue.core.errors import FormatError
from duologue.core.long_dialogues import long_dialogue
from duologue.core.plugins import load_task

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SAID: dict[str, Callable[[int], str]] = {
    "proactive": lambda n: json.dumps({"goal": [["START", "a", "b"]], "knowledge": [], "conversation": ["x"] * n}),
    "spoken": lambda n: json.dumps([{"messages": [{"message": "x"}] * n}]),
    "mobilecs/dialogue": lambda n: json.dumps([{"id": "d", "KB": {}, "content": [{"用户": "x"}] * (n // 2)}]),
    "conversation": lambda n: "U: x\nS: y\n" * (n // 2),
}


@pytest.mark.slow
@pytest.mark.parametrize("task", SAID)
def test_a_dialogue_without_end_is_refused_before_it_is_cut(task: str, tmp_path: Path) -> None:
    """Each of these files has some megabytes; its samples would have taken terabytes."""
    path = tmp_path / "long.json"
    path.write_text(SAID[task](400_000), encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        list(load_task(task).load(path))
    assert {one.rule for one in caught.value.problems} == {"dialogue-long"}
    assert all("400,000 utterances, and 5,000 is the limit" in one.message for one in caught.value.problems)


def test_five_thousand_utterances_are_cut_and_one_more_is_not() -> None:
    assert list(long_dialogue(5_000)) == []
    (found,) = long_dialogue(5_001, "dialogue 3")
    assert (found.rule, found.place, found.severity) == ("dialogue-long", "dialogue 3", "error")
    assert found.message == "the dialogue has 5,001 utterances, and 5,000 is the limit"
