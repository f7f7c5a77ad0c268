"""The page on methods says what the code computes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from duologue.core.plugins import load_task
from duologue.run.evaluate import scoring

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "guide" / "methods.md").read_text(encoding="utf-8")
PAIRS = re.findall(r"^\| [123] \| (?:`([^`]*)`)? ?\| `([^`]*)` \|$", PAGE, re.MULTILINE)
ROWS = re.findall(r"^\| `(\w+) --variant ([\w-]+)([^`]*)` \| (.*) \|$", PAGE, re.MULTILINE)
SCORES = ("f1", "bleu-1", "bleu-2", "distinct-1", "distinct-2")


def files(task: str, folder: Path) -> tuple[list[Path], Path]:
    """Write the page's three pairs as truth and result of a task."""
    gold, pred = folder / "gold", folder / "pred"
    if task == "spoken":
        for path, column in ((pred, 0), (gold, 1)):
            rows = {str(number): {"message": pair[column], "attrs": []} for number, pair in enumerate(PAIRS, start=1)}
            path.write_text(json.dumps(rows), encoding="utf-8")
        return [gold], pred
    if task == "proactive":
        pred.write_text("".join(f"{said}\t{wanted}\n" for said, wanted in PAIRS), encoding="utf-8")
        return [], pred
    pred.write_text("".join(f"{said}\n" for said, _ in PAIRS), encoding="utf-8")
    gold.write_text("".join(f"{wanted}\n" for _, wanted in PAIRS), encoding="utf-8")
    return [gold], pred


def test_the_page_has_its_example() -> None:
    assert len(PAIRS) == 3
    assert len(ROWS) == 8


@pytest.mark.parametrize("row", ROWS, ids=lambda row: " ".join(row[:3]))
def test_every_figure_of_the_example_is_what_is_computed(row: tuple[str, str, str, str], tmp_path: Path) -> None:
    name, variant, options, figures = row
    task = load_task(name)
    golds, pred = files(name, tmp_path)
    how = scoring(task, variant, options=re.findall(r"--option (\S+)", options), partial=True)
    examples = [example for path in golds for example in task.load(path)]
    report = task.score(examples, task.read(pred), how)
    found = {score.name: score.value for score in report.scores}
    found["f1"] = found.get("generation-f1", found.get("f1", 0.0))
    for score, told in zip(SCORES, figures.split("|"), strict=True):
        if told.strip():
            assert told.strip() == f"{found[score]:.4f}", score
