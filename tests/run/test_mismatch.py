from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import tomli_w

from duologue.core.disk import Source, write_text
from duologue.core.errors import FormatError
from duologue.core.lines import sha256
from duologue.core.plugins import load_task
from duologue.core.records import Annotation, Answer, Example, Sample, Scoring, Turn
from duologue.run import evaluate
from duologue.run.folder import score_folder
from duologue.run.mismatch import OTHER_TASK, expect_own_truth
from duologue.run.notes import provenance_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.protocols import Task
    from duologue.core.records import Problem

FACTS = {"restaurant": Answer(ranking=("a", "b")), "spoken": Answer(text="好的")}


def truth(start: int, n: int = 60) -> list[Example]:
    return [
        Example(sample=Sample(id=f"d{number}#1", dialogue_id=f"d{number}"), references=(Answer(ranking=("a",)),))
        for number in range(start, start + n)
    ]


def written(name: str, examples: Sequence[Example], path: Path) -> Path:
    load_task(name).write(examples, [(one.sample.id, FACTS[name]) for one in examples], path)
    return path


@pytest.mark.parametrize("name", ["restaurant", "spoken"])
def test_a_result_of_another_test_set_is_told_in_one_message(tmp_path: Path, name: str) -> None:
    task = load_task(name)
    submission = task.read(written(name, truth(0), tmp_path / "r.json"))
    with pytest.raises(FormatError) as refused:
        expect_own_truth(
            task, truth(100), submission, tmp_path / "r.json", test_set="tst2", note={"input": "tst1.json"}
        )
    (problem,) = refused.value.problems
    assert problem.rule == "wrong-truth"
    assert (
        "none of the 60 ids of the result is among the 60 of the truth (tst2), such as 'd0#1' here" in problem.message
    )
    assert "answers tst1.json" in problem.advice


@pytest.mark.parametrize("start", [0, 30])
def test_a_result_of_which_a_part_fits_is_judged_sample_by_sample(tmp_path: Path, start: int) -> None:
    task = load_task("restaurant")
    submission = task.read(written("restaurant", truth(0), tmp_path / "r.json"))
    expect_own_truth(task, truth(start), submission, tmp_path / "r.json")


@pytest.mark.parametrize("partial", [False, True])
def test_a_wrong_truth_is_never_scored_not_even_in_part(tmp_path: Path, partial: bool) -> None:  # noqa: FBT001  # a test's parameter
    task = load_task("restaurant")
    tst1 = tmp_path / "dialog-task1API-kb1_atmosphere-distr0.5-tst60.answers.json"
    result = written("restaurant", truth(0), tst1)
    gold = written("restaurant", truth(100), tmp_path / "dialog-task1API-kb2_atmosphere-distr0.5-tst60.answers.json")
    with pytest.raises(FormatError) as refused:
        evaluate.score(task, [gold], result, Scoring(variant="strict", partial=partial))
    (problem,) = refused.value.problems
    assert "(tst2 task 1)" in problem.message
    assert "by its name the result is that of tst1 task 1" in problem.advice
    report = evaluate.score(task, [gold], result, Scoring(variant="official"))
    assert report.scores[0].value == 0


def test_replies_of_another_number_are_told_in_one_message_too(tmp_path: Path) -> None:
    task = load_task("conversation")
    gold, result = tmp_path / "gold.txt", tmp_path / "result.txt"
    gold.write_text("".join(f"U: a {number}\nS: b {number}\n\n" for number in range(50)), "utf-8")
    result.write_text("hello\n" * 5, "utf-8")
    with pytest.raises(FormatError) as refused:
        evaluate.score(task, [gold], result, Scoring(variant="strict"))
    (problem,) = refused.value.problems
    assert problem.message == "the file has 5 replies, the data 50 samples"
    assert "another" in problem.advice


KINDS = {
    "restaurant": (Answer(ranking=("a", "b")), "d{}"),
    "conversation": (Answer(text="all right"), "{}"),
    "spoken": (Answer(text="好的"), "{}#1"),
    "proactive": (Answer(text="好 的"), "{}#1"),
    "mobilecs/dialogue": (Answer(text="好的"), "d{}#0"),
    "mobilecs/extraction": (Answer(annotation=Annotation()), "d{}"),
}


