from __future__ import annotations

import importlib
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.errors import DuologueError, MissingExtraError, UsageError
from duologue.core.worker_pool import Shard
from duologue.corpus.engine import finished, map_shards

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def works(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The functions of `works.py`; worker processes get the path from this one."""
    monkeypatch.syspath_prepend(Path(__file__).parent)
    return importlib.import_module("works")


def shards(count: int, taken: list[int] | None = None) -> Iterator[Shard]:
    for number in range(count):
        if taken is not None:
            taken.append(number)
        yield Shard(f"part-{number}", number)


@pytest.mark.parametrize("workers", [1, 2])
def test_files_come_in_order_whole_and_are_not_made_twice(tmp_path: Path, works: Any, workers: int) -> None:
    paths = list(map_shards(works.first_last, shards(7), tmp_path, workers=workers))
    assert [path.name for path in paths] == [f"part-{number}" for number in range(7)]
    assert [path.read_text() for path in paths] == [str(number * 2) for number in range(7)]
    assert finished(tmp_path) == {path.name for path in paths}
    paths[2].unlink()
    paths[3].write_text("kept")
    again = list(map_shards(works.double, shards(7), tmp_path, workers=workers))
    assert again[2].read_text() == "4"
    assert again[3].read_text() == "kept"


def test_shards_are_read_no_further_than_there_are_workers(tmp_path: Path, works: Any) -> None:
    taken: list[int] = []
    files = map_shards(works.double, shards(50, taken), tmp_path)
    next(files)
    assert len(taken) <= 3
    files.close()  # type: ignore[attr-defined]  # a generator


@pytest.mark.parametrize("workers", [1, 2])
def test_work_that_cannot_be_done_names_its_shard(tmp_path: Path, works: Any, workers: int) -> None:
    with pytest.raises(DuologueError, match="part-3: three is no number"):
        list(map_shards(works.fail_at_three, shards(9), tmp_path, workers=workers))
    assert "part-3" not in finished(tmp_path)


def test_a_fault_in_a_worker_comes_with_its_trace(tmp_path: Path, works: Any) -> None:
    with pytest.raises(RuntimeError, match="IndexError"):
        list(map_shards(works.break_at_three, shards(9), tmp_path, workers=2))


def test_a_worker_that_is_killed_ends_the_run_and_the_next_goes_on(tmp_path: Path, works: Any) -> None:
    with pytest.raises(DuologueError, match="run the command again"):
        list(map_shards(works.die_at_three, shards(9), tmp_path, workers=2))
    paths = list(map_shards(works.double, shards(9), tmp_path, workers=2))
    assert [path.read_text() for path in paths] == [str(number * 2) for number in range(9)]


def test_unknown_engines_and_addresses_without_a_cluster_are_refused(tmp_path: Path, works: Any) -> None:
    with pytest.raises(UsageError, match="did you mean 'ray'"):
        list(map_shards(works.double, shards(1), tmp_path, engine="rays"))
    with pytest.raises(UsageError, match="belongs to the engine 'ray'"):
        list(map_shards(works.double, shards(1), tmp_path, address="10.0.0.1:6379"))


def test_ray_is_asked_for_by_the_name_of_its_extra(tmp_path: Path, works: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"duologue\[cluster\]"):
        list(map_shards(works.double, shards(1), tmp_path, engine="ray"))


def test_no_worker_outlives_a_process_that_was_killed(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]); import works as t\n"
        "from duologue.core.processes import Processes\n"
        "if __name__ == '__main__':\n"
        "    crew = Processes(t.double, 2)\n"
        "    print(*(process.pid for process in crew._workers), flush=True)\n"
        "    sys.stdin.read()\n"
    )
    script = tmp_path / "program.py"
    script.write_text(program)
    with subprocess.Popen(
        [sys.executable, script, Path(__file__).parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        pids = [int(word) for word in process.stdout.readline().split()]
        process.kill()
    deadline = time.monotonic() + 30
    while any(running(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(pids) == 2
    assert not any(running(pid) for pid in pids)


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
