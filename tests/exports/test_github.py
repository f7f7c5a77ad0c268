from __future__ import annotations

from pathlib import Path

from duologue.core.records import Problem
from duologue.exports import github
from duologue.report.gate import GateVerdict


def test_a_problem_is_an_annotation_with_its_line_and_cannot_forge_another() -> None:
    problem = Problem(rule="row", place="line 12", message="50 % wrong\n::error::x\r\x1b[2J", advice="mend, it")
    (told,) = github.of_check(Path("out/a:b.json"), [problem])
    assert told == (
        "::error file=out/a%3Ab.json,line=12,title=row::line 12: 50 %25 wrong%0A::error::x%0D\\x1b[2J; mend, it"
    )


def test_what_github_would_not_show_is_counted() -> None:
    errors = [Problem(rule="r", message=str(number)) for number in range(12)]
    warnings = [Problem(rule="w", severity="warning", message=str(number)) for number in range(11)]
    rest = Problem(rule="too-many-problems", message="and 5 more", stands_for=5)
    told = list(github.of_check(Path("a.json"), [*errors, *warnings, rest]))
    assert [sum(line.startswith(f"::{level} ") for line in told) for level in ("error", "warning")] == [10, 10]
    assert told[-1] == "::notice file=a.json,title=duologue check::and 8 more problems"


def test_a_closed_gate_is_an_error_and_an_open_one_a_notice() -> None:
    assert github.of_gate(GateVerdict("p@1", passed=False, reason="worse")) == "::error title=duologue compare::worse"
    assert github.of_gate(GateVerdict("p@1", passed=True, reason="ok")).startswith("::notice ")
