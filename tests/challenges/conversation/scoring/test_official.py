from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.conversation.formats.files import read_submission
from duologue.challenges.conversation.scoring.official import hypotheses_in, references_in, transcript
from duologue.core.errors import FormatError
from duologue.core.records import Scoring

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.challenges.conversation.task import ConversationTask
    from duologue.core.records import Report

    Write = Callable[..., Path]

GENERATIONS = {"official": "nltk_2017", "official-nltk-current": "nltk_3.10"}


def run(task: ConversationTask, path: Path, variant: str) -> tuple[tuple[str, ...], Report | None]:
    try:
        report = task.score([], task.read(path), Scoring(variant=variant))
    except FormatError as error:
        return error.transcript, None
    return report.transcript, report


def expect(lines: tuple[str, ...], stdout: str, folder: Path) -> None:
    assert "".join(f"{line}\n" for line in lines).replace(f"{folder}/", "") == stdout


@pytest.mark.parametrize("variant", GENERATIONS)
@pytest.mark.parametrize("case", ["v1", "v2", "v3", "v4"])
def test_printed_lines_and_values_are_those_of_the_program(
    task: ConversationTask, golden: Path, variant: str, case: str
) -> None:
    expected = json.loads((golden / "expected.json").read_text())[case]
    lines, report = run(task, golden / f"{case}.txt", variant)
    expect(lines, expected[f"stdout_{GENERATIONS[variant]}"], golden)
    values = expected[f"values_{GENERATIONS[variant]}"]
    assert (report is None) == ("bleu1" not in values)
    if report is not None:
        found = {one.name.replace("-", ""): one.value for one in report.scores if one.name.startswith("bleu")}
        assert found == pytest.approx({name: values[name] for name in found}, rel=1e-12, abs=1e-300)
        assert report.n == values["n_refs"]


@pytest.mark.parametrize("variant", GENERATIONS)
@pytest.mark.real_data(twin="test_printed_lines_and_values_are_those_of_the_program")
def test_the_official_example_of_500_replies_is_equal(task: ConversationTask, real_data: Path, variant: str) -> None:
    folder = real_data / "conversation" / "golden" / "scoring"
    expected = json.loads((folder / "expected.json").read_text())["system_output_example"]
    lines, report = run(task, folder / "system_output_example.txt", variant)
    expect(lines, expected[f"stdout_{GENERATIONS[variant]}"], folder)
    assert report is not None
    assert report.n == 500


def test_lines_count_by_their_very_start_and_lose_every_marker(write: Write) -> None:
    text = "U: S_HYP: no\n S_HYP: no\nS_HYP:a S_HYP:b\nS_REF:\u00a0c S_HYP: d\ns_hyp: no\n"
    submission = read_submission(write(text))
    assert list(hypotheses_in(submission)) == ["a b"]
    assert [one.split() for one in references_in(submission)] == [["c", "S_HYP:", "d"]]


def test_a_first_line_behind_a_byte_order_mark_has_no_marker(write: Write) -> None:
    submission = read_submission(write("\ufeffS_REF: a\nS_REF: b\nS_HYP: b\n"))
    assert (list(references_in(submission)), list(hypotheses_in(submission))) == ([" b"], [" b"])


def test_a_file_without_markers_prints_the_error(task: ConversationTask, write: Write) -> None:
    path = write("hello\nthere\n")
    lines, report = run(task, path, "official")
    assert report is None
    assert lines == transcript(str(path), 0, 0)
    assert "reeferences" in lines[5]


def test_references_in_files_are_scored_by_the_same_formula(task: ConversationTask, write: Write) -> None:
    gold = list(task.load(write("a b c\nd e f g\n", "gold")))
    output = write("S_REF: a b c\nS_HYP: a b x\n\nS_REF: d e f g\nS_HYP: d e f\n", "output")
    replies = write("a b x\nd e f\n", "replies")
    how = Scoring(variant="official")
    own = task.score([], task.read(output), how)
    assert [one.value for one in task.score(gold, task.read(replies), how).scores] == [one.value for one in own.scores]
    assert [one.value for one in task.score(gold, task.read(output), how).scores] == [one.value for one in own.scores]
