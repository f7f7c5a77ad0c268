"""The script that measures the baseline's training: what it counts, and what its page makes of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from duologue.models.matmul import multiplies_bfloat16

SCRIPT = Path(__file__).resolve().parents[1] / "benchmarks" / "conversation_training.py"


def told(*words: object) -> str:
    done = subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout


def test_the_page_counts_words_a_second_days_and_differences(tmp_path: Path) -> None:
    speeds = {
        "before": {"cpu": 10.0, "wall": 10.0, "words": 20_000},
        "bfloat16": {"cpu": 5.0, "wall": 5.0, "words": 20_000},
        "bfloat16, 2 processes": {"cpu": 8.0, "wall": 4.0, "words": 20_000},
    }
    kept = {"speeds": speeds, "losses": [[1, 100, 5.5, 5.25]]}
    (tmp_path / "measured.json").write_text(json.dumps(kept), encoding="utf-8")
    page = told("--text", "train.txt", "--held-out", "dev.txt", "--work", tmp_path)
    assert "| before | 2,000 | 1.00 | 4.6 | 2,000 | 1.00 | 4.6 |" in page  # 801 million words at 2,000 a second
    assert "| bfloat16 | 4,000 | 2.00 | 2.3 | 4,000 | 2.00 | 2.3 |" in page
    assert "| bfloat16, 2 processes | 2,500 | 1.25 | 3.7 | 5,000 | 2.50 | 1.9 |" in page
    assert "| 1 | 100 | 5.5000 | 5.2500 | -0.2500 |" in page


@pytest.mark.slow
@pytest.mark.parametrize(
    "precision",
    [
        "float32",
        pytest.param(
            "bfloat16",
            marks=pytest.mark.skipif(not multiplies_bfloat16(), reason="the processor has no bfloat16: a minute"),
        ),
    ],
)
def test_a_step_of_the_published_size_is_measured(precision: str) -> None:
    found = json.loads(told("--measure", 1, precision, 1))
    assert found["words"] == pytest.approx(100 * 45, rel=0.1)  # 2.43 utterances of 18.6 words
    assert found["cpu"] > 0
