"""Checks and scores one entry, in a child process: the functions of `duologue check`, `score` and `compare`.

What the team may read and what only the organiser may read leave here apart: the problems of the check speak of the
file and the data that the team has; whatever a scorer says beside that may speak of the truth.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.arena.competition.kept_score import kept_score
from duologue.arena.competition.score_shapes import KeptDifference
from duologue.core.errors import DuologueError, FormatError, NoSpaceError, TruthError
from duologue.core.optional_protocols import Grounded
from duologue.core.plugins import load_task
from duologue.core.problems import capped, total
from duologue.core.records import Problem, Record
from duologue.core.typed import convert
from duologue.report.comparison import compare, rank_value
from duologue.report.serialize import comparisons_to_json, json_number
from duologue.run import evaluate
from duologue.run.saved import formulas_of, read_report, save_report
from duologue.run.whole import WholeTruth, is_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.arena.competition.score_shapes import EntrySummary
    from duologue.core.protocols import Task
    from duologue.core.records import Example, Report, Scoring

_MAX_PROBLEMS = 200
"""Problems of an entry that are kept; the others are counted."""
_RULE = "not-scored"


class EntryOrder(Record, frozen=True, kw_only=True):
    """What is to be scored, against what and how."""

    task: str
    how: dict[str, Any]
    """The track's `Scoring`."""
    file: str
    """What the team handed in."""
    gold: tuple[str, ...]
    input: tuple[str, ...] = ()
    kb: str = ""
    team: str
    test_set: str
    former: str = ""
    """The saved report of the team's former entry in the phase; empty where there is none."""
    report: str
    """Where the report goes."""


def score_entry(payload: dict[str, Any]) -> dict[str, Any]:
    """Return what became of an entry: `state` with `reason` and `problems`, and its scores where it has some."""
    order = convert(payload, EntryOrder)
    task = load_task(order.task)
    how = convert(order.how, _scoring_type())
    strict = msgspec.structs.replace(how, variant=task.info.variants[0])
    golds, file = [Path(one) for one in order.gold], Path(order.file)
    warnings: tuple[Problem, ...] = ()
    if not is_whole([file, *golds]):
        problems = _problems(task, file, golds, [Path(one) for one in order.input], order.kb, strict.variant)
        if any(one.severity == "error" for one in problems):
            return _refused(problems, file)
        warnings = problems
    try:
        report = _score(task, order, strict)
        if how.variant != strict.variant:
            report = _score(task, order, how)
    except FormatError as error:
        if isinstance(error, TruthError) or not is_whole([file, *golds]):
            return _not_scored(error, file)
        return _refused(_without_truth(error.problems), file)
    except NoSpaceError:  # no fault of the file
        raise
    except DuologueError as error:
        return _not_scored(error, file)
    value = rank_value(report)
    if value is None or not math.isfinite(value):
        message = f"{report.rank_by}, which ranks, has no value for this file"
        advice = "does the file hold an answer to every sample?"
        return _refused([Problem(rule="no-rank-value", message=message, advice=advice)], file)
    save_report(report, Path(order.report))
    return {
        "state": "scored",
        "reason": "",
        "details": "",
        "value": value,
        "problems": [msgspec.to_builtins(one) for one in capped(warnings, _MAX_PROBLEMS)],
        "problem_count": total(warnings),
        "summary": _summary(report, _difference(report, order.former)),
    }


def _scoring_type() -> type[Scoring]:
    from duologue.core.records import Scoring

    return Scoring


def _problems(
    task: Task, file: Path, golds: Sequence[Path], inputs: Sequence[Path], kb: str, variant: str
) -> tuple[Problem, ...]:
    """Return what `duologue check` says of a file, held against the data; the truth lends its samples, no answer."""
    world = task.world(Path(kb)) if kb and isinstance(task, Grounded) else None
    if len(inputs) == 1:
        return evaluate.check(task, file, inputs[0], variant, world)[1]
    submission = task.read(file)
    return task.check(submission, _without_answers(task.load_files(inputs or golds)), variant)


