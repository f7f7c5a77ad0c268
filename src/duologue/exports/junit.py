"""Checks and gates as JUnit XML, which every CI system shows.

The elements are those of the schema of Jenkins's xUnit plug-in (`junit-10.xsd`). Times are left out, so that the same
result is the same file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

from duologue.core.problems import total
from duologue.exports.portable import portable, xml_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.core.records import Problem, Report
    from duologue.report.comparison import Comparison
    from duologue.report.gate import GateVerdict


class JunitCase(NamedTuple):
    """One test case; it has passed where `failure` is empty."""

    name: str
    failure: str = ""
    """What kind of failure: the rule that is broken."""
    message: str = ""
    said: str = ""
    """What stands on its standard output."""


def of_check(
    task: str, variant: str, file: Path, problems: Sequence[Problem], *, hash_of_file: str, measured: str
) -> str:
    """Return the outcome of a check: a failed case for each error, or one case that has passed.

    Warnings fail nothing and stand on the standard output of the suite. `measured` says what the file was held against.
    """
    path = portable(file)
    errors = [one for one in problems if one.severity == "error"]
    cases = [
        JunitCase(f"{one.rule}: {place}" if (place := one.place) else one.rule, one.rule, _told(one)) for one in errors
    ] or [JunitCase("accepted")]
    warnings = "\n".join(f"{one.severity}: {_told(one)} [{one.rule}]" for one in problems if one.severity != "error")
    properties = {
        "task": task,
        "variant": variant,
        "file": path,
        "sha256": hash_of_file,
        "measured": measured,
        "problems": str(total(problems)),
    }
    return _document(f"duologue check {task}", path, cases, properties, warnings)


def of_gate(first: Report, second: Report, found: Sequence[Comparison], verdict: GateVerdict) -> str:
    """Return the outcome of a gate: one case, which fails where the gate is closed, and all figures as properties."""
    properties = {
        "task": first.task,
        "variant": first.variant,
        "signature.a": str(first.signature),
        "signature.b": str(second.signature),
    }
    for one in found:
        name, tested = one.tested.name, one.tested
        properties |= {f"{name}.a": repr(tested.a), f"{name}.b": repr(tested.b), f"{name}.n": str(one.n)}
        for what in ("difference", "low", "high", "p", "p_adjusted", "detectable"):
            properties[f"{name}.{what}"] = repr(float(getattr(tested, what)))
    case = JunitCase(f"B is not worse than A in {verdict.score}")
    if verdict.passed:
        case = case._replace(said=verdict.reason)
    else:
        case = case._replace(failure="worse", message=verdict.reason)
    return _document(f"duologue compare {first.task}", f"{first.task}.{first.variant}", [case], properties, "")


def _told(problem: Problem) -> str:
    place = f"{problem.place}: " if problem.place else ""
    return f"{place}{problem.message}{f'; {problem.advice}' if problem.advice else ''}"


def _document(name: str, group: str, cases: Sequence[JunitCase], properties: Mapping[str, str], said: str) -> str:
    """Return a document of one suite."""
    counted = {
        "name": name,
        "tests": str(len(cases)),
        "failures": str(sum(bool(one.failure) for one in cases)),
        "errors": "0",
    }
    root = ET.Element("testsuites", counted)
    suite = ET.SubElement(root, "testsuite", counted | {"skipped": "0"})
    listed = ET.SubElement(suite, "properties")
    for key, value in properties.items():
        ET.SubElement(listed, "property", {"name": xml_text(key), "value": xml_text(value)})
    for case in cases:
        made = ET.SubElement(suite, "testcase", {"name": xml_text(case.name), "classname": xml_text(group)})
        if case.failure:
            told = xml_text(case.message)
            ET.SubElement(made, "failure", {"type": xml_text(case.failure), "message": told}).text = told
        if case.said:
            ET.SubElement(made, "system-out").text = xml_text(case.said)
    if said:
        ET.SubElement(suite, "system-out").text = xml_text(said)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'
