"""Annotation is right by all measures: gold answers score the maximum of both tracks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.plugins import load_task

if TYPE_CHECKING:
    from pathlib import Path

SCORES = {
    ("mobilecs/extraction", "official"): {"ranking": 1.0, "entity-f1": 1.0, "triple-f1": 1.0},
    ("mobilecs/extraction", "strict"): {"ranking": 1.0, "entity-f1": 1.0, "triple-f1": 1.0},
    ("mobilecs/dialogue", "official"): {"combined": 5.0, "user-intent-f1": 1.0, "success": 1.0, "bleu": 100.00001},
    ("mobilecs/dialogue", "strict"): {"combined": 5.0, "user-intent-f1": 1.0, "success": 1.0, "bleu": 100.0},
}


@pytest.mark.parametrize("profile", ["clean", "exact", "crowd"])
def test_gold_answers_score_the_maximum(profile: str, duologue: Any, tmp_path: Path) -> None:
    size = ("--n", 60, "--set", "unlabelled_ratio=0", "--set", "argument_rate=0.5", "--set", f"profile={profile}")
    made = duologue("generate", "mobilecs", "--seed", 11, *size, "--workers", 1, "--out", tmp_path / "calls", "--quiet")
    assert made.code == 0, made.err
    for (name, variant), expected in SCORES.items():
        folder = "labelled" if name.endswith("extraction") else "track2"
        truth, answers = tmp_path / "calls" / folder / "train.json", tmp_path / "gold.json"
        task = load_task(name)
        examples = list(task.load(truth))
        task.write(examples, [(one.sample.id, one.references[0]) for one in examples], answers)
        words = ("score", name, "--pred", answers, "--gold", truth, "--variant", variant, "--json")
        scored = duologue(*words)
        assert scored.code == 0, scored.err
        told = json.loads(scored.out)
        scores = {key: told["scores"][key]["value"] for key in expected}
        assert scores == pytest.approx(expected, abs=1e-6), (name, variant)
