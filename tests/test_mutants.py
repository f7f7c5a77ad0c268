"""The mutation command: what it draws tells programs apart, and what it runs leaves whatever else runs alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # of a program in benchmarks/, which nobody changes by the way
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

STAND_INS = """
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
"""

COPIES = """
for number in (0, 1):
    copy = mutants.Copy(Path(sys.argv[3], str(number)))
    code, said = copy.run(sys.argv[4:], 60)
    print(code, (copy.folder / "where").read_text() if (copy.folder / "where").is_file() else "")
"""


DRAWN = """
mutants.get_operator = lambda name: lambda: None
mutants.mutate_code = lambda source, operator, occurrence: source.replace("True", "False", 1).replace("*", "/", 1)
for module in sys.argv[3:]:
    print(mutants.mutant_of("core", mutants.Place(module, (1, 0), (("core/Some", 0),)), mutants.Random(1)) is not None)
"""


def run_with(script: str, *words: object) -> list[str]:
    """Return the lines that a script prints which has `mutants` at hand; its first word is the root of the tree."""
    command = [sys.executable, "-c", STAND_INS + script, BENCHMARKS, *words]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def run_in_two_copies(folder: Path, test: str) -> list[tuple[str, str]]:
    """Return what a test of the tree above ended with in each of two copies, and where its temporary files were."""
    for name, text in TREE.items():
        path = folder / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    lines = run_with(COPIES, folder / "tree", folder / "copies", test)
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def test_each_copy_of_the_tree_has_temporary_files_of_its_own_and_none_within(tmp_path: Path) -> None:
    codes, places = zip(*run_in_two_copies(tmp_path, "tests/test_one.py"), strict=True)
    assert codes == ("0", "0")
    first, second = (Path(place).relative_to(tmp_path / "copies").parts[0] for place in places)
    assert (first, second) == ("0-scratch", "1-scratch")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a limit of addresses may be none")
def test_a_mutant_that_takes_ever_more_memory_fails_before_the_machine_has_none_left(tmp_path: Path) -> None:
    assert [code for code, _ in run_in_two_copies(tmp_path, "tests/test_two.py")] == ["1", "1"]


def test_a_keyword_that_decides_no_outcome_is_not_drawn_and_everything_else_is(tmp_path: Path) -> None:
    left_out = [
        "pairs = list(zip(a, b, strict=True))",
        "for one in sorted(zip(a, zip(b, c, strict=True))): pass",
        "@dataclass(slots=True)\nclass A: pass",
        "def f(a, *, b=1): pass",
    ]
    drawn = [
        "@dataclass(frozen=True, slots=True)\nclass A: pass",
        "pairs = list(zip([True], b, strict=True))",
        "found = read(path, strict=True)",
        "def f(a, b=2 * 3): pass",
    ]
    modules = [tmp_path / "src" / "duologue" / f"{number}.py" for number in range(len(left_out + drawn))]
    modules[0].parent.mkdir(parents=True)
    for module, source in zip(modules, left_out + drawn, strict=True):
        module.write_text(source, encoding="utf-8")
    found = run_with(DRAWN, tmp_path, *(module.name for module in modules))
    assert found == ["False"] * len(left_out) + ["True"] * len(drawn)


REFUSED = """
def mutate_code(source, operator, occurrence):
    raise AttributeError("'PythonNode' object has no attribute 'value'")
mutants.get_operator = lambda name: lambda: None
mutants.mutate_code = mutate_code
print(mutants.mutant_of("core", mutants.Place("one.py", (1, 0), (("core/Some", 0),)), mutants.Random(1)))
"""


def test_what_an_operator_cannot_change_is_not_drawn(tmp_path: Path) -> None:
    """A draw that met `except urllib.error.URLError` ended there, with nothing tested."""
    source = tmp_path / "src" / "duologue" / "one.py"
    source.parent.mkdir(parents=True)
    source.write_text("try: pass\nexcept a.b: pass\n", encoding="utf-8")
    assert run_with(REFUSED, tmp_path) == ["None"]


KNOWN = """
listed = mutants.tomllib.loads(mutants.EQUIVALENT.read_text(encoding="utf-8"))
for one in listed["at-once"]:
    lines = (mutants.ROOT / mutants.SOURCE / one["module"]).read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith(f"{one['constant']} = ")]
    for taken_out in (line, f"{one['constant']}_MORE = 1"):
        mutant = mutants.Mutant("core", one["module"], "NumberReplacer", 1, "", (f"-{taken_out}", "+x"))
        print(mutants.is_equivalent(mutant))
for one in listed["equivalent"]:
    text = (mutants.ROOT / mutants.SOURCE / one["module"]).read_text(encoding="utf-8")
    stripped = {line.strip() for line in text.splitlines()}
    if not {line[1:] for line in one["difference"] if line[0] == "-"} <= stripped:
        print("no longer there:", one["module"], *one["difference"])
"""


def test_each_mutant_that_is_known_as_equivalent_is_one_of_a_line_that_is_there() -> None:
    lines = run_with(KNOWN, BENCHMARKS.parent)
    assert lines == ["True", "False"] * (len(lines) // 2)
    assert lines
