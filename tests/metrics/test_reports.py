from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from duologue.core.errors import FormatError, UsageError
from duologue.core.protocols import Task, TaskInfo
from duologue.core.records import Answer, Example, Problem, Sample, Scoring, Signature, Submission
from duologue.metrics.counts import Counts
from duologue.metrics.formulas import Average, Ratio
from duologue.metrics.reports import (
    AnsweredExample,
    report_of,
    rows_by,
    score_by_metrics,
    signature_of,
    slice_of,
    slices_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from duologue.core.records import Report

INFO = TaskInfo(name="toy", version="3", language="en", answers="text", slices=("length",))
HITS = Ratio("hits", "hit", "items")
KINDS = Ratio("kinds", "new", "items", additive=False)
COUNTS = Counts(
    tuple("abcdef"),
    ("items", "hit", "new"),
    np.array([[1.0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1], [0, 0, 0]]),
    tuple("abcdef"),
)
SIGNED = Signature(task="toy", variant="strict", version="v3", n=5)


def test_a_signature_has_the_hashes_and_options_of_what_counted() -> None:
    made = signature_of(
        INFO,
        Scoring(variant="strict"),
        Submission(rows=[], layout="toy", hash="77"),
        "99",
        4,
        options=["x=1"],
        hashes={"judge": "5"},
    )
    assert (made.task, made.variant, made.version, made.n, made.options) == ("toy", "strict", "v1", 4, ("x=1",))
    assert made.hashes == {"judge": "5", "gold": "99", "pred": "77"}
    assert (
        signature_of(INFO, Scoring(variant="x"), Submission(rows=[], layout="toy"), "9", 1, unit="line").hashes["pred"]
        == "none"
    )


def test_a_report_holds_scores_slices_and_counts() -> None:
    cuts = {"kind": ["u", "u", "v", "v", None, None]}
    found = report_of(
        COUNTS,
        [HITS, KINDS],
        SIGNED,
        rank_by="hits",
        slices=slices_of(COUNTS, [HITS, KINDS], SIGNED, cuts),
        problems=[Problem(rule="r", message="m")],
        transcript=["line"],
        ends={"kinds": (0.25, 0.5)},
    )
    assert (found.task, found.variant, found.n, found.rank_by) == ("toy", "strict", 5, "hits")
    assert found.signature.formulas == ("hits = hit / items", "kinds = new / items")
    assert found.signature.dialogues == 6
    hits, kinds = found.scores
    assert (hits.value, kinds.value) == (0.6, 0.6)
    assert hits.low is not None
    assert hits.high is not None
    assert hits.low < 0.6 < hits.high
    assert (kinds.low, kinds.high) == (0.25, 0.6)  # never beside its value
    assert [(one.by, one.value, one.n, one.scores[0].value) for one in found.slices] == [
        ("kind", "u", 2, 0.5),
        ("kind", "v", 2, 1.0),
    ]
    assert [len(one.scores) for one in found.slices] == [1, 1]  # additive ones alone
    assert found.slices[0].scores[0].signature.part == "kind u"
    assert found.items == COUNTS.rows()
    assert (found.groups, found.transcript, len(found.problems)) == (COUNTS.groups, ("line",), 1)


def test_values_known_otherwise_need_no_counts_and_nothing_has_no_interval() -> None:
    lost = Ratio("lost", "not counted", "items", additive=False)
    found = report_of(COUNTS, [lost, HITS], SIGNED, rank_by="hits", values={"lost": 0.125})
    assert [(one.value, one.low) for one in found.scores[:1]] == [(0.125, None)]
    empty = COUNTS.take([5])
    for undefined in (math.nan, 0.0):
        (score,) = report_of(
            empty, [HITS], SIGNED, rank_by="hits", undefined=undefined, ends={"hits": (0.0, 1.0)}
        ).scores
        assert score.value == undefined or (math.isnan(score.value) and math.isnan(undefined))
        assert (score.low, score.high) == (None, None)


def test_items_without_any_count_are_not_in_the_number_of_a_slice() -> None:
    assert slice_of(COUNTS, [HITS], SIGNED, "kind", "v", [3, 4, 5]).n == 2
    assert rows_by(["b", None, "a", "b"]) == {"a": [2], "b": [0, 3]}


class Toy(Task):
    info = INFO

    def load(self, path: Path) -> Iterator[Example]:
        raise NotImplementedError

    def read(self, path: Path) -> Submission:
        raise NotImplementedError

    def write(self, examples: Sequence[Example], answers: Iterable[tuple[str, Answer]], path: Path) -> None:
        raise NotImplementedError

    def answers(self, submission: Submission, examples: Sequence[Example]) -> Mapping[str, Answer]:
        return {name: Answer(text=text) for name, text in (submission.rows or {}).items()}

    def check(self, submission: Submission, examples: Sequence[Example] | None, variant: str) -> tuple[Problem, ...]:
        missing = [one.sample.id for one in examples or () if one.sample.id not in (submission.rows or {})]
        return tuple(Problem(rule="missing", message=name) for name in missing)

    def score(self, examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
        return score_by_metrics(self, examples, submission, how, {"length": lambda one: str(len(wanted(one)))})

    def metrics(self, how: Scoring) -> Sequence[Average]:
        def same(seen: AnsweredExample) -> float:
            return seen.answer.text == wanted(seen.example)

        return [Average("same", "same = equal answers / items", of=same)]


def wanted(one: Example) -> str:
    return one.references[0].text or ""


EXAMPLES = [
    Example(sample=Sample(id=f"s{n}", dialogue_id=f"d{n // 2}"), references=(Answer(text="a" * (1 + n % 3)),))
    for n in range(12)
]
GIVEN = {one.sample.id: wanted(one) if number % 3 else "b" for number, one in enumerate(EXAMPLES)}


def test_metrics_alone_give_intervals_over_dialogues_and_slices() -> None:
    found = Toy().score(EXAMPLES, Submission(rows=GIVEN, layout="toy", hash="1"), Scoring(variant="strict"))
    (same,) = found.scores
    assert same.value == 8 / 12
    assert same.low is not None
    assert (found.rank_by, found.n, found.signature.dialogues, found.signature.version) == ("same", 12, 6, "v3")
    assert [(one.by, one.value, one.scores[0].value) for one in found.slices] == [
        ("length", "1", 0.0),
        ("length", "2", 1.0),
        ("length", "3", 1.0),
    ]
    other = [*EXAMPLES[:-1], Example(sample=EXAMPLES[-1].sample, references=(Answer(text="other"),))]
    again = Toy().score(other, Submission(rows=GIVEN, layout="toy", hash="1"), Scoring(variant="strict"))
    assert again.signature.hashes["gold"] != found.signature.hashes["gold"]


def test_what_cannot_be_scored_is_refused_and_what_is_missing_counts_as_wrong() -> None:
    toy, less = Toy(), Submission(rows={"s1": "aa"}, layout="toy", path="x")
    with pytest.raises(FormatError, match="s0"):
        toy.score(EXAMPLES, less, Scoring(variant="strict"))
    assert toy.score(EXAMPLES, less, Scoring(variant="strict", partial=True)).scores[0].value == 1 / 12
    with pytest.raises(FormatError, match="x"):
        toy.score(EXAMPLES, Submission(rows=None, layout="toy", path="x"), Scoring(variant="strict", partial=True))
    with pytest.raises(FormatError, match="no sample to score against"):
        toy.score([], less, Scoring(variant="strict"))
    with pytest.raises(UsageError, match="toy cannot be cut by 'lenght'; did you mean 'length'"):
        toy.score(EXAMPLES, less, Scoring(variant="strict", by=("lenght",)))
    with pytest.raises(UsageError, match="no variant 'odd'"):
        toy.score(EXAMPLES, less, Scoring(variant="odd"))