def _without_answers(examples: Iterable[Example]) -> list[Example]:
    return [msgspec.structs.replace(one, references=()) for one in examples]


def _score(task: Task, order: EntryOrder, how: Scoring) -> Report:
    golds, inputs = [Path(one) for one in order.gold], [Path(one) for one in order.input]
    if is_whole([Path(order.file), *golds]):
        report = WholeTruth.of(task, golds).score(Path(order.file), how).total
    else:
        truth = evaluate.Truth.of(task, golds, inputs[0] if len(inputs) == 1 else None)
        report = evaluate.score_against(task, truth, Path(order.file), how)
    return msgspec.structs.replace(report, system=order.team, meta={**report.meta, "test_set": order.test_set})


def _refused(problems: Sequence[Problem], file: Path) -> dict[str, Any]:
    told = [_plain(one, file) for one in capped(problems, _MAX_PROBLEMS)]
    errors = sum(one.stands_for for one in problems if one.severity == "error")
    reason = f"the check found {errors:,} error{'s' * (errors != 1)}; the first: {told[0]['message']}"
    return {
        "state": "refused",
        "reason": reason,
        "details": "",
        "problems": told,
        "problem_count": total(problems),
        "value": None,
        "summary": None,
    }


def _plain(problem: Problem, file: Path) -> dict[str, Any]:
    """Return a problem without the paths of this machine."""
    told: dict[str, Any] = msgspec.to_builtins(problem)
    folder = str(file.parent)
    return {name: value.replace(f"{folder}/", "") if isinstance(value, str) else value for name, value in told.items()}


def _without_truth(problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems of a whole submission with what the check says of its files, and no word of a scorer."""
    return [
        one
        if not one.rule.startswith(("truth-", "reference-"))
        else Problem(rule=_RULE, place=one.place, message="the scorer refused it", advice="ask the organiser")
        for one in problems
    ]


def _not_scored(error: DuologueError, file: Path) -> dict[str, Any]:
    """Return that a file which passed the check could not be scored; why is for the organiser alone."""
    return {
        "state": "failed",
        "reason": "the file passed the check and could not be scored; the organiser is told why",
        "details": str(error).replace(f"{file.parent}/", ""),
        "problems": [],
        "problem_count": 0,
        "value": None,
        "summary": None,
    }


def _summary(report: Report, difference: list[KeptDifference]) -> EntrySummary:
    """Return what a team may see of a report: scores and slices, not which of the items were right."""
    ranking = next(score for score in report.scores if score.name == report.rank_by)
    return {
        "n": report.n,
        "variant": report.variant,
        "rank_by": report.rank_by,
        "higher_is_better": ranking.higher_is_better,
        "signature": str(report.signature),
        "caution": report.caution,
        "scores": [kept_score(score) for score in report.scores],
        "slices": [
            {
                "by": part.by,
                "value": part.value,
                "n": part.n,
                "scores": {score.name: json_number(score.value) for score in part.scores},
            }
            for part in report.slices
        ],
        "difference": difference,
    }


def _difference(report: Report, former: str) -> list[KeptDifference]:
    """Return the paired tests of an entry (A) against the team's former one (B); none where there is none."""
    if not former:
        return []
    before = read_report(Path(former))
    try:
        found = compare(report, before, metrics=formulas_of(report))
    except DuologueError:  # scores that no test can be made of
        return []
    kept = (
        "score",
        "value_a",
        "value_b",
        "difference",
        "low",
        "high",
        "p_adjusted",
        "better",
        "wins",
        "losses",
    )
    rows = comparisons_to_json(found)["comparisons"]
    told = [
        {name: row.get(name) for name in kept} | {"percent": one.percent} for row, one in zip(rows, found, strict=True)
    ]
    return convert(told, list[KeptDifference])
