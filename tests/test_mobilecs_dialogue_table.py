"""The section of the agent's variants in the page of MobileCS track 2: made by itself, kept by the rest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from types import ModuleType

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import mobilecs_dialogue

    return mobilecs_dialogue


def measured(program: ModuleType, name: str, combined: float, p: float) -> Any:
    row = next(row for row in program.ROWS if row.name == name)
    scores = {"user-intent-f1": 0.788, "system-intent-f1": 0.586, "success": 0.802, "bleu": 3.66}
    strict = {score: (value, value - 0.1, value + 0.1) for score, value in {**scores, "combined": combined}.items()}
    return program.Measured(row, strict, {}, {"share": 0.0031}, None, {"p95": 10.71}, 1.84, {}, p)


def test_a_variant_stands_beside_the_agent_with_what_it_loses(program: ModuleType) -> None:
    agent, text = measured(program, "agent", 2.25, 1.0), measured(program, "agent, KB as text", 2.0, 0.0123)
    lines = program.variants([agent, text]).splitlines()
    assert lines[0] == program.VARIANTS
    assert lines[-2].startswith(
        "| agent | 2.250 | 2.150 to 2.350 | 78.8 | 58.6 | 80.2 | 3.66 |  |  | 0.31 | 10.7 | 1.8 |"
    )
    assert "| 0.250 | .0123 | 0.31 |" in lines[-1]


def test_the_section_takes_the_place_of_an_older_one_and_nothing_else(program: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "PAGE.md"
    before, after = "# Title\n\n| a |\n\n", f"{program.MUST}\n\nAll figures hold.\n"
    page.write_text(before + after)
    assert program.section(page) == ""
    first = program.variants([measured(program, "agent", 2.25, 1.0)])
    once = program.with_section(before + after, first)
    assert once == f"{before}{first}\n{after}"
    page.write_text(once)
    assert program.section(page) == first
    second = program.variants([measured(program, "agent", 2.0, 1.0)])
    assert program.with_section(once, second) == f"{before}{second}\n{after}"
