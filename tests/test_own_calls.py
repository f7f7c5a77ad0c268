"""The page on a team's own calls: its transcript and its commands, with small trained systems."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
from duologue.challenges.mobilecs.systems.extractor.recipe import ExtractorRecipe
from duologue.core.plugins import load_task
from duologue.run.train import train
from tests.challenges.mobilecs.simulator.simulated_calls import calls
from tests.challenges.mobilecs.systems.calls import generated

PAGE = Path(__file__).resolve().parents[1] / "docs" / "guide" / "your-own-calls.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with both models, tiny ones, and the transcript of the page."""
    made = tmp_path_factory.mktemp("own")
    extraction, dialogue = load_task("mobilecs/extraction"), load_task("mobilecs/dialogue")
    train(extraction, "extractor", ExtractorRecipe.tiny(), 1, made / "extractor-model", examples=generated(20))
    rows = made / "track2.json"
    rows.write_text(json.dumps(calls()[:20]), encoding="utf-8")
    train(dialogue, "agent", AgentRecipe.tiny(), 1, made / "agent-model", examples=list(dialogue.load(rows)))
    transcript = re.search(r"```text\n(.*?)```", PAGE.read_text("utf-8"), flags=re.DOTALL)
    assert transcript is not None
    (made / "march.txt").write_text(transcript[1], encoding="utf-8")
    return made


@pytest.mark.slow
def test_the_recipe_runs_as_it_stands(folder: Path) -> None:
    text = PAGE.read_text("utf-8").partition("## From transcripts")[2]
    lines = [shlex.split(one)[1:] for one in re.findall(r"^\$ (duologue .*)$", text, flags=re.MULTILINE)]
    assert [line[:2] for line in lines] == [["data", "import"], ["run", "mobilecs/extraction"], ["data", "local-kb"],
                                            ["run", "mobilecs/dialogue"]]  # fmt: skip
    command = Path(sys.executable).with_name("duologue")
    for line in lines:
        done = subprocess.run(
            [command, *line], cwd=folder, capture_output=True, encoding="utf-8", check=False, env=dict(os.environ)
        )
        assert done.returncode == 0, done.stderr
    imported = json.loads((folder / "calls.json").read_bytes())
    assert [len(row["content"]) for row in imported] == [2, 2]
    assert imported[0]["content"][0]["[SPEAKER 2]"] == "你好，我的电话是<PHONE_1>，十块钱的流量包有多少流量"
    extracted = json.loads((folder / "calls.pred.json").read_bytes())
    texts = {row["id"]: [list(turn.values()) for turn in row["content"]] for row in imported}
    for row in extracted:
        for one in row["entities"]:
            start, end = one["position"]
            assert any(side[start:end] == one["name"] for side in texts[row["id"]][one["turn_id"]])
    based = json.loads((folder / "calls.track2.json").read_bytes())
    answered = json.loads((folder / "calls.intents.json").read_bytes())
    assert [row["id"] for row in imported] == [row["id"] for row in extracted]
    assert {row["id"] for row in based} == {row["id"] for row in answered} == set(texts)
    assert all("KB" in row for row in based)
    assert all(turn["用户意图-生成"] and turn["客服-生成"] for row in answered for turn in row["content"])
