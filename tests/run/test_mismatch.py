from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import tomli_w

from duologue.core.disk import Source, write_text
from duologue.core.errors import FormatError
from duologue.core.lines import sha256
from duologue.core.plugins import load_task
from duologue.core.records import Annotation, Answer, Example, Problem, Sample, Scoring, Turn
from duologue.core.result_note import provenance_path
from duologue.run import evaluate
from duologue.run.folder import score_folder
from duologue.run.mismatch import OTHER_TASK, expect_own_truth, folded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.protocols import Task

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


def problem(rule: str, **more: Any) -> Problem:
    return Problem(rule=rule, message=more.pop("message", "m"), **more)


@pytest.mark.parametrize(("times", "samples", "told"), [(3, 3, 3), (4, 39, 1), (4, 40, 4), (5, 40, 1)])
def test_many_that_do_not_match_are_told_as_one_and_few_one_by_one(times: int, samples: int, told: int) -> None:
    problems = [problem("id-missing", place=str(number)) for number in range(times)]
    found = folded([*problems, problem("odd")], samples)
    assert len(found) == told + 1
    assert sum(one.stands_for for one in found) == times + 1
    assert found[-1].rule == "odd"
    if told == 1:
        assert found[0].message == f"m, and so it is with {times - 1} more; {samples} samples are in the truth"
        assert found[0].advice == "is this the truth of another test set, or is the result cut off?"
        assert found[0].place == "0"


def test_samples_without_a_true_answer_are_one_cause_whatever_their_number() -> None:
    problems = [problem("truth-unknown", advice="give it", stands_for=500) for _ in range(4)]
    (found,) = folded(problems, 100_000)
    assert found.stands_for == 2000
    assert found.message == "m, and so it is with 1,999 more; 100,000 samples are in the truth"
    assert found.advice.startswith("is this the file that is answered, without its answers")
    assert found.advice.endswith("? give it")
    assert folded(problems[:0], 5) == ()


def test_errors_and_warnings_of_a_rule_and_other_rules_are_kept_apart() -> None:
    kinds = [("id-missing", "error"), ("id-missing", "warning"), ("id-extra", "error"), ("turn-unknown", "error")]
    problems = [problem(rule, severity=severity) for _ in range(4) for rule, severity in kinds]
    assert [(one.rule, one.severity, one.stands_for) for one in folded(problems, 10)] == [(*kind, 4) for kind in kinds]
    assert len(folded([problem("id-strange")] * 9, 10)) == 9


def fits(task: Task, here: Sequence[str], there: Sequence[str], path: Path) -> str:
    """Return what is said of a result of some ids against a truth of others; nothing where they fit."""
    made = [Example(sample=Sample(id=one, dialogue_id=one)) for one in there]
    answered = [Example(sample=Sample(id=one, dialogue_id=one)) for one in here]
    task.write(answered, [(one, Answer(ranking=("a", "b"))) for one in here], path)
    try:
        expect_own_truth(task, made, task.read(path), path)
    except FormatError as error:
        return error.problems[0].message
    return ""


def test_a_truth_is_that_of_something_else_where_a_tenth_of_the_ids_or_less_is_common(tmp_path: Path) -> None:
    task = load_task("restaurant")
    here = [f"a{number:02}" for number in range(20)]
    for common, said in (
        (3, ""),
        (2, "only 2 of the 20 ids of the result are among the 20 of the truth, such as 'a02' here and 'b02' there"),
        (1, "only 1 of the 20 ids of the result is among the 20 of the truth, such as 'a01' here and 'b01' there"),
        (0, "none of the 20 ids of the result is among the 20 of the truth, such as 'a00' here and 'b00' there"),
    ):
        there = here[:common] + [f"b{number:02}" for number in range(common, 20)]
        found = fits(task, here, there, tmp_path / "r.json")
        assert found.partition(":")[0] == said
    inside = fits(task, here[:1], here[:1] + [f"b{number}" for number in range(99)], tmp_path / "r.json")
    assert inside == ""  # the only id that there is fits


def test_numbered_ids_that_go_on_beyond_the_truth_are_those_of_a_larger_test_set(tmp_path: Path) -> None:
    task = load_task("restaurant")
    for more, said in ((3, ""), (4, "4 of the 14 ids of the result are not among the 10 of the truth, such as '10'")):
        found = fits(task, [str(n) for n in range(10 + more)], [str(n) for n in range(10)], tmp_path / "r.json")
        assert found.partition(":")[0] == said
    assert fits(task, ["x", *map(str, range(14))], [*map(str, range(10))], tmp_path / "r.json") == ""


@pytest.mark.parametrize(
    ("common", "told"), [(1, "only 1 of the 20 ids of the result is "), (2, "only 2 of the 20 ids of the result are ")]
)
def test_how_many_ids_are_common_is_told(tmp_path: Path, common: int, told: str) -> None:
    task = load_task("restaurant")
    submission = task.read(written("restaurant", truth(0, 20), tmp_path / "r.json"))
    with pytest.raises(FormatError, match=told):
        expect_own_truth(task, truth(20 - common, 20), submission, tmp_path / "r.json")
    expect_own_truth(task, truth(17, 20), submission, tmp_path / "r.json")
