"""Detects results made for another task or truth, and says so in one message instead of one per sample."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from duologue.core.disk import Source
from duologue.core.errors import FormatError
from duologue.core.lines import sha256
from duologue.core.records import Problem
from duologue.run.notes import has_note, note_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from duologue.core.protocols import Task
    from duologue.core.records import Example, Submission

RULE, OTHER_TASK = "wrong-truth", "result-of-another-task"
_FEW = 0.1
"""Share of ids in common below which a truth is taken for that of something else."""
_MANY = 3
"""So many problems of a kind are told one by one, where samples are missing."""
_POSITION = re.compile(r"[0-9]+(?:#[0-9]+)?")
"""An id that says where a sample stands, so that those of another file are much the same."""
_UNMATCHED = {
    f"{what}-{how}" for what in ("id", "dialog", "dialogue", "turn", "reply") for how in ("missing", "unknown", "extra")
}
"""Rules by which checks say that a sample is in one of the two files only."""
_TRUTH_UNKNOWN = frozenset({"truth-unknown", "reference-missing"})
"""Rules by which checks say that a sample has no true answer."""


def expect_own_truth(
    task: Task,
    examples: Sequence[Example],
    submission: Submission,
    result: Path,
    *,
    test_set: str = "",
    note: Mapping[str, Any] | None = None,
) -> None:
    """Raise `FormatError` with one problem where hardly an id of a result is in the truth; nothing where ids fit.

    Results whose rows have no ids are told by their number of lines alone, which their check says. `test_set` is that
    of the truth, `note` what `duologue run` wrote beside the result.
    """
    if task.info.ordered or not examples:
        return
    here = set(task.answers(submission, ()))
    there = {example.sample.id for example in examples}
    common = here & there
    strange = here - there
    where = f"the {len(there):,} of the truth{f' ({test_set})' if test_set else ''}"
    if not here or len(common) > _FEW * min(len(here), len(there)):
        if len(strange) > _MANY and all(map(_POSITION.fullmatch, here | there)):
            message = (
                f"{len(strange):,} of the {len(here):,} ids of the result are not among {where}, such as "
                f"{_some(strange)}: this looks like the truth of another, smaller test set"
            )
            raise FormatError(
                result, [Problem(rule=RULE, message=message, advice=_advice(task, result, test_set, note))]
            )
        return
    share = "none" if not common else f"only {len(common):,}"
    message = (
        f"{share} of the {len(here):,} ids of the result {'is' if len(common) < 2 else 'are'} among {where}, such as "
        f"{_some(strange)} here and {_some(there - here)} there: this looks like the truth of another test set"
    )
    problem = Problem(rule=RULE, message=message, advice=_advice(task, result, test_set, note))
    raise FormatError(result, [problem])


def expect_own_task(task: Task, result: Path, *, strict: bool) -> tuple[Problem, ...]:
    """Raise `FormatError` where the note of a result says that it answers another task's data.

    An official program scores what it is given: where not `strict` that is a warning, which is returned.
    """
    if not has_note(result):
        return ()
    note = note_of(result, sha256(Source(result))).note
    named = note.get("task") if note else None
    if not isinstance(named, str) or named == task.info.name:
        return ()
    problem = Problem(
        rule=OTHER_TASK,
        severity="error" if strict else "warning",
        message=f"`duologue run` made this result for task '{named}', not for '{task.info.name}'",
        advice=f"name {named} as the task, or give a result of {task.info.name}",
    )
    if strict:
        raise FormatError(result, [problem])
    return (problem,)


def folded(problems: Sequence[Problem], samples: int) -> tuple[Problem, ...]:
    """Return problems with those of one cause as one: samples without a true answer, and many that do not match.

    The one stands for the others, so that their number stays. `samples` is how many there are in the truth; up to
    a tenth of them, and up to three, unmatched ones are told one by one, since then they are no matter of the file.
    """
    times = Counter[tuple[str, str]]()
    for one in problems:
        times[one.rule, one.severity] += one.stands_for
    told: dict[tuple[str, str], Problem] = {}
    kept: list[Problem] = []
    for one in problems:
        kind = one.rule, one.severity
        if times[kind] <= _MANY or not _is_one_cause(one.rule, times[kind], samples):
            kept.append(one)
        elif kind not in told:
            told[kind] = _standing_for(one, times[kind], samples)
            kept.append(told[kind])
    return tuple(kept)


def _is_one_cause(rule: str, times: int, samples: int) -> bool:
    return rule in _TRUTH_UNKNOWN or (rule in _UNMATCHED and times > _FEW * samples)


def _standing_for(first: Problem, times: int, samples: int) -> Problem:
    """Return the problem that stands for so many of its kind, with what has most likely brought them about."""
    more = f"{first.message}, and so it is with {times - 1:,} more; {samples:,} samples are in the truth"
    if first.rule in _TRUTH_UNKNOWN:
        advice = f"is this the file that is answered, without its answers, in place of the truth? {first.advice}"
    else:  # the first one's own advice, such as a name alike, is of no use to the others
        advice = "is this the truth of another test set, or is the result cut off?"
    return msgspec.structs.replace(first, message=more, advice=advice.rstrip(), stands_for=times)


def _advice(task: Task, result: Path, test_set: str, note: Mapping[str, Any] | None) -> str:
    named = task.test_set(result)
    if named and named != test_set:
        return f"by its name the result is that of {named}; give its truth with --gold"
    if note and note.get("input"):
        return f"the result answers {note['input']}; give the truth of that file with --gold"
    return "give the truth of the file that was answered with --gold"


def _some(ids: Collection[str]) -> str:
    return f"'{min(ids)}'" if ids else "none"
