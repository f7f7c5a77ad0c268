"""The system on the command line: a training that is killed goes on where it was, and ends in the same model."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from tests.tiny_models import save_tiny

from duologue.core.identity import CHECKPOINT, hash_of_model

if TYPE_CHECKING:
    from pathlib import Path

DUOLOGUE = [sys.executable, "-c", "from duologue.cli.main import main; main()"]


def train(folder: Path, out: str) -> list[str]:
    text = folder / "talks.txt"
    return [
        *DUOLOGUE, "train", "conversation", "--system", "hub", "--set", f"model={folder / 'base'}",
        *("--set", "tuning=lora", "--set", "epochs=12", "--set", "batch=2", "--set", "patience=12"),
        *("--set", "checkpoint_seconds=0", "--train", str(text), "--out", str(folder / out), "--quiet"),
    ]  # fmt: skip


@pytest.mark.slow
def test_a_training_that_is_killed_goes_on_to_the_same_model(tmp_path: Path) -> None:
    save_tiny(tmp_path / "base", "gpt2", ["U: where is it ?", "S: on its way ."])
    words = ("one", "two", "three", "four", "five", "six")
    talks = [f"U: where is parcel {word} ?\nS: {word} is on its way .\n" for word in words]
    (tmp_path / "talks.txt").write_text("\n".join(talks), encoding="utf-8")
    subprocess.run(train(tmp_path, "whole"), check=True, capture_output=True)
    first = subprocess.Popen(train(tmp_path, "killed"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    ends = time.monotonic() + 50
    while not (tmp_path / "killed" / CHECKPOINT).is_file():
        assert first.poll() is None
        assert time.monotonic() < ends
        time.sleep(0.01)
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    assert not (tmp_path / "killed" / "system.toml").exists()
    done = subprocess.run(train(tmp_path, "killed"), check=True, capture_output=True, encoding="utf-8")
    assert "model saved in" in done.stdout
    names = ("weights/model.safetensors", "adapter/adapter_model.safetensors", "hub.json", "weights/tokenizer.json")
    for name in names:
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert hash_of_model(tmp_path / "killed")
    again = subprocess.run(train(tmp_path, "killed"), check=True, capture_output=True, encoding="utf-8")
    assert "nothing to do" in again.stdout
