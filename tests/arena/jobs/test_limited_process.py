"""A child process has limits, and whatever it does, its parent says what came of it."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from duologue.arena.jobs.limited_process import ChildOutcome, JobLimits, run_limited

WORK = "tests.arena.jobs.work_done:"


def run(name: str, folder: Path, limits: JobLimits | None = None, **payload: Any) -> ChildOutcome:
    return run_limited(WORK + name, payload, folder, limits or JobLimits())


@pytest.fixture(autouse=True)
def _tests_are_found(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setenv("PYTHONPATH", str(request.config.rootpath))


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_child_returns_what_the_function_returns(tmp_path: Path) -> None:
    assert run("add", tmp_path, a=1, b=2) == ChildOutcome(3, "")


def test_a_fault_is_told_without_its_words_and_with_them_to_the_organiser(tmp_path: Path) -> None:
    outcome = run("raise_fault", tmp_path)
    assert outcome.failed == "the program failed (ValueError)"
    assert "secret of the truth" in outcome.details
    assert not outcome.again


def test_time_is_limited(tmp_path: Path) -> None:
    start = time.monotonic()
    outcome = run("sleep", tmp_path, JobLimits(seconds=1), seconds=60)
    assert outcome.failed == "it took longer than the 1 seconds that a job may take"
    assert time.monotonic() - start < 10


def test_the_processor_is_limited(tmp_path: Path) -> None:
    outcome = run("spin", tmp_path, JobLimits(cpu_seconds=1))
    assert outcome.failed == "it used more than the 1 processor seconds that a job may use"


def test_memory_is_limited(tmp_path: Path) -> None:
    outcome = run("grow", tmp_path, JobLimits(memory=512 << 20), bytes=1 << 30)
    assert outcome.failed == "it needs more memory than the 512 MiB that a job may have"


def test_files_are_limited(tmp_path: Path) -> None:
    outcome = run("fill_the_disk", tmp_path, JobLimits(written=1 << 20), bytes=2 << 20)
    assert outcome.failed
    assert outcome.result is None


def test_a_child_that_breaks_down_has_failed_and_one_that_the_system_kills_may_try_again(tmp_path: Path) -> None:
    broken = run("die", tmp_path, signal=int(signal.SIGSEGV))
    assert (broken.failed, broken.again) == ("the program broke down (signal 11)", False)
    killed = run("die", tmp_path, signal=int(signal.SIGKILL))
    assert killed.again


def test_what_a_child_has_started_ends_with_it(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    run("start_another", tmp_path, JobLimits(seconds=2), mark=str(mark))
    until = time.monotonic() + 10  # a signal is sent at once, and heard when the process has a processor
    while is_alive(int(mark.read_text())) and time.monotonic() < until:
        time.sleep(0.02)
    assert not is_alive(int(mark.read_text()))


def test_the_caller_may_stop_a_child(tmp_path: Path) -> None:
    outcome = run_limited(WORK + "sleep", {"seconds": 60}, tmp_path, JobLimits(), keep_on=lambda: False, every=0.1)
    assert outcome.stopped


def test_a_child_sees_no_secret_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUOLOGUE_SITE_SECRET", "x")
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:password@host/name")
    seen = run("environment", tmp_path).result
    assert not {"DUOLOGUE_SITE_SECRET", "DATABASE_URL"} & set(seen)


def test_limits_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 second"):
        JobLimits(seconds=0)
