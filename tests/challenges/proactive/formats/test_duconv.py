"""DuConv's folder: each of its files is found, checked, and written as sessions or samples."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.errors import FormatError, UsageError

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "proactive"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "duconv" / "resource"
    place.mkdir(parents=True)
    sessions, samples = ((GOLDEN / f"small-{kind}.txt").read_bytes() for kind in ("sessions", "samples"))
    (place / "train.txt").write_bytes(sessions)
    (place / "dev.txt.gz").write_bytes(gzip.compress(sessions))
    (place / "test_1.txt").write_bytes(samples)
    return tmp_path / "duconv"


def made(folder: Path, target: str, out: Path, **chosen: str) -> bytes:
    ProactiveTask().convert("duconv", target, folder, out, chosen)
    return out.read_bytes()


def test_sessions_and_samples_are_found_at_any_depth(folder: Path, tmp_path: Path) -> None:
    task, out = ProactiveTask(), tmp_path / "out.txt"
    for split in ("train", "dev"):
        made(folder, "session", out, split=split)
        assert list(task.load(out)) == list(task.load(GOLDEN / "small-sessions.txt"))
    made(folder, "sample", out, split="test_1")
    assert list(task.load(out)) == list(task.load(GOLDEN / "small-samples.txt"))
    task.convert("session", "sample", GOLDEN / "small-sessions.txt", tmp_path / "known.txt", {})
    assert made(folder, "sample", out) == (tmp_path / "known.txt").read_bytes()


def test_what_is_not_there_or_cannot_be_is_told(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    with pytest.raises(UsageError, match=r"has no file test_2\.txt"):
        made(folder, "sample", out, split="test_2")
    with pytest.raises(UsageError, match="holds samples, no sessions"):
        made(folder, "session", out, split="test_1")
    (folder / "train.txt").write_text("{}\n{}\n", "utf-8")
    with pytest.raises(UsageError, match=r"has 2 files train\.txt \(resource/train\.txt, train\.txt\)"):
        made(folder, "session", out)
    (folder / "resource" / "train.txt").unlink()
    with pytest.raises(FormatError) as caught:
        made(folder, "session", out)
    assert len({one.place.partition(",")[0] for one in caught.value.problems}) > 1
    with pytest.raises(UsageError, match="is no folder"):
        made(folder / "train.txt", "session", out)
    with pytest.raises(UsageError, match="has no choice 'predict'; its choices are split"):
        made(folder, "session", out, predict="no")
    assert not out.exists()
