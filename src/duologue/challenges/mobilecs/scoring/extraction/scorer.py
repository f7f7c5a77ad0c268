"""Scores a track 1 result file: mention F1, triple F1 and their mean, officially or strictly.

Variant `official` scores the rows as they are, with every quirk of the official program (specification, section 6).
Variant `strict` scores the usable answers of a checked file (section 15). Both count per dialogue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.task_infos import EXTRACTION
from duologue.challenges.mobilecs.scoring import results
from duologue.challenges.mobilecs.scoring.extraction import checker, official, strict
from duologue.challenges.mobilecs.scoring.official_errors import OfficialError
from duologue.core.decoded import made_whole
from duologue.core.errors import FormatError, TruthError
from duologue.core.gc_pause import gc_paused
from duologue.core.records import Annotation, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import TaskInfo
    from duologue.core.records import Example, Report, Scoring, Submission
    from duologue.metrics.counts import Metric

RANK_BY = "ranking"
"""The mean of both F1 values, by which the challenge ranks."""


def metrics(variant: str) -> tuple[Metric[Any], ...]:
    """Return the formulas of a variant. Raises `UsageError` for an unknown one."""
    from duologue.metrics.formulas import Weighted
    from duologue.metrics.overlap import overlap_metrics

    EXTRACTION.expect_variant(variant)
    source = f"SereTOD 2022 track 1 scorer{'' if variant == 'official' else ', repaired (docs/challenges/mobilecs.md)'}"
    epsilon = official.EPSILON if variant == "official" else 0.0

    entity, triple = (
        overlap_metrics(what, prefix=f"{what}-", hits="right", nothing=0.0, epsilon=epsilon, source=source)
        for what in ("entity", "triple")
    )
    both = Weighted(
        RANK_BY, ((0.5, entity[-1]), (0.5, triple[-1])), "ranking = (entity-f1 + triple-f1) / 2", source=source
    )
    return (both, entity[-1], triple[-1], *entity[:-1], *triple[:-1])


def score(info: TaskInfo, examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
    """Score a result file against annotated dialogues.

    Raises `FormatError` if the official program ends with an error, and in variant `strict` for a file with errors
    unless `how.partial`, which counts missing and wrong parts as such.
    """
    with gc_paused():
        return _score(info, examples, submission, how)


def _score(info: TaskInfo, examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
    from duologue.metrics.counts import tally
    from duologue.metrics.reports import report_of

    formulas = metrics(how.variant)
    counted, problems, meta = (_official if how.variant == "official" else _strict)(examples, submission, how)
    names = list(counted)
    counts = tally(formulas, names, list(counted.values()), groups=names)
    gold = [[one.sample.id, one.source] for one in examples]
    signature = results.signature_of(info, how, submission, gold, len(counted))
    return report_of(counts, formulas, signature, rank_by=RANK_BY, problems=problems, meta=meta)


ScoredDialogues = tuple["dict[str, dict[str, float]]", "tuple[Problem, ...]", "dict[str, object]"]
"""Counts by dialogue, problems, and `meta` of the report."""


def _official(examples: Sequence[Example], submission: Submission, how: Scoring) -> ScoredDialogues:  # noqa: ARG001  # as _strict
    refused = results.unreadable_officially(submission)
    if refused:
        raise FormatError(submission.path, refused)
    try:
        outcome = official.score(checker.gold_rows(examples), submission.rows)
    except OfficialError as error:
        raise FormatError(submission.path, [error.problem()]) from error
    if not outcome.documents:
        raise TruthError([_NO_TRUTH])
    return outcome.documents, (), {"assignment": [_encodable(one) for one in outcome.assignment]}


def _encodable(assigned: tuple[Any, list[tuple[str, str]]]) -> tuple[Any, list[tuple[str, str]]]:
    """Return an assignment with ids that can be written as UTF-8."""
    name, pairs = assigned
    return made_whole(name) if isinstance(name, str) else name, [
        (made_whole(predicted), gold) for predicted, gold in pairs
    ]


_NO_TRUTH = Problem(
    rule="truth-empty", message="there is no dialogue to score against", advice="give annotated dialogues with --gold"
)


def _strict(examples: Sequence[Example], submission: Submission, how: Scoring) -> ScoredDialogues:
    truth = truth_problems(examples)
    if truth:
        raise TruthError(truth)
    checked = checker.examine(submission, examples)
    results.expect_usable(submission, checked.problems, how)
    counted, ties = {}, []
    for example in examples:
        predicted = checked.documents.get(example.sample.id, checker.DialogueExtraction())
        counted[example.sample.id], tie = strict.count(predicted, checker.of_annotation(_annotation(example)))
        if tie:
            ties.append(example.sample.id)
    return counted, (*checked.problems, *_warnings(counted, ties)), {"ties": ties}


def _annotation(example: Example) -> Annotation:
    found = example.references[0].annotation if example.references else None
    return found if found is not None else Annotation()


def _warnings(counted: Mapping[str, Mapping[str, float]], ties: list[str]) -> list[Problem]:
    """Return warnings about ties that matter and about scores that are 0 because there is nothing to count."""
    found = []
    if ties:
        message = f"in {len(ties)} dialogues equally good assignments of entities give different triple scores"
        found.append(Problem(rule="ties", severity="warning", message=message, place=f"first dialogue '{ties[0]}'"))
    for what in ("entity", "triple"):
        if not any(one[f"{what} said"] or one[f"{what} wanted"] for one in counted.values()):
            message = f"nothing is said and nothing wanted: {what}-f1 is 0 / 0, shown as 0"
            found.append(Problem(rule="nothing-counted", severity="warning", message=message))
    return found


def truth_problems(examples: Sequence[Example]) -> list[Problem]:
    """Return why the examples cannot serve as gold: there are none, an id is repeated, an annotation is missing."""
    if not examples:
        return [_NO_TRUTH]
    found, seen = [], set()
    for example in examples:
        place = f"dialogue '{example.sample.id}'"
        if example.sample.id in seen:
            found.append(Problem(rule="dialog-id-repeated", place=place, message="the dialogue occurs twice"))
        seen.add(example.sample.id)
        if not example.references:
            message = "it has no annotation, so the true mentions and values are not known"
            found.append(Problem(rule="truth-unknown", place=place, message=message, advice="give annotated dialogues"))
    return found
