from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {"numpy", "torch", "scipy", "safetensors", "pyarrow", "isal", "ray", "sqlite3", "rich"}
HEAVY |= {"jinja2", "httpx", "pandas", "sklearn", "matplotlib", "multiprocessing", "asyncio"}

RUNNER = """
import json, sys
try:
    {code}
except SystemExit as leave:
    assert not leave.code, leave.code
loaded = sorted({{name.partition(".")[0] for name in sys.modules}})
print("LOADED" + json.dumps(loaded))
"""

CLI = "sys.argv = {argv!r}; from duologue.cli.main import main; main()"


def loaded_by(code: str) -> tuple[set[str], str]:
    """Run code in a fresh process; return the top-level modules it loaded, and what it printed."""
    command = [sys.executable, "-c", RUNNER.format(code=code)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed, _, names = done.stdout.rpartition("LOADED")
    return set(json.loads(names)), printed


def test_the_package_alone_loads_nothing_heavy() -> None:
    names, _ = loaded_by("import duologue")
    assert not names & HEAVY
    assert "msgspec" not in names


@pytest.mark.parametrize(
    ("argv", "shows"),
    [
        (["duologue", "--help"], "score"),
        (["duologue", "--version"], "duologue"),
        (["duologue", "list"], "restaurant"),
        (["duologue", "list", "--json"], '"restaurant"'),
    ],
    ids=["help", "version", "list", "list as JSON"],
)
def test_a_command_that_only_tells_loads_nothing_heavy(argv: list[str], shows: str) -> None:
    names, printed = loaded_by(CLI.format(argv=argv))
    assert shows in printed
    assert not names & HEAVY


@pytest.mark.parametrize("verb", ["generate", "show", "train", "run", "check", "score"])
def test_the_help_of_a_verb_loads_no_library_of_an_extra(verb: str) -> None:
    names, printed = loaded_by(CLI.format(argv=["duologue", verb, "--help"]))
    assert "Example" in printed
    assert not names & {"torch", "scipy", "safetensors", "pyarrow"}


def test_the_contract_suites_load_nothing_heavy() -> None:
    names, _ = loaded_by("import duologue.testing, duologue.core.play, duologue.core.recipe")
    assert not names & HEAVY
