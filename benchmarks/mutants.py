"""Mutation testing: change one thing in a module, run the tests of that module, and list what no test sees.

`make mutants`, or `python benchmarks/mutants.py --mutants 200 --seed 1 --package metrics`. A seeded sample, as many
from each package, of the operators of cosmic-ray: places are drawn first, then one operator of each, so that an
arithmetic sign with ten replacements counts no more than a constant with two. Annotations and what only type checkers
read are left out, as are mutants that do not compile, and two keywords that change no outcome: `strict` of `zip`, which
states that lengths agree where the lines before made them agree, and `slots` of `dataclass`, which saves memory. Nor is
the `*` alone in a signature, which the operators take for a multiplication (`/` in its place only lets more calls in).
`--only core/disk.py:225` tests again what was drawn there, and `--dry` lists what is drawn.

A mutant runs, in a copy of the tree, up to the first failure: first the nearest test module (the mirror of its module,
else the first that names it), then the others that name it and those of its room. One that hangs in the nearest is
killed if the unchanged program, tried right then, needs less than a quarter of the limit; one that runs out of time in
the others has survived. A test module that kills must pass without the mutant: exit code 2 where it does not.
Survivors are printed with their difference. `mutants-equivalent.toml` keeps those that no test could tell from the
original, with the reason, and the constants that only say how much is done at once. Exit code 1 where less than
`--share` of the others are killed in a package.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import difflib
import os
import py_compile
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[1]
SOURCE = Path("src/duologue")
EQUIVALENT = Path(__file__).with_name("mutants-equivalent.toml")
PACKAGES = {
    "metrics": ["metrics/**/*.py"],
    "core": ["core/**/*.py"],
    "run": ["run/**/*.py"],
    "report": ["report/**/*.py"],
    "scoring": ["challenges/*/scoring/**/*.py"],
}
"""The modules of each package, below `src/duologue`."""
_COPIED = ("src", "tests", "benchmarks", "docs", "changes", "README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE")
_COPIED_TOO = ("pyproject.toml", "constraints.txt", "Makefile")
_LIMIT = 24
"""Test modules that a mutant runs: a module of the core is named in a hundred."""
_MEMORY = 6 << 30
"""Bytes of addresses for each process of the tests: far more than any needs without a mutant, and a mutant that takes
ever more fails on its own before the machine has none left for the others."""
_PYTEST = f"""
import os, resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({_MEMORY}, resource.getrlimit(resource.RLIMIT_AS)[1]))
os.execv(sys.executable, [sys.executable, "-m", "pytest", *sys.argv[1:]])
"""


class Place(NamedTuple):
    """Where operators can change a module."""

    module: str
    """Path below `src/duologue`."""
    start: tuple[int, int]
    """Line and column."""
    ways: tuple[tuple[str, int], ...]
    """Operators, each with its occurrence in the module."""


class Mutant(NamedTuple):
    """One change to one module."""

    package: str
    module: str
    operator: str
    line: int
    source: str
    """Of the whole module, changed."""
    difference: tuple[str, ...]
    """Lines taken out (-) and put in (+), without indentation."""


class Tested(NamedTuple):
    """What came of a mutant."""

    mutant: Mutant
    killed: bool
    how: str
    """The test that failed, or why none did."""
    seconds: float


def modules_of(package: str) -> list[str]:
    """Return the modules of a package that hold code, below `src/duologue`."""
    root = ROOT / SOURCE
    found = {path for pattern in PACKAGES[package] for path in root.glob(pattern) if path.name != "__init__.py"}
    return sorted(path.relative_to(root).as_posix() for path in found)


def places_of(module: str) -> list[Place]:
    """Return the places of a module that some operator can change, in their order."""
    tree = get_ast((ROOT / SOURCE / module).read_text(encoding="utf-8"))
    ways: dict[tuple[int, int], list[tuple[str, int]]] = {}
    for name in sorted(operator_names()):
        if name.endswith("/NoOp"):
            continue
        try:
            operator: Any = get_operator(name)()
        except TypeError:  # it asks for the names of variables
            continue
        starts = [start for node in ast_nodes(tree) for start, _ in operator.mutation_positions(node)]
        for occurrence, start in enumerate(starts):
            ways.setdefault(start, []).append((name, occurrence))
    return [Place(module, start, tuple(several)) for start, several in sorted(ways.items())]


_IDLE = {"zip": "strict", "dataclass": "slots"}
"""A keyword of a call that decides no outcome: what it states holds already, or it saves memory alone."""


class _Bare(ast.NodeTransformer):
    """Takes out what does nothing when the module runs: annotations, imports for types, keywords that are idle.

    So does the `*` that stands alone in a signature, which the operators take for a multiplication.
    """

    def visit_Call(self, node: ast.Call) -> ast.AST:  # the name is given by ast
        if isinstance(node.func, ast.Name) and (idle := _IDLE.get(node.func.id)):
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != idle]
        return self.generic_visit(node)

    def visit_arguments(self, node: ast.arguments) -> ast.AST:  # the name is given by ast
        node.args = [*node.posonlyargs, *node.args, *node.kwonlyargs]
        node.defaults = [*node.defaults, *(value for value in node.kw_defaults if value is not None)]
        node.posonlyargs, node.kwonlyargs, node.kw_defaults = [], [], []
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:  # the name is given by ast
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:  # the name is given by ast
        node.annotation = ast.Name("object", ast.Load())
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | None:  # the name is given by ast
        return None if "TYPE_CHECKING" in ast.unparse(node.test) else self.generic_visit(node)


def _meaning(source: str) -> str | None:
    """Return what tells two sources apart when they run; `None` for one that does not compile."""
    try:
        compile(source, "mutant", "exec")
        return ast.dump(_Bare().visit(ast.parse(source)))
    except (SyntaxError, ValueError):
        return None


def mutant_of(package: str, place: Place, rng: Random) -> Mutant | None:
    """Return one mutant of a place; `None` where it would be the same program or none."""
    before = (ROOT / SOURCE / place.module).read_text(encoding="utf-8")
    name, occurrence = place.ways[rng.randrange(len(place.ways))]
    try:
        after = mutate_code(before, get_operator(name)(), occurrence)
    except AttributeError:  # cosmic-ray's operator of exceptions knows plain names alone, and not `module.Error`
        return None
    if after is None or (meant := _meaning(after)) is None or meant == _meaning(before):
        return None
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    changed = tuple(line[0] + line[1:].strip() for line in lines if line[:3] not in {"---", "+++"} and line[0] in "-+")
    return Mutant(package, place.module, name.rpartition("/")[2], place.start[0], after, changed)


def sample(package: str, wanted: int, seed: int) -> list[Mutant]:
    """Return a seeded sample of mutants of a package, no place twice."""
    rng = Random(f"{seed}/{package}")
    places = [place for module in modules_of(package) for place in places_of(module)]
    rng.shuffle(places)
    found: list[Mutant] = []
    for place in places:
        if len(found) == wanted:
            break
        mutant = mutant_of(package, place, rng)
        if mutant is not None:
            found.append(mutant)
    return found


@cache
def _texts() -> dict[Path, str]:
    return {test: test.read_text(encoding="utf-8") for test in sorted((ROOT / "tests").rglob("test_*.py"))}


@cache
def _elsewhere() -> dict[str, str]:
    """Return the test module of each module that has no mirror and is named in none."""
    found: dict[str, str] = runpy.run_path(str(ROOT / "tests" / "test_mirrors.py"))["ELSEWHERE"]
    return found


@cache
def tests_of(module: str) -> tuple[str, ...]:
    """Return the test modules of a module, the nearest first: its mirror, those that name it, those of its room."""
    path = Path(module)
    room = ROOT / "tests" / path.parent
    mirrors = [room / f"test_{path.stem}.py"]
    if module in _elsewhere():
        mirrors.append(ROOT / "tests" / _elsewhere()[module])
    dotted = "duologue." + ".".join(path.with_suffix("").parts)
    parent, _, stem = dotted.rpartition(".")
    named = [
        test
        for test, text in _texts().items()
        if dotted in text
        or f'"{parent}"' in text  # it goes through all modules of the package
        or any(stem in line.replace(",", " ").split() for line in text.splitlines() if f"from {parent} import" in line)
    ]
    named.sort(key=lambda test: (test.parent != room, test))
    near = sorted(room.glob("test_*.py"))
    task = ROOT / "tests" / Path(*path.parts[:2]) / "test_task.py" if path.parts[0] == "challenges" else room
    found = [*mirrors, *named[:_LIMIT], *near, task]
    return tuple(one.relative_to(ROOT).as_posix() for one in dict.fromkeys(found) if one.is_file())[:_LIMIT]


_SOUND: set[str] = set()
"""Test modules that were seen to pass on the unchanged tree."""


class BrokenTestError(Exception):
    """A test fails without a mutant, so that it tells nothing."""


class Copy:
    """A copy of the tree in which one module at a time is changed.

    Its tests have a folder for temporary files beside it: pytest clears away what other runs on the machine left in
    the common one, and where two do so at once a run fails without any test, as if the mutant had been seen.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scratch = folder.with_name(f"{folder.name}-scratch")
        self.scratch.mkdir(parents=True)
        spared = shutil.ignore_patterns("__pycache__", ".*", "workspace")
        for name in (*_COPIED, *_COPIED_TOO):
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=spared, symlinks=True)
            elif source.is_file():
                shutil.copy(source, folder / name)
        by_content = py_compile.PycInvalidationMode.CHECKED_HASH  # two mutants may be written within one second
        compileall.compile_dir(folder / "src", quiet=2, invalidation_mode=by_content)

    def run(self, tests: Sequence[str], seconds: float) -> tuple[int | None, str]:
        """Run tests up to the first failure; return pytest's exit code, `None` past the limit, and what it printed.

        Where every test is one of those that are not run by default, that is no failure.
        """
        environment = os.environ | {
            "PYTHONPATH": str(self.folder / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "CI": "1",  # the same examples of hypothesis each time
            "OMP_NUM_THREADS": "1",
            "TMPDIR": str(self.scratch),
        }
        command = [sys.executable, "-c", _PYTEST, "-x", "-q", "-p", "no:cacheprovider", "--tb=no", *tests]
        with (self.folder / "said").open("w+", encoding="utf-8") as said:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
            try:
                code: int | None = process.wait(seconds)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                _end(process)
            said.seek(0)
            return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code, said.read()

    def test(self, mutant: Mutant, seconds: float) -> Tested:
        """Run the tests of a mutant's module on it. Raises `BrokenTestError` where they fail without it, too."""
        path = self.folder / SOURCE / mutant.module
        before = path.read_bytes()
        start = time.monotonic()
        tests = tests_of(mutant.module)
        for some in (tests[:1], tests[1:]):
            path.write_text(mutant.source, encoding="utf-8")
            try:
                code, said = self.run(some, seconds) if some else (0, "")
            finally:
                path.write_bytes(before)
            spent = time.monotonic() - start
            if code is None:
                hangs = some == tests[:1] and self.run(some, seconds / 4)[0] == 0
                return Tested(mutant, hangs, "past the limit", spent)
            if code:
                lines = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
                failed = re.search(r"tests/[\w/]+\.py", lines[0]) if lines else None
                self.demand_sound(failed[0] if failed else some[0], seconds)
                return Tested(mutant, killed=True, how=lines[0][:150] if lines else f"exit {code}", seconds=spent)
        how = f"{len(tests)} test modules pass"
        return Tested(mutant, killed=False, how=how, seconds=time.monotonic() - start)

    def demand_sound(self, test: str, seconds: float) -> None:
        """Raise `BrokenTestError` where a test module fails without a mutant; each is tried once."""
        if test not in _SOUND:
            code, said = self.run([test], seconds * 4)
            if code != 0:
                raise BrokenTestError(f"{test} must pass before anything is changed\n{said[-4000:]}")
            _SOUND.add(test)


def _end(process: subprocess.Popen[Any]) -> None:
    """End what is left of a run and of the programs that its tests started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@cache
def _listed() -> tuple[frozenset[tuple[str, tuple[str, ...]]], frozenset[tuple[str, str]]]:
    """Return the mutants known to be equivalent, by module and difference, and the constants, by module and name."""
    table = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))
    alone = frozenset((one["module"], tuple(one["difference"])) for one in table["equivalent"])
    return alone, frozenset((one["module"], one["constant"]) for one in table["at-once"])


def is_equivalent(mutant: Mutant) -> bool:
    """Tell whether a mutant is known to be one that no test could tell from the original."""
    alone, constants = _listed()
    taken_out = next((line[1:] for line in mutant.difference if line.startswith("-")), "")
    name = taken_out.partition(" = ")[0]
    return (mutant.module, mutant.difference) in alone or (mutant.module, name) in constants


def main() -> int:
    """Draw mutants, test them and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=120.0, help="limit of one mutant")
    parser.add_argument("--share", type=float, default=0.93, help="of non-equivalent mutants, to be killed per package")
    parser.add_argument("--package", action="append", choices=sorted(PACKAGES), help="may be repeated")
    parser.add_argument("--only", action="append", metavar="MODULE[:LINE]", help="of what is drawn; may be repeated")
    parser.add_argument("--dry", action="store_true", help="list what is drawn and test nothing")
    how = parser.parse_args()
    packages = how.package or list(PACKAGES)
    drawn = [one for name in packages for one in sample(name, -(-how.mutants // len(packages)), how.seed)]
    if how.only:
        drawn = [one for one in drawn if {one.module, f"{one.module}:{one.line}"} & set(how.only)]
    mutants = [one for one in drawn if not is_equivalent(one)]
    if how.dry or not mutants:
        for one in drawn:
            print(f"{one.module}:{one.line} {one.operator}{'' if one in mutants else ' (equivalent)'}", *one.difference)
        return 0
    for one in mutants:
        tests_of(one.module)  # the tree may change while this runs, and its copies do not
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for number in range(how.jobs):
            copies.put(Copy(Path(name) / str(number)))

        def test(mutant: Mutant) -> Tested:
            copy = copies.get()
            try:
                done = copy.test(mutant, how.seconds)
            finally:
                copies.put(copy)
            print(
                f"{'killed  ' if done.killed else 'SURVIVED'} {mutant.module}:{mutant.line} {mutant.operator} "
                f"{done.seconds:.0f} s {done.how}",
                flush=True,
            )
            return done

        with ThreadPoolExecutor(how.jobs) as pool:
            try:
                tested = list(pool.map(test, mutants))
            except BrokenTestError as error:
                pool.shutdown(cancel_futures=True)
                print(error)
                return 2
    return _report(packages, drawn, tested, how.share)


def _report(packages: Sequence[str], drawn: Sequence[Mutant], tested: Sequence[Tested], share: float) -> int:
    """Print the survivors and the table; return the exit code."""
    for one in tested:
        if not one.killed:
            print(f"\n{SOURCE / one.mutant.module}:{one.mutant.line} {one.mutant.operator}; {one.how}")
            print("\n".join(f"  {line}" for line in one.mutant.difference))
    print("\n| package | drawn | equivalent | killed | survived | killed, % |\n|---|---|---|---|---|---|")
    enough = True
    for package in packages:
        every = sum(one.package == package for one in drawn)
        here = [one for one in tested if one.mutant.package == package]
        killed = sum(one.killed for one in here)
        reached = killed / len(here) if here else 1.0
        enough = enough and reached >= share
        print(f"| {package} | {every} | {every - len(here)} | {killed} | {len(here) - killed} | {reached:.1%} |")
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
