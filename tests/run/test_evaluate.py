from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.core.errors import FormatError, UsageError
from duologue.core.protocols import Brief
from duologue.core.records import Answer, Report, Scoring
from duologue.run import evaluate

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Example

STRICT = Scoring(variant="strict")


def task_with(**changed: Any) -> Any:
    brief = Brief(
        name="toy",
        version="1",
        language="en",
        answers="text",
        options={"average": ("sample", "corpus"), "vectors": ()},
        samples=("all", "knowledge"),
        slices=("domain",),
    )
    return type("Toy", (), {"brief": msgspec.structs.replace(brief, **changed)})()


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
    empty = Report(task="restaurant", variant="strict", n=0, scores=(), rank_by="", signature="")
    monkeypatch.setattr(type(contest.task), "score", lambda *arguments: empty)
    with pytest.raises(UsageError, match="give the truth with --gold"):
        evaluate.score(contest.task, [], result, STRICT)


def test_several_truth_files_give_several_references(contest: Any) -> None:
    twice = evaluate.gather(contest.task, [contest.gold, contest.gold])
    assert len(twice) == 40
    assert twice[0].references == (Answer(ranking=("a",)), Answer(ranking=("a",)))


def test_a_task_may_gather_its_truth_in_its_own_way(contest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[Path]] = []

    def gather(self: object, paths: list[Path]) -> list[Example]:
        asked.append(paths)
        return []

    monkeypatch.setattr(type(contest.task), "gather", gather, raising=False)
    assert evaluate.gather(contest.task, [contest.gold, contest.data]) == []
    assert asked == [[contest.gold, contest.data]]
    assert len(evaluate.gather(contest.task, [contest.gold])) == 40
