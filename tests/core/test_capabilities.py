from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from duologue.core import optional_protocols
from duologue.core.capabilities import CAPABILITIES, EXPECTED, GUIDE, capabilities, lacking_capability, reasons
from duologue.core.plugins import Entry, entries, load_task

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("task", "kept"),
    [
        ("restaurant", {"Inspectable", "Simulated", "NoiseModel", "Grounded", "Conversable", "Playable"}),
        ("spoken", {"Inspectable", "Convertible", "NoiseModel", "Grounded", "FactChecking", "Conversable"}),
        ("proactive", {"Inspectable", "Convertible", "NoiseModel", "Conversable", "Paired", "Playable"}),
        (
            "mobilecs/dialogue",
            {"Inspectable", "Convertible", "Simulated", "NoiseModel", "Grounded", "Conversable", "Paired", "Playable"},
        ),
        ("mobilecs/extraction", {"Inspectable", "Convertible", "Simulated", "NoiseModel", "Annotatable"}),
    ],
)
def test_a_task_keeps_the_protocols_that_it_has_the_methods_of(task: str, kept: set[str]) -> None:
    assert {one.protocol for one in capabilities(load_task(task))} == kept


@pytest.mark.parametrize("entry", [one for one in entries("tasks") if one.distribution == "duologue"], ids=str)
def test_a_task_that_lacks_what_people_try_says_why(entry: Entry) -> None:
    task = load_task(entry.name)
    kept = {one.protocol for one in capabilities(task)}
    assert set(EXPECTED) <= kept | set(task.without)
    assert not kept & set(task.without)
    assert len(reasons(task)) == len(task.without)  # each is a protocol
    assert all(reasons(task).values())


def test_every_optional_protocol_has_a_section_of_the_guide_and_is_told_by_what_is_lacking() -> None:
    headings = [line[4:] for line in (ROOT / GUIDE).read_text(encoding="utf-8").splitlines() if line.startswith("### ")]
    assert headings == [one.protocol for one in CAPABILITIES]
    for one in CAPABILITIES:
        assert getattr(optional_protocols, one.protocol)
        error = str(lacking_capability("toy", one.protocol, "do without"))
        assert error.startswith(f"task 'toy' has {one.lacking}; do without (")
        assert f"`{one.protocol}`: {GUIDE}#{one.protocol.lower()}" in error


def test_every_optional_protocol_says_itself_that_instances_can_be_told() -> None:
    """One that is built on another would pass unsaid where the program runs, and type checkers refuse it."""
    module = ast.parse(inspect.getsource(optional_protocols))
    classes = {one.name: one for one in module.body if isinstance(one, ast.ClassDef)}
    for one in CAPABILITIES:
        assert [ast.unparse(mark) for mark in classes[one.protocol].decorator_list] == ["runtime_checkable"]


def test_there_are_few_protocols() -> None:
    core = ROOT / "src" / "duologue" / "core"
    found = [line for path in core.glob("*.py") for line in path.read_text(encoding="utf-8").splitlines()]
    assert sum(line.startswith("class ") and line.endswith("Protocol):") for line in found) <= 14
