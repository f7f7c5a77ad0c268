"""The classifier of `benchmarks/mobilecs_realism.py`, and how easily it knows the turns of the simulated user."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def realism(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("scipy", reason="extra score")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return pytest.importorskip("mobilecs_realism")


def test_area_under_the_curve(realism: Any) -> None:
    labels = np.array([True, False, True, False])
    assert realism.area(np.array([4.0, 3.0, 2.0, 1.0]), labels) == 0.75
    assert realism.area(np.zeros(4), labels) == 0.5
    assert realism.area(np.array([4.0, 3.0, 2.0, 1.0]), labels, np.array([1.0, 1.0, 0.0, 2.0])) == 1


def test_other_words_are_told_apart_and_the_same_words_are_not(realism: Any) -> None:
    one, same, other = ([[f"{word}{number % 7}好"] * 3 for number in range(40)] for word in ("我说", "我说", "您听"))
    assert realism.told_apart(one, other, 1).value > 0.95
    assert realism.told_apart(one, same, 1).low < 0.5


def test_dialogues_of_both_public_forms_are_found_and_other_files_are_not(realism: Any) -> None:
    turn = {"[SPEAKER 1]": "您好", "[SPEAKER 2]": "喂", "客服意图": "问候", "用户意图": "问候", "info": {}}
    assert realism.annotated([[turn], {"id": "a", "content": [turn]}], "file") == [
        {"id": "file-00", "content": [turn]},
        {"id": "a", "content": [turn]},
    ]
    assert realism.annotated({"a": 1}, "file") == []
    assert realism.annotated([{"id": "a", "content": [{"用户": "喂"}]}, 3], "file") == []


@pytest.mark.slow
def test_turns_of_the_agenda_user_are_told_from_generated_ones_in_at_most_three_pairs_of_four(realism: Any) -> None:
    rows = realism.generated(11, 150)
    simulated = [realism.played(realism.AgendaUser(), row, number) for number, row in enumerate(rows)]
    assert realism.told_apart(simulated, realism.turns_of(rows), 1).value <= 0.75
