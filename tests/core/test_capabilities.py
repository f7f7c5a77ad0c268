from __future__ import annotations

from pathlib import Path

import pytest

from duologue.core import protocols
from duologue.core.capabilities import CAPABILITIES, GUIDE, capabilities, lacking_capability
from duologue.core.plugins import load_task

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("task", "kept"),
    [
        ("restaurant", {"Inspectable", "Simulated", "Grounded", "Conversable", "Playable"}),
        ("spoken", {"Inspectable", "Convertible", "NoiseModel", "Grounded", "FactChecking", "Conversable", "Servable"}),
        ("proactive", {"Inspectable", "Convertible", "Conversable", "Paired", "Playable"}),
        ("mobilecs/dialogue", {"Inspectable", "Convertible", "Simulated", "Conversable", "Playable"}),
        ("mobilecs/extraction", {"Inspectable", "Convertible", "Simulated", "Annotatable"}),
    ],
)
def test_a_task_keeps_the_protocols_that_it_has_the_methods_of(task: str, kept: set[str]) -> None:
    assert {one.protocol for one in capabilities(load_task(task))} == kept


def test_every_optional_protocol_has_a_section_of_the_guide_and_is_told_by_what_is_lacking() -> None:
    headings = [line[4:] for line in (ROOT / GUIDE).read_text(encoding="utf-8").splitlines() if line.startswith("### ")]
    assert headings == [one.protocol for one in CAPABILITIES]
    for one in CAPABILITIES:
        assert getattr(protocols, one.protocol)
        error = str(lacking_capability("toy", one.protocol, "do without"))
        assert error.startswith(f"task 'toy' has {one.lacking}; do without (")
        assert f"`{one.protocol}`: {GUIDE}#{one.protocol.lower()}" in error


def test_there_are_few_protocols() -> None:
    core = ROOT / "src" / "duologue" / "core"
    found = [line for path in core.glob("*.py") for line in path.read_text(encoding="utf-8").splitlines()]
    assert sum(line.startswith("class ") and line.endswith("Protocol):") for line in found) <= 16
