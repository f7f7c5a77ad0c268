"""Scores a track 2 result file: intents, Success, BLEU and combined, officially or strictly.

Variant `official` scores the rows as they are, with every quirk of the official program (specification, section 8).
Variant `strict` scores the answers of a checked file (section 15). Both count per turn; dialogues stand alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.formats.track2 import TURN_MARK, place_of
from duologue.challenges.mobilecs.schema.task_infos import DIALOGUE
from duologue.challenges.mobilecs.scoring import results
from duologue.challenges.mobilecs.scoring.dialogue import checker, official, strict
from duologue.challenges.mobilecs.scoring.official_errors import OfficialError
from duologue.core.errors import FormatError, TruthError
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import TaskInfo
    from duologue.core.records import Answer, Example, Report, Scoring, Submission
    from duologue.metrics.counts import Metric

RANK_BY = "combined"
"""The sum by which the challenge ranks automatically."""

Rows = list[tuple[str, str, dict[str, float]]]
"""Sample id, dialogue id and counts of each turn."""


def metrics(variant: str) -> tuple[Metric[Mapping[str, float]], ...]:
    """Return the formulas of a variant. Raises `UsageError` for an unknown one."""
    from duologue.challenges.mobilecs.scoring.dialogue.metrics import formulas

    DIALOGUE.expect_variant(variant)
    return formulas(variant)


def score(info: TaskInfo, examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
    """Score a result file against dialogues whose replies, intents and goals are known.

    Without examples, the result file must contain the gold fields itself, as a whole submission does. Raises
    `FormatError` if the official program ends with an error, and in variant `strict` for a file with errors unless
    `how.partial`, which counts turns without a usable answer as empty.
    """
    formulas = metrics(how.variant)
    from duologue.metrics.counts import tally
    from duologue.metrics.reports import report_of

    if not examples and how.variant == "strict":
        examples = checker.own_truth(submission)
    rows, problems = (_official if how.variant == "official" else _strict)(examples, submission, how)
    ids, dialogues, turns = (list(part) for part in zip(*rows, strict=True)) if rows else ([], [], [])
    counts = tally(formulas, ids, turns, groups=dialogues or None)
    golds = checker.gold_dialogues(examples)
    signature = results.signature_of(info, how, submission, golds, len(rows))
    return report_of(counts, formulas, signature, rank_by=RANK_BY, problems=problems)


def _official(examples: Sequence[Example], submission: Submission, how: Scoring) -> tuple[Rows, tuple[Problem, ...]]:  # noqa: ARG001  # as _strict
    refused = results.unreadable_officially(submission)
    if refused:
        raise FormatError(submission.path, refused)
    try:
        dialogues = checker.merged(examples, submission.rows)
        scored = official.score(dialogues)
    except OfficialError as error:
        raise FormatError(submission.path, [error.problem()]) from error
    problems = checker.division_problems(scored)
    if problems:
        raise FormatError(submission.path, problems)
    rows: Rows = []
    taken: dict[str, int] = {}
    for dialogue, found in zip(dialogues, scored, strict=True):
        name = checker.name_of(dialogue)
        taken[name] = taken.get(name, 0) + 1
        name = f"{name}~{taken[name]}" if taken[name] > 1 else name
        turns = found.turns or ([{}] if found.requested else [])  # also a dialogue without turns can have requests
        if not turns:
            continue
        turns[0] |= {
            "success dialogues": float(bool(found.requested)),
            "success fulfilled": float(bool(found.requested) and found.fulfilled),
        }
        rows += [(f"{name}{TURN_MARK}{number}", name, turn) for number, turn in enumerate(turns)]
    return rows, checker.check(submission, examples or None, "strict")


def _strict(examples: Sequence[Example], submission: Submission, how: Scoring) -> tuple[Rows, tuple[Problem, ...]]:
    truth = truth_problems(examples)
    if truth:
        raise TruthError(truth)
    checked = checker.examine(submission, examples)
    results.expect_usable(submission, checked.problems, how)
    counted: dict[str, dict[str, float]] = {}
    for name, row in checker.gold_dialogues(examples).items():
        ids = [f"{name}{TURN_MARK}{number}" for number in range(len(row["content"]))]
        answers: list[Answer | None] = [checked.answers.get(one) for one in ids]
        counted.update(zip(ids, strict.count(row, answers), strict=True))
    rows = [(one.sample.id, one.sample.dialogue_id, counted[one.sample.id]) for one in examples]
    return rows, (*checked.problems, *_empty_score_warnings(counted))


def _empty_score_warnings(counted: Mapping[str, Mapping[str, float]]) -> list[Problem]:
    """Return a warning for each score that is 0 because there is nothing to count, or nothing to be right about."""
    columns = {
        "user-intent-f1": ("user-intent said", "user-intent wanted"),
        "system-intent-f1": ("system-intent said", "system-intent wanted"),
        "success": ("success dialogues",),
        "bleu": ("bleu length",),
    }
    found = []
    for name, parts in columns.items():
        held = [any(one.get(part, 0) for one in counted.values()) for part in parts]
        message = f"{name} is 0 / 0, shown as 0" if not any(held) else ""
        if not message and not held[-1]:
            message = f"{name} is 0 whatever is said: the truth holds no intents"
        if message:
            found.append(Problem(rule="nothing-counted", severity="warning", message=message))
    return found


def truth_problems(examples: Sequence[Example]) -> list[Problem]:
    """Return why the examples cannot serve as gold: there are none, an id is repeated, a reply is unknown."""
    if not examples:
        return [Problem(rule="truth-empty", message="there is no turn to score against")]
    found, seen = [], set[str]()
    for example in examples:
        place = f"turn '{example.sample.id}'"
        if example.sample.id in seen:
            found.append(Problem(rule="turn-repeated", place=place, message="the turn occurs twice"))
        seen.add(example.sample.id)
        if not example.references or place_of(example.sample.id) is None:
            advice = "give the dialogues with `客服`, the intents and `goal`"
            message = "what the staff said is not known"
            found.append(Problem(rule="truth-unknown", place=place, message=message, advice=advice))
    return found
