"""Result files of two systems for the small golden data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from duologue.core.plugins import load_task
from duologue.core.records import Answer
from duologue.judges.results import JudgedFiles

if TYPE_CHECKING:
    from collections.abc import Sequence

GOLD = Path(__file__).resolve().parents[1] / "golden" / "conversation/contract/evaluation.txt"


def written(folder: Path, name: str, replies: Sequence[str]) -> Path:
    """Write a result of the conversation task, the replies again and again."""
    task = load_task("conversation")
    examples = list(task.load(GOLD))
    answers = [(one.sample.id, Answer(text=replies[place % len(replies)])) for place, one in enumerate(examples)]
    path = folder / f"{name}.txt"
    task.write(examples, answers, path)
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.txt"
    path.write_bytes(GOLD.read_bytes())
    return path


@pytest.fixture
def files(tmp_path: Path, gold: Path) -> JudgedFiles:
    short = written(tmp_path, "short", ["sorry", "we will see", "thanks a lot", "why ?"])
    long = written(tmp_path, "long", ["sorry about that , we will look", "ok", "please tell us more of it"])
    return JudgedFiles((short, long), golds=(gold,))