def made(name: str, n: int, *, answered: bool = True) -> list[Example]:
    answer, form = KINDS[name]
    ids = [form.format(number) for number in range(1, n + 1)]
    heard = (Turn(speaker="user", text="你好"),)
    return [
        Example(
            sample=Sample(id=one, dialogue_id=one.partition("#")[0], history=heard),
            references=(answer,) if answered else (),
        )
        for one in ids
    ]


def write_rankings(task: Task, path: Path) -> None:
    examples = made("restaurant", 60)
    task.write(examples, [(one.sample.id, Answer(ranking=("a", "b"))) for one in examples], path)


def refusal(name: str, result: int, truth: list[Example], path: Path) -> Sequence[Problem]:
    task = load_task(name)
    answered = made(name, result)
    task.write(answered, [(one.sample.id, KINDS[name][0]) for one in answered], path)
    gold = evaluate.Truth(truth, {"gold": [], "input": []}, "a set")
    try:
        return evaluate.score_against(task, gold, path, Scoring(variant="strict")).problems
    except FormatError as error:
        return error.problems


@pytest.mark.parametrize("name", KINDS)
def test_a_truth_without_answers_is_told_in_one_message(name: str, tmp_path: Path) -> None:
    (problem,) = refusal(name, 30, made(name, 30, answered=False), tmp_path / "result.json")
    assert "answers" in problem.advice


@pytest.mark.parametrize("size", [12, 60])
@pytest.mark.parametrize("name", KINDS)
def test_a_truth_of_another_size_is_told_in_one_message_for_each_kind(name: str, size: int, tmp_path: Path) -> None:
    problems = refusal(name, 30, made(name, size), tmp_path / "result.json")
    rules = [problem.rule for problem in problems if problem.severity == "error" or problem.stands_for > 1]
    assert rules
    assert len(rules) == len(set(rules)) <= 3
    assert any("another" in f"{problem.message} {problem.advice}" for problem in problems)


def test_few_samples_that_do_not_match_are_told_one_by_one(tmp_path: Path) -> None:
    problems = refusal("restaurant", 57, made("restaurant", 60), tmp_path / "result.json")
    assert [problem.place for problem in problems] == [f"dialogue 'd{number}'" for number in (58, 59, 60)]


def test_a_result_that_was_made_for_another_task_is_refused(tmp_path: Path) -> None:
    task = load_task("restaurant")
    gold, result = tmp_path / "gold.json", tmp_path / "results" / "result.json"
    for path in (gold, result):
        write_rankings(task, path)
    note = {"task": "spoken", "system": "grounded", "input_hash": "", "result_hash": sha256(Source(result))}
    write_text(provenance_path(result), tomli_w.dumps(note))
    with pytest.raises(FormatError) as refused:
        evaluate.score(task, [gold], result, Scoring(variant="strict"))
    (problem,) = refused.value.problems
    assert problem.rule == OTHER_TASK
    assert problem.message == "`duologue run` made this result for task 'spoken', not for 'restaurant'"
    (refusal,) = score_folder(task, [gold], result.parent, Scoring(variant="strict")).refused
    assert "for task 'spoken'" in refusal.first
    report = evaluate.score(task, [gold], result, Scoring(variant="official"))
    assert any("for task 'spoken'" in line for line in evaluate.doubts_in([report]))


def test_a_result_of_the_task_itself_is_scored(tmp_path: Path) -> None:
    task = load_task("restaurant")
    gold, result = tmp_path / "gold.json", tmp_path / "result.json"
    for path in (gold, result):
        write_rankings(task, path)
    note = {"task": "restaurant", "system": "mine", "input_hash": "", "result_hash": sha256(Source(result))}
    write_text(provenance_path(result), tomli_w.dumps(note))
    report = evaluate.score(task, [gold], result, Scoring(variant="strict"))
    assert report.system == "mine"
    assert not any(problem.rule == OTHER_TASK for problem in report.problems)
