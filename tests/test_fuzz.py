"""The fuzz command: what it draws is told by its seed, and it sees what it is there to see."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # of a program in benchmarks/, which nobody changes by the way
BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
GOLDEN = Path(__file__).resolve().parent / "golden"


def fuzz(*words: object, folder: Path) -> tuple[int, str]:
    command = [sys.executable, BENCHMARKS / "fuzz.py", "--keep", folder / "kept", *words]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, timeout=300, cwd=folder)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


def python(code: str, folder: Path) -> str:
    start = f"import sys; sys.path.insert(0, {str(BENCHMARKS)!r})\n"
    done = subprocess.run([sys.executable, "-c", start + code], capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def stock(tmp_path: Path) -> Path:
    """Material for the commands that need no more than results of the restaurant challenge."""
    folder = tmp_path / "stock" / "r"
    folder.mkdir(parents=True)
    (folder / "data.json").write_bytes((GOLDEN / "restaurant" / "small-data.json").read_bytes())
    (folder / "answers.json").write_bytes((GOLDEN / "restaurant" / "small-odd.answers.json").read_bytes())
    return folder.parent


def test_inputs_are_run_and_counted_by_verb(stock: Path, tmp_path: Path) -> None:
    code, printed = fuzz("--material", stock, "--only", "check restaurant", "--inputs", 40, folder=tmp_path)
    assert code == 0, printed
    row = next(line.split() for line in printed.splitlines() if line.startswith("check"))
    inputs, *codes = (int(cell) for cell in row[1:6])
    assert inputs == sum(codes) == 40
    assert sum(count > 0 for count in codes) > 1, "mutation must reach more than one exit code"


def test_an_input_is_told_by_its_seed_and_number(stock: Path, tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
import fuzz
from fuzzing import sandbox
for number in range(30, 50):
    folder = sandbox.emptied(Path({str(tmp_path)!r}) / "input")
    given = fuzz.build(SEED, number, Path({str(stock)!r}), folder, "restaurant")
    files = [(p.name, p.read_bytes()) for p in sorted(folder.rglob("*")) if p.is_file() and not p.is_fifo()]
    print(given, files)
"""
    first, again, other = (python(code.replace("SEED", seed), tmp_path) for seed in ("1", "1", "2"))
    assert first == again
    assert first != other


def test_what_must_not_be_is_found(tmp_path: Path) -> None:
    """Planted in the place of the command: one of each."""
    code = f"""
import json, os, subprocess, socket, sys, warnings
from pathlib import Path
from fuzzing import sandbox
from fuzzing.commands import Input
import duologue.cli.main as entry
def fault(): [][1]
def control(): print("a\\x1b[2Jb")
def program(): subprocess.run(["true"])
def outside(): open("../more.txt", "w")
def left(): open("x.json.tmp", "w").close()
def busy():
    while True: pass
def code(): sys.exit(7)
def warning(): warnings.warn("x")
def network(): socket.create_connection(("192.0.2.1", 9))
def opened(): open("../canary/secret.json").close()
def nothing(): print("fine")
def broken(): print("no json")
sandbox.enter()
found = {{}}
for main in (fault, control, program, outside, left, busy, code, warning, network, opened, nothing, broken):
    entry.main = main
    folder = sandbox.emptied(Path({str(tmp_path)!r}) / main.__name__)
    given = Input("list", ["list", *["--json"] * (main is broken)], b"")
    outcome = sandbox.run(given, folder, seconds=0.2 if main is busy else 10)
    found[main.__name__] = sorted({{one.kind for one in outcome.findings}})
print(json.dumps(found))
"""
    found = json.loads(python(code, tmp_path))
    assert found.pop("nothing") == []
    assert found.pop("fault") == ["traceback"]
    assert found.pop("busy") == ["time"]
    assert found.pop("broken") == ["json"]
    for name, kinds in found.items():
        assert name in kinds, (name, kinds)


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the system does not tell who waits")
def test_a_process_whose_children_find_no_processor_does_not_hang(tmp_path: Path) -> None:
    """Two that work on one processor each wait for the other, while the one that started them waits for both."""
    code = r"""
import os, subprocess, sys, time
from fuzzing.watch import Watch
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
watch = Watch(os.getpid())
before = watch.used()
loop = [sys.executable, "-c", "import time\nwhile time.process_time() < 0.5: pass"]
started = [subprocess.Popen(loop) for _ in range(2)]
while any(one.poll() is None for one in started):
    used = watch.used()
    time.sleep(0.02)
print(used.busy - before.busy, used.queued - before.queued)
"""
    busy, queued = map(float, python(code, tmp_path).split())
    assert busy > 0.7, "the work of both counts"
    assert queued > 0.3, "and so does what each waited for the other"


def test_files_of_every_kind_are_mutated_without_an_error(tmp_path: Path) -> None:
    """Text, JSON, gzip, TOML and what is none of them; whatever the mutation made may be mutated again."""
    code = f"""
import gzip
from pathlib import Path
from random import Random
from fuzzing.mutations import mutate_path
seeds = [p.read_bytes() for p in sorted(Path({str(GOLDEN)!r}).rglob("*")) if p.is_file() and p.stat().st_size < 9000]
seeds += [gzip.compress(seeds[0]), b"", b"\\x00", b'x = 1\\n[y]\\nz = "a"\\n']
changed = 0
for number in range(400):
    rng = Random(number)
    path = Path({str(tmp_path)!r}) / ("x.toml" if number % 9 == 0 else "x.json")
    path.write_bytes(before := seeds[number % len(seeds)])
    for _ in range(2):
        if path.is_file() and path.stat().st_size < 1 << 20:
            mutate_path(path, rng)
    changed += not path.is_file() or path.read_bytes() != before
    path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
print(changed)
"""
    assert int(python(code, tmp_path)) > 350


def test_every_command_runs_as_it_stands_before_it_is_mutated(tmp_path: Path) -> None:
    """A seed that is refused at once explores nothing: most commands work as they stand."""
    code, printed = fuzz("--no-models", "--inputs", 210, folder=tmp_path)
    assert code == 0, printed
    last = printed.splitlines()[-1].split()
    assert last[:2] == ["all", "210"]
    assert int(last[2]) > 170


def test_every_verb_is_tried_or_says_why_not(tmp_path: Path) -> None:
    code = """
import shlex
import click
from duologue.cli.main import cli
from fuzzing import commands

def verbs(command, words):
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        yield from verbs(found, [*words, name]) if isinstance(found, click.Group) else [" ".join([*words, name])]

tried = {commands.verb_of(shlex.split(one.line)) for one in commands.TEMPLATES}
known = set(verbs(cli, []))
print(sorted(known - tried - set(commands.UNTRIED)), sorted(set(commands.UNTRIED) - known))
"""
    assert python(code, tmp_path) == "[] []\n"
