from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from duologue.core.records import Problem
from duologue.exports import junit
from duologue.report import compare
from duologue.report.gate import gate

if TYPE_CHECKING:
    from tests.report.conftest import MakeReport

junitparser: Any = pytest.importorskip("junitparser", reason="reads JUnit as CI systems do; it is in the extra dev")

PROBLEMS = (
    Problem(rule="rank-repeated", place="sample 'x'", message="rank 1 twice\x1b[2J\ufffe", advice="give each once"),
    Problem(rule="note", severity="warning", message="odd <note> & more"),
    Problem(rule="not-json", message="no\x00thing"),
)


def suite_of(text: str, tmp_path: Path) -> Any:
    """Return the only suite of a document, as junitparser reads it."""
    path = tmp_path / "junit.xml"
    path.write_text(text, encoding="utf-8")
    (suite,) = junitparser.JUnitXml.fromfile(str(path))
    assert isinstance(suite, junitparser.TestSuite)
    return suite


def checked(problems: tuple[Problem, ...], file: Path = Path("out/a.json")) -> str:
    return junit.of_check("toy", "strict", file, problems, hash_of_file="ab", measured="by itself")


def test_each_error_of_a_check_is_a_failed_case_and_warnings_fail_nothing(tmp_path: Path) -> None:
    suite = suite_of(checked(PROBLEMS), tmp_path)
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (2, 2, 0, 0)
    first, second = list(suite)
    assert (first.name, first.classname) == ("rank-repeated: sample 'x'", "out/a.json")
    assert first.result[0].message == "sample 'x': rank 1 twice\\x1b[2J\\ufffe; give each once"
    assert second.result[0].type == "not-json"
    assert [one.text for one in suite._elem.iter("system-out")] == ["warning: odd <note> & more [note]"]
    assert {one.name: one.value for one in suite.properties()}["problems"] == "3"


def test_a_file_without_errors_is_one_case_that_has_passed(tmp_path: Path) -> None:
    suite = suite_of(checked(PROBLEMS[1:2]), tmp_path)
    assert (suite.tests, suite.failures) == (1, 0)
    assert [(one.name, one.is_passed) for one in suite] == [("accepted", True)]


def test_a_folder_of_this_machine_does_not_leave_it(tmp_path: Path) -> None:
    assert str(tmp_path) not in checked(PROBLEMS, tmp_path / "a.json")


@pytest.mark.parametrize(("wrong", "failures"), [(2, 0), (40, 1)])
def test_a_gate_is_one_case_and_its_figures_are_equal(
    make_report: MakeReport, tmp_path: Path, wrong: int, failures: int
) -> None:
    first, second = make_report("old", wrong=2), make_report("new", wrong=wrong)
    found = compare(first, second)
    suite = suite_of(junit.of_gate(first, second, found, gate(found, "p@1")), tmp_path)
    assert (suite.tests, suite.failures) == (1, failures)
    told = {one.name: one.value for one in suite.properties()}
    assert told["signature.a"] == str(first.signature)
    for one in found:
        for what in ("a", "b", "difference", "low", "high", "p", "p_adjusted", "detectable"):
            wanted = float(getattr(one.tested, what))
            got = float(str(told[f"{one.tested.name}.{what}"]))
            assert got == wanted or (math.isnan(got) and math.isnan(wanted))


def test_the_document_has_the_elements_and_attributes_of_the_schema(make_report: MakeReport) -> None:
    """The part of `junit-10.xsd` that is written: children in its order, attributes that it names."""
    found = compare(first := make_report("old"), second := make_report("new", wrong=9))
    attributes = {
        "testsuites": {"name", "tests", "failures", "errors"},
        "testsuite": {"name", "tests", "failures", "errors", "skipped"},
        "properties": set(),
        "property": {"name", "value"},
        "testcase": {"name", "classname"},
        "failure": {"type", "message"},
        "system-out": set(),
    }
    for text in (checked(PROBLEMS), junit.of_gate(first, second, found, gate(found, "p@1"))):
        root = ET.fromstring(text)
        assert root.tag == "testsuites"
        assert [one.tag for one in root] == ["testsuite"]
        order = [one.tag for one in root[0]]
        assert order == sorted(order, key=["properties", "testcase", "system-out"].index)
        for one in root.iter():
            assert set(one.keys()) == attributes[one.tag]
