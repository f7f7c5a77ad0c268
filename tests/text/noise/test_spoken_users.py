"""The same noise in files and in examples, for every task whose users speak."""

from __future__ import annotations

from pathlib import Path

import pytest

from duologue.core.capabilities import lacking_capability
from duologue.core.noise import noise_strengths
from duologue.core.optional_protocols import NoiseModel
from duologue.core.plugins import load_task

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
FILES = [
    ("proactive", "proactive/small-sessions.txt"),
    ("proactive", "proactive/small-samples.txt"),
    ("restaurant", "restaurant/small-data.json"),
    ("mobilecs/dialogue", "mobilecs/small-dialogue.json"),
    ("mobilecs/extraction", "mobilecs/small-dialogues.json"),
    ("spoken", "spoken/small-test.json"),
]


@pytest.mark.parametrize(("name", "file"), FILES)
def test_a_noisy_file_holds_what_noisy_examples_hold(name: str, file: str, tmp_path: Path) -> None:
    task = load_task(name)
    if not isinstance(task, NoiseModel):
        raise lacking_capability(name, "NoiseModel")
    kinds = [f"{kind}=3" for kind in task.noises if kind != "organiser"]
    strengths = noise_strengths(task, kinds)
    regime = "test" if name == "spoken" else task.regimes[0]
    out = tmp_path / "noisy.json"
    changed = task.write_noisy(GOLDEN / file, out, regime=regime, seed=3, strengths=strengths)
    clean, read = list(task.load(GOLDEN / file)), list(task.load(out))
    made = task.noisy_examples(clean, seed=3, strengths=strengths)
    assert changed > 0
    assert [one.sample for one in read] == [one.sample for one in made]
    if name != "mobilecs/extraction":
        assert [one.references for one in made] == [one.references for one in clean]
    for one, before in zip(made, clean, strict=True):
        for turn, old in zip(one.sample.history, before.sample.history, strict=True):
            assert turn.speaker == old.speaker
            assert turn.speaker == "user" or turn.text == old.text
    again = tmp_path / "again.json"
    task.write_noisy(GOLDEN / file, again, regime=regime, seed=3, strengths=strengths)
    assert again.read_bytes() == out.read_bytes()
    silent = tmp_path / "silent.json"
    assert task.write_noisy(GOLDEN / file, silent, regime=regime, seed=3, strengths=dict.fromkeys(strengths, 0.0)) == 0
    assert [one.sample for one in task.load(silent)] == [one.sample for one in clean]
