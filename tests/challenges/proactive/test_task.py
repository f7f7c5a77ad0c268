from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.optional_protocols import Convertible
from duologue.core.protocols import Task
from duologue.core.records import Answer, Example, Sample, Scoring
from duologue.testing import check_task

if TYPE_CHECKING:
    from collections.abc import Callable

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "proactive"


def test_the_task_keeps_its_contract(tmp_path: Path) -> None:
    shutil.copy(GOLDEN / "small-sessions.txt", tmp_path / "sessions.jsonl")
    task = ProactiveTask()
    assert isinstance(task, Task)
    check_task(task, tmp_path)


def test_several_gold_files_are_one_behind_the_other(tmp_path: Path) -> None:
    task = ProactiveTask()
    sessions, samples = GOLDEN / "small-sessions.txt", GOLDEN / "small-samples.txt"
    examples = task.load_files([sessions, samples])
    assert len(examples) == len({one.sample.id for one in examples}) == 7
    assert examples[0].sample.id == "small-sessions.txt:000000#00"
    assert examples[-1].sample.dialogue_id == "small-samples.txt:000001"


def test_the_forms_can_be_converted(tmp_path: Path) -> None:
    task = ProactiveTask()
    assert isinstance(task, Convertible)
    assert isinstance(task, Convertible)
    assert task.forms[:4] == ("session", "sample", "model-text", "topics")
    (path,) = task.convert("session", "sample", GOLDEN / "small-sessions.txt", tmp_path / "samples.jsonl", {})
    assert len(list(task.load(path))) == 4
    (plain,) = task.convert("sample", "model-text", path, tmp_path / "plain.txt", {"generalise": "no"})
    assert "_topic_" not in plain.read_text("utf-8")


def test_what_is_written_is_read_checked_and_scored(tmp_path: Path) -> None:
    task = ProactiveTask()
    examples = [one for one in task.load(GOLDEN / "small-sessions.txt") if one.references]
    task.write(examples, [(one.sample.id, Answer(text="你 看 电影 吗 ？")) for one in examples], tmp_path / "p.txt")
    submission = task.read(tmp_path / "p.txt")
    assert task.check(submission, examples, "strict") == ()
    for variant in task.info.variants:
        how = Scoring(variant=variant)
        report = task.score(examples, submission, how)
        assert {score.name for score in report.scores} <= {metric.name for metric in task.metrics(how)}
        assert report.rank_by == "f1"
    assert list(task.rounds(examples)) == [examples]


def test_listing_the_task_loads_no_numpy() -> None:
    code = "import sys, duologue.challenges.proactive.task; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_replies_of_made_sessions_score_the_most(sessions: Callable[..., Path], tmp_path: Path) -> None:
    task = ProactiveTask()
    examples = list(task.load(sessions(3)))
    task.write(examples, [(one.sample.id, one.references[0]) for one in examples], tmp_path / "p.txt")
    report = task.score(examples, task.read(tmp_path / "p.txt"), Scoring(variant="official"))
    assert report.transcript[:3] == ("F1: 100.00%", "BLEU1: 1.000%", "BLEU2: 1.000%")
    said = [(one.references[0].text or "").split(" ") for one in examples]
    shares = [
        len({gram for words in said for gram in zip(*(words[at:] for at in range(n)), strict=False)})
        / sum(len(words) - n + 1 for words in said)
        for n in (1, 2)
    ]
    assert report.transcript[3:] == tuple(f"DISTINCT{n}: {share:.3f}%" for n, share in enumerate(shares, start=1))


@pytest.mark.real_data(twin="test_the_replies_of_made_sessions_score_the_most")
@pytest.mark.slow
def test_human_replies_score_the_most_on_the_real_data(real_data: Path, tmp_path: Path) -> None:
    task = ProactiveTask()
    examples = list(task.load(real_data / "proactive" / "duconv_dev_visible.jsonl.gz"))
    task.write(examples, [(one.sample.id, one.references[0]) for one in examples], tmp_path / "p.txt")
    report = task.score(examples, task.read(tmp_path / "p.txt"), Scoring(variant="official"))
    assert report.transcript == (
        "F1: 100.00%",
        "BLEU1: 1.000%",
        "BLEU2: 1.000%",
        "DISTINCT1: 0.105%",
        "DISTINCT2: 0.388%",
    )


def test_answers_are_found_by_the_ids_of_their_samples(tmp_path: Path) -> None:
    examples = [Example(sample=Sample(id=name, dialogue_id=name)) for name in ("x", "y", "z")]
    for content in ("a b\n\n", "a b\treal\n\treal\n"):
        (tmp_path / "p.txt").write_text(content, encoding="utf-8")
        found = ProactiveTask().answers(ProactiveTask().read(tmp_path / "p.txt"), examples)
        assert found == {"x": Answer(text="a b"), "y": Answer(text="")}
    (tmp_path / "p.txt").write_bytes(b"\xff")
    assert ProactiveTask().answers(ProactiveTask().read(tmp_path / "p.txt"), examples) == {}
