from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from duologue.core.disk import sha256
from duologue.core.errors import FormatError, PlugInError, UsageError
from duologue.core.optional_protocols import Grounded
from duologue.core.plugins import load_task
from duologue.core.protocols import TaskInfo
from duologue.core.records import Answer, Example, Report, Sample, Scoring, Submission, Turn
from duologue.core.result_note import provenance_path
from duologue.report.background import doubts
from duologue.run import evaluate

SPOKEN = Path(__file__).resolve().parents[1] / "golden" / "spoken"
STRICT = Scoring(variant="strict")


def task_with(**changed: Any) -> Any:
    info = TaskInfo(
        name="toy",
        version="1",
        language="en",
        answers="text",
        options={"average": ("sample", "corpus"), "vectors": ()},
        samples=("all", "knowledge"),
        slices=("domain",),
    )
    return type("Toy", (), {"info": msgspec.structs.replace(info, **changed)})()


def test_defaults_are_the_first_of_each() -> None:
    assert evaluate.scoring(task_with()) == Scoring(variant="strict", samples="all")


def test_every_choice_is_kept() -> None:
    how = evaluate.scoring(
        task_with(),
        "official",
        options=["average=corpus", "vectors=a=b.txt"],
        samples="knowledge",
        by=["domain"],
        partial=True,
    )
    assert how.options == {"average": "corpus", "vectors": "a=b.txt"}
    assert (how.variant, how.samples, how.by, how.partial) == ("official", "knowledge", ("domain",), True)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"variant": "strickt"}, "did you mean 'strict'"),
        ({"options": ["average"]}, "expected name=value"),
        ({"options": ["avarage=corpus"]}, "did you mean 'average'"),
        ({"options": ["average=corpse"]}, "did you mean 'corpus'"),
        ({"samples": "knowlege"}, "did you mean 'knowledge'"),
        ({"by": ["domian"]}, "did you mean 'domain'"),
    ],
)
def test_an_unknown_choice_is_refused_with_a_near_miss(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        evaluate.scoring(task_with(), **asked)


def test_a_task_without_options_or_cuts_says_so() -> None:
    with pytest.raises(UsageError, match="toy has no options"):
        evaluate.scoring(task_with(options={}), options=["a=b"])
    with pytest.raises(UsageError, match="are not cut"):
        evaluate.scoring(task_with(slices=()), by=["domain"])


def test_a_report_says_how_and_from_what_it_was_made(contest: Any) -> None:
    report = evaluate.score(contest.task, [contest.gold], contest.results / "fair.answers.json", STRICT)
    assert report.scores[0].value == 0.5
    assert report.system == "fair"
    assert report.meta["test_set"] == "truth"
    assert report.meta["how"]["variant"] == "strict"
    assert {kind: len(found) for kind, found in report.meta["files"].items()} == {"gold": 1, "pred": 1, "input": 0}
    assert all(len(one["sha256"]) == 64 for kind in ("gold", "pred") for one in report.meta["files"][kind])


def test_the_hash_of_a_result_is_that_of_its_file_where_the_reader_gives_none(contest: Any) -> None:
    result = contest.results / "fair.answers.json"

    def read(path: Path) -> Submission:
        submission: Submission = contest.task.read(path)
        return msgspec.structs.replace(submission, hash="")

    report = evaluate.score_against(
        contest.task, evaluate.Truth.of(contest.task, [contest.gold]), result, STRICT, read=read
    )
    assert report.meta["files"]["pred"][0]["sha256"] == sha256(result.read_bytes())


def test_only_the_cuts_asked_for_are_kept(contest: Any) -> None:
    result = contest.results / "fair.answers.json"
    how = evaluate.scoring(contest.task, by=["answer-type"])
    cut = evaluate.score(contest.task, [contest.gold], result, how, data=contest.data)
    assert [(part.by, part.value, part.n) for part in cut.slices] == [("answer-type", "on-it", 40)]
    other = msgspec.structs.replace(how, by=("mood",))
    assert evaluate.score(contest.task, [contest.gold], result, other, data=contest.data).slices == ()


def test_a_file_without_references_needs_a_truth(contest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    result = contest.results / "fair.answers.json"
    with pytest.raises(FormatError, match="no dialogue to score against"):
        evaluate.score(contest.task, [], result, STRICT)
    empty = Report(task="restaurant", variant="strict", n=0, scores=(), rank_by="")
    monkeypatch.setattr(type(contest.task), "score", lambda *arguments: empty)
    with pytest.raises(UsageError, match="give the truth with --gold"):
        evaluate.score(contest.task, [], result, STRICT)


def test_several_truth_files_give_several_references(contest: Any) -> None:
    twice = contest.task.load_files([contest.gold, contest.gold])
    assert len(twice) == 40
    assert twice[0].references == (Answer(ranking=("a",)), Answer(ranking=("a",)))


def test_a_problem_of_the_truth_is_told_with_the_files_of_it(contest: Any) -> None:
    other = contest.gold.with_name("other.json")
    other.write_text('[{"dialog_id": "none", "lst_candidate_id": []}]', "utf-8")
    with pytest.raises(FormatError) as refused:
        evaluate.score(contest.task, [contest.gold, other], contest.results / "good.answers.json", STRICT)
    assert str(refused.value).startswith(f"the truth {contest.gold}, {other} has 2 problems:")


def test_truth_is_read_by_the_task(contest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[Path]] = []

    def load_files(self: object, paths: list[Path]) -> list[Example]:
        asked.append(paths)
        return []

    monkeypatch.setattr(type(contest.task), "load_files", load_files)
    other = contest.gold.with_name("other.json")
    other.write_text("[]", "utf-8")
    assert evaluate.Truth.of(contest.task, [contest.gold, other], None).examples == []
    assert asked == [[contest.gold, other]]


def test_one_truth_given_twice_is_no_second_reference(contest: Any) -> None:
    packed = contest.gold.with_name("again.json.gz")
    packed.write_bytes(gzip.compress(contest.gold.read_bytes()))
    for again in (contest.gold, packed):
        with pytest.raises(UsageError, match=f"{contest.gold} and {again} are one truth, of the same bytes"):
            evaluate.score(contest.task, [contest.gold, again], contest.results / "good.answers.json", STRICT)


def noted(result: Path, system: str, seen: str) -> None:
    digest = sha256(result.read_bytes())
    text = f'system = "{system}"\nseen = "{seen}"\nresult_hash = "{digest}"\n'
    provenance_path(result).write_text(text, encoding="utf-8")


def test_a_note_speaks_for_the_result_that_it_was_made_with_and_no_other(contest: Any) -> None:
    how, result = Scoring(variant="strict"), contest.results / "fair.answers.json"
    noted(result, "solver", "rules")
    report = evaluate.score(contest.task, [contest.gold], result, how)
    assert (report.system, report.seen, report.problems) == ("solver", "rules", ())
    shutil.copy(contest.results / "poor.answers.json", result)
    report = evaluate.score(contest.task, [contest.gold], result, how)
    assert (report.system, report.seen) == ("fair", "")
    assert [problem.rule for problem in report.problems] == ["note-of-another-result"]


def test_the_truth_is_not_scored_against_itself(contest: Any, tmp_path: Path) -> None:
    how, link, hard = Scoring(variant="strict"), tmp_path / "link.json", tmp_path / "hard.json"
    link.symlink_to(contest.gold)
    hard.hardlink_to(contest.gold)
    for same in (contest.gold, link, hard):
        with pytest.raises(UsageError, match="the truth itself"):
            evaluate.score(contest.task, [contest.gold], same, how)


def test_a_result_with_the_bytes_of_the_truth_is_doubted(contest: Any, tmp_path: Path) -> None:
    how = Scoring(variant="strict")
    for name, data in (
        ("copy.json", contest.gold.read_bytes()),
        ("packed.gz", gzip.compress(contest.gold.read_bytes())),
    ):
        (tmp_path / name).write_bytes(data)
        report = evaluate.score(contest.task, [contest.gold], tmp_path / name, how)
        assert [problem.rule for problem in report.problems] == ["result-equals-truth"]


@pytest.mark.parametrize(
    ("name", "system"),
    [
        ("mine.answers.json.gz", "mine"),
        ("mine.pred.json", "mine"),
        ("mine.jsonl", "mine"),
        ("mine.txt", "mine"),
        ("mine.json.txt", "mine.json"),
        ("mine", "mine"),
        (".json", ".json"),
    ],
)
def test_a_system_without_a_note_is_called_by_its_file(contest: Any, name: str, system: str) -> None:
    result = contest.results / name
    result.write_bytes((contest.results / "fair.answers.json").read_bytes())
    assert evaluate.score(contest.task, [contest.gold], result, STRICT).system == system


def test_what_a_task_of_others_gives_in_place_of_problems_and_reports_is_told(
    contest: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was called a fault of duologue."""
    result = contest.results / "fair.answers.json"
    monkeypatch.setattr(type(contest.task), "score", lambda *_: {"p@1": 1.0})
    with pytest.raises(PlugInError, match=r"scored with an object of type dict; `score` must return a Report$"):
        evaluate.score(contest.task, [contest.gold], result, STRICT)
    for wrong in (None, "bad", ["bad"]):
        monkeypatch.setattr(type(contest.task), "check", lambda *_, wrong=wrong: wrong)
        with pytest.raises(PlugInError, match=r"checked with .*; `check` must return a tuple of Problems$"):
            evaluate.check(contest.task, result, None, "strict")


def test_a_test_set_is_called_as_is_said_else_by_its_truth(contest: Any) -> None:
    result = contest.results / "fair.answers.json"

    def name(golds: list[Path], **more: Any) -> Any:
        return evaluate.score(contest.task, golds, result, STRICT, **more).meta["test_set"]

    other = contest.gold.with_name("other.json")
    other.write_bytes(contest.gold.read_bytes() + b"\n")
    alike = contest.gold.with_name("elsewhere") / contest.gold.name
    alike.parent.mkdir()
    alike.write_bytes(other.read_bytes())
    assert name([contest.gold], test_set="mine") == "mine"
    assert name([contest.gold, alike]) == "truth"
    assert name([contest.gold, other]) == "truth + other"


def test_items_of_the_second_truth_file_alone_are_scored_too(contest: Any) -> None:
    rows = json.loads(contest.gold.read_text("utf-8"))
    first, second = (contest.gold.with_name(f"{part}.json") for part in ("first", "second"))
    first.write_text(json.dumps(rows[:10]), "utf-8")
    second.write_text(json.dumps(rows[10:]), "utf-8")
    report = evaluate.score(contest.task, [first, second], contest.results / "good.answers.json", STRICT)
    assert (report.n, report.scores[0].value) == (40, 1.0)
    assert [name for name, _ in report.items] == [row["dialog_id"] for row in rows]


def test_samples_of_the_data_stand_in_the_truth_where_it_knows_them() -> None:
    def example(name: str, heard: str = "") -> Example:
        history = (Turn(speaker="user", text=heard),) if heard else ()
        return Example(sample=Sample(id=name, dialogue_id=name, history=history), references=(Answer(text=name),))

    joined = evaluate.join([example("b", "hi"), example("c", "no")], [example("a"), example("b")])
    assert [(one.sample.id, len(one.sample.history), one.references[0].text) for one in joined] == [
        ("a", 0, "a"),
        ("b", 1, "b"),
    ]


def test_external_data_of_a_note_are_told(contest: Any) -> None:
    result = contest.results / "fair.answers.json"
    digest = sha256(result.read_bytes())
    for told, found in (('["wiki", "web"]', ("wiki", "web")), ("[]", ()), ('"wiki"', None)):
        text = f'system = "solver"\nexternal = {told}\nresult_hash = "{digest}"\n'
        provenance_path(result).write_text(text, encoding="utf-8")
        assert evaluate.score(contest.task, [contest.gold], result, STRICT).external == found


def test_doubts_are_told_of_what_may_be_no_system(contest: Any) -> None:
    copy = contest.results / "copy.json"
    copy.write_bytes(contest.gold.read_bytes())
    doubted = evaluate.score(contest.task, [contest.gold], copy, STRICT)
    plain = evaluate.score(contest.task, [contest.gold], contest.results / "fair.answers.json", STRICT)
    (line,) = evaluate.doubts_in([plain, doubted])
    assert line.startswith("warning: the result has the very bytes of the truth")
    assert line.endswith("; give the file that a system wrote [result-equals-truth]")
    assert [one.rule for one in doubts(doubted)] == ["result-equals-truth"]  # as boards tell it
    note = f'system = "solver"\nresult_hash = "{sha256(copy.read_bytes())}"\n'
    provenance_path(copy).write_text(note, encoding="utf-8")
    assert not doubts(evaluate.score(contest.task, [contest.gold], copy, STRICT))  # a run that is fully right


def test_what_is_no_choice_is_told_with_one_that_is() -> None:
    with pytest.raises(UsageError, match=r"expected name=value, such as --option average=sample$"):
        evaluate.scoring(task_with(), options=["average"])
    with pytest.raises(UsageError, match=r"such as --option vectors=FILE$"):
        evaluate.scoring(task_with(options={"vectors": ()}), options=["vectors"])


@pytest.mark.parametrize("digest", ["0" * 64, "f" * 64])
def test_a_note_of_another_hash_is_that_of_another_result(contest: Any, digest: str) -> None:
    result = contest.results / "fair.answers.json"
    provenance_path(result).write_text(f'system = "solver"\nresult_hash = "{digest}"\n', encoding="utf-8")
    report = evaluate.score(contest.task, [contest.gold], result, STRICT)
    assert (report.system, [one.rule for one in report.problems]) == ("fair", ["note-of-another-result"])


def test_prompt_and_usage_of_a_note_are_in_the_report(contest: Any) -> None:
    pred = contest.results / "fair.answers.json"
    told = f'prompt = "toy en v1"\nresult_hash = "{sha256(pred.read_bytes())}"\n[usage]\ncalls = 3\nunparsable = 2\n'
    provenance_path(pred).write_text(told, "utf-8")
    report = evaluate.score(contest.task, [contest.gold], pred, STRICT, data=contest.data)
    assert report.meta["usage"] == {"system": {"calls": 3, "unparsable": 2}}
    assert [one.message for one in report.problems if one.rule == "answers-unread"] == [
        "answers of a model that could not be read and count as empty (rankings as by lot): 2"
    ]
    scores = [*report.scores, *(score for part in report.slices for score in part.scores)]
    assert {one.signature.prompts["system"] for one in scores} == {"toy en v1"}
    other = evaluate.score(contest.task, [contest.gold], contest.results / "poor.answers.json", STRICT)
    assert ("usage" in other.meta, other.signature.prompts) == (False, {})


@pytest.mark.parametrize("usage", ["usage = 3", 'usage = ["calls"]', "[usage]"])
def test_a_note_that_tells_no_counts_tells_no_usage(contest: Any, usage: str) -> None:
    pred = contest.results / "fair.answers.json"
    provenance_path(pred).write_text(f'result_hash = "{sha256(pred.read_bytes())}"\n{usage}\n', "utf-8")
    assert "usage" not in evaluate.score(contest.task, [contest.gold], pred, STRICT).meta


def test_a_result_is_held_against_a_knowledge_base_by_a_task_that_can() -> None:
    task = load_task("spoken")
    assert isinstance(task, Grounded)
    world = task.world(SPOKEN / "tiny-kg.json")
    found = {
        known: [one.rule for one in evaluate.check(task, SPOKEN / "small-result.json", None, "strict", known)[1]]
        for known in (None, world)
    }
    assert found == {None: ["message-empty"], world: ["triple-unknown", "triple-unknown", "message-empty"]}
    with pytest.raises(UsageError, match="task 'restaurant' has no files that are held against a knowledge base"):
        evaluate.check(load_task("restaurant"), SPOKEN / "small-result.json", None, "strict", world)


@pytest.mark.parametrize(
    ("told", "track"),
    [('external = ["wiki"]', "task B"), ("external = []", "task A"), ("", None), ("external = 3", None)],
)
def test_the_track_is_that_of_the_external_data_that_are_declared(tmp_path: Path, told: str, track: str | None) -> None:
    pred = tmp_path / "output.txt"
    pred.write_text("S_REF: a b\nS_HYP: a c\n\nS_REF: d\nS_HYP: d\n", encoding="utf-8")
    provenance_path(pred).write_text(f'result_hash = "{sha256(pred.read_bytes())}"\n{told}\n', "utf-8")
    meta = evaluate.score(load_task("conversation"), [], pred, Scoring(variant="coco")).meta
    assert {name: meta[name] for name in meta if name == "track"} == ({} if track is None else {"track": track})
