"""A small truth file of the restaurant challenge with results of three systems."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from duologue.core.plugins import load_task

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.protocols import Task

DIALOGUES = 40


class Contest(NamedTuple):
    """Files of one test set, all in one folder."""

    task: Task
    data: Path
    gold: Path
    results: Path
    """A folder with `good.answers.json` (all right), `fair.answers.json` (a half) and `poor.answers.json` (none)."""


def ranking(name: str, best: str) -> dict[str, Any]:
    order = [best, *(one for one in "abc" if one != best)]
    entries = [{"candidate_id": one, "rank": rank} for rank, one in enumerate(order, start=1)]
    return {"dialog_id": name, "lst_candidate_id": entries}


def right_answer(name: str, best: str) -> dict[str, Any]:
    """Return the row of a truth, which ranks the right candidate alone."""
    return {"dialog_id": name, "lst_candidate_id": [{"candidate_id": best, "rank": 1}]}


def put(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@pytest.fixture
def contest(tmp_path: Path) -> Contest:
    names = [f"d{number:02}" for number in range(DIALOGUES)]
    texts = [("a", "i'm on it"), ("b", "where should it be"), ("c", "no")]
    data = [
        {
            "dialog_id": name,
            "utterances": ["hi", "hello what can i help you with today", f"may i have a table, {name}"],
            "candidates": [{"candidate_id": one, "utterance": text} for one, text in texts],
        }
        for name in names
    ]
    results = tmp_path / "results"
    put(results / "good.answers.json", [ranking(name, "a") for name in names])
    put(results / "fair.answers.json", [ranking(name, "ab"[number % 2]) for number, name in enumerate(names)])
    put(results / "poor.answers.json", [ranking(name, "c") for name in names])
    gold = put(tmp_path / "truth.answers.json", [right_answer(name, "a") for name in names])
    return Contest(load_task("restaurant"), put(tmp_path / "data.json", data), gold, results)
