"""The mutation command: what it runs in its copies of the tree is apart from whatever else runs on the machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"

TREE = {
    "src/duologue/one.py": "",
    "tests/test_one.py": """
def test_where_temporary_files_are(tmp_path):
    from pathlib import Path
    Path("where").write_text(str(tmp_path))
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
    code, said = copy.run(["tests/test_one.py"], 60)
    print(code, (copy.folder / "where").read_text())
"""


def test_each_copy_of_the_tree_has_temporary_files_of_its_own_and_none_within(tmp_path: Path) -> None:
    for name, text in TREE.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    words = [sys.executable, "-c", COPIES, BENCHMARKS, tmp_path / "tree", tmp_path / "copies"]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    codes, places = zip(*(line.split(" ", 1) for line in done.stdout.splitlines()), strict=True)
    assert codes == ("0", "0")
    first, second = (Path(place).relative_to(tmp_path / "copies").parts[0] for place in places)
    assert (first, second) == ("0-scratch", "1-scratch")
