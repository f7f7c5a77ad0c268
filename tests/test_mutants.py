"""The mutation command: what it runs in its copies of the tree leaves whatever else runs on the machine alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"

TREE = {
    "src/duologue/one.py": "",
    "tests/test_one.py": """
def test_where_temporary_files_are(tmp_path):
    from pathlib import Path
    Path("where").write_text(str(tmp_path))
""",
    "tests/test_two.py": """
def test_what_takes_ever_more_memory_in_a_program_of_its_own():
    import subprocess, sys
    takes = "from mmap import mmap; held = [mmap(-1, 1 << 30) for _ in range(16)]"  # none of it is written
    subprocess.run([sys.executable, "-c", takes], check=True, stderr=subprocess.DEVNULL)
""",
}

COPIES = """
import sys, types
parts = {"ast": "ast_nodes get_ast", "mutating": "mutate_code", "plugins": "get_operator operator_names"}
for name, held in parts.items():
    stand_in = types.ModuleType(f"cosmic_ray.{name}")  # it is installed for `make mutants` alone, and not asked here
    vars(stand_in).update(dict.fromkeys(held.split()))
    sys.modules[stand_in.__name__] = stand_in
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import mutants
mutants.ROOT = Path(sys.argv[2])
for number in (0, 1):
    copy = mutants.Copy(Path(sys.argv[3], str(number)))
    code, said = copy.run(sys.argv[4:], 60)
    print(code, (copy.folder / "where").read_text() if (copy.folder / "where").is_file() else "")
"""


def run_in_two_copies(folder: Path, test: str) -> list[tuple[str, str]]:
    """Return what a test of the tree above ended with in each of two copies, and where its temporary files were."""
    for name, text in TREE.items():
        path = folder / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    words = [sys.executable, "-c", COPIES, BENCHMARKS, folder / "tree", folder / "copies", test]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in done.stdout.splitlines()]


def test_each_copy_of_the_tree_has_temporary_files_of_its_own_and_none_within(tmp_path: Path) -> None:
    codes, places = zip(*run_in_two_copies(tmp_path, "tests/test_one.py"), strict=True)
    assert codes == ("0", "0")
    first, second = (Path(place).relative_to(tmp_path / "copies").parts[0] for place in places)
    assert (first, second) == ("0-scratch", "1-scratch")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a limit of addresses may be none")
def test_a_mutant_that_takes_ever_more_memory_fails_before_the_machine_has_none_left(tmp_path: Path) -> None:
    assert [code for code, _ in run_in_two_copies(tmp_path, "tests/test_two.py")] == ["1", "1"]
