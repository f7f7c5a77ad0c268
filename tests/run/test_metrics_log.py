from __future__ import annotations

import csv
import errno
import json
import sqlite3
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.challenges.restaurant.systems.ranker.ranker import RankerRecipe
from duologue.core.errors import NoSpaceError, StorageError, UsageError
from duologue.core.identity import LOG
from duologue.core.plugins import CARD, load_task, make_system
from duologue.core.protocols import Trainable
from duologue.loggers.csv_log import FILE, CsvLogger
from duologue.run import metrics_log
from duologue.run.metrics_log import MetricsLogger, logging_to
from duologue.run.train import train

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.records import Example

TASK = load_task("restaurant")
TINY = msgspec.structs.replace(RankerRecipe.tiny(), epochs=3, checkpoint_seconds=0.0, dialogues=40)


@pytest.fixture(scope="module")
def lessons() -> tuple[list[Example], list[Example]]:
    system = make_system("ranker", TINY)
    assert isinstance(system, Trainable)
    examples, held_out = system.make_training_data(TASK, 1, None)
    return list(examples[:60]), list(held_out[:20])


def logged(out: Path) -> list[dict[str, str]]:
    with (out / FILE).open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def figures(out: Path) -> list[tuple[int, float, float]]:
    """Return what the training's own log says."""
    lines = [json.loads(line) for line in next(out.rglob(LOG)).read_text(encoding="utf-8").splitlines()]
    return [(line["step"], line["loss"], line["held_out_loss"]) for line in lines]


def test_what_the_loop_measures_is_logged_and_the_model_is_the_same(
    lessons: tuple[list[Example], list[Example]], tmp_path: Path
) -> None:
    examples, held_out = lessons
    for name, loggers in (("plain", ()), ("logged", ("csv", "csv"))):
        train(TASK, "ranker", TINY, 1, tmp_path / name, examples=examples, held_out=held_out, loggers=loggers)
    plain, out = tmp_path / "plain", tmp_path / "logged"
    rows = logged(out)
    found = [(int(row["step"]), float(row["loss"]), float(row["held_out_loss"])) for row in rows]
    assert found == figures(out) == figures(plain)
    assert not (plain / FILE).exists()
    assert (plain / CARD).read_bytes() == (out / CARD).read_bytes()


def test_a_training_that_was_stopped_goes_on_in_the_same_table(
    lessons: tuple[list[Example], list[Example]], tmp_path: Path
) -> None:
    examples, held_out = lessons

    def stop(done: int, _total: int, what: str) -> None:
        if what.startswith("training") and done > 0 and (tmp_path / FILE).exists():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(TASK, "ranker", TINY, 1, tmp_path, examples=examples, held_out=held_out, loggers=["csv"], progress=stop)
    begun = logged(tmp_path)
    train(TASK, "ranker", TINY, 1, tmp_path, examples=examples, held_out=held_out, loggers=["csv"])
    rows = logged(tmp_path)
    assert 0 < len(begun) < len(rows)
    assert [int(row["step"]) for row in rows] == [step for step, _, _ in figures(tmp_path)]


def test_loggers_are_closed_and_parts_are_told_by_their_folder(tmp_path: Path) -> None:
    with logging_to(["csv"], tmp_path, {}) as on_metrics:
        assert on_metrics is not None
        on_metrics(tmp_path / "a" / "b", 1, {"loss": 1.0})
        on_metrics(tmp_path, 2, {"loss": 0.5})
    assert [row["part"] for row in logged(tmp_path)] == ["a/b", ""]
    assert isinstance(CsvLogger(tmp_path, {}), MetricsLogger)
    with logging_to([], tmp_path, {}) as nothing:
        assert nothing is None
    with pytest.raises(UsageError, match="csv"), logging_to(["csvv"], tmp_path, {}):
        pass


class Failing:
    """A logger of somebody's whose library fails."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def log(self, part: str, step: int, metrics: object) -> None:
        raise RuntimeError("the library wraps it") from self.error

    def close(self) -> None:
        raise self.error


def log_steps(folder: Path, steps: Sequence[int]) -> None:
    with logging_to(["mine"], folder, {}) as on_metrics:
        assert on_metrics is not None
        for step in steps:
            on_metrics(folder, step, {"loss": 0.5})


@pytest.mark.parametrize(
    ("error", "kind", "told"),
    [
        (OSError(errno.ENOSPC, "x"), NoSpaceError, "no space left on the disk; free some"),
        (sqlite3.OperationalError("database or disk is full"), NoSpaceError, "no space left on the disk"),
        (sqlite3.OperationalError("disk I/O error"), StorageError, "the disk fails, is full"),
    ],
)
def test_a_full_disk_is_told_whatever_library_writes(
    error: Exception, kind: type[StorageError], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics_log, "make_logger", lambda *_: Failing(error))
    for steps in ((), (1,)):
        with pytest.raises(kind, match=f"--log mine: cannot write into .*: {told}"):
            log_steps(tmp_path, steps)


def test_what_went_wrong_first_is_told_and_not_how_a_logger_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = []

    class Late(Failing):
        def close(self) -> None:
            closed.append(self)
            raise ValueError("closed amid a step")

    monkeypatch.setattr(metrics_log, "make_logger", lambda *_: Late(KeyError()))
    with pytest.raises(RuntimeError, match="the library wraps it"):
        log_steps(tmp_path, [1])
    with pytest.raises(KeyboardInterrupt), logging_to(["a", "b"], tmp_path, {}):
        raise KeyboardInterrupt
    with pytest.raises(ValueError, match="amid"):
        log_steps(tmp_path, [])
    assert len(closed) == 4
