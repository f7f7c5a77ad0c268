"""Rules and checks that the result files of both tracks share: one object per dialogue id (sections 6.1 and 8.1)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from duologue.challenges.mobilecs.formats.issues import Issues, is_raw, open_rows, row_id
from duologue.challenges.mobilecs.schema.ontology import SPEAKERS
from duologue.core import disk
from duologue.core.decoded import shown
from duologue.core.errors import FormatError
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from duologue.core.protocols import TaskInfo
    from duologue.core.records import Scoring, Signature, Submission

    Texts = Mapping[str, list[str]]
    """Texts of each dialogue by its id, as far as a result must match them."""

Read = TypeVar("Read")

RULES = {
    **disk.TEXT_RULES,
    "byte-order-mark": "the text starts without a byte order mark (a warning; the official programs refuse it)",
    "not-json": "the text is JSON",
    "not-a-list": "the file holds one JSON list",
    "no-dialogues": "the list is not empty (a warning)",
    "item-not-object": "each item of the list is an object",
    "raw-file": "the file holds answers, not raw dialogues",
    "dialog-id-missing": "each item has an `id`",
    "dialog-id-type": "an `id` is a text that is not empty",
    "dialog-id-repeated": "no two items have the same `id`",
    "dialog-unknown": "each `id` occurs in the data",
    "dialog-missing": "each dialogue of the data that has turns is answered",
}
"""Rules for the result files of both tracks by id."""

_UNREADABLE = frozenset({*disk.TEXT_RULES, "not-json"})
"""Rules without which a file has no rows."""
_UNUSABLE = _UNREADABLE | {"not-a-list"}
"""Rules without which a file has no answers, not even partial ones."""
_ANSWERS = frozenset({"entities", "triples"})
"""Keys of track 1 answers, beside which raw turns do no harm."""


def is_unreadable(submission: Submission) -> bool:
    """Tell whether a file has no rows: it is damaged, not UTF-8 or not JSON."""
    return any(problem.rule in _UNREADABLE for problem in submission.problems)


def unreadable_officially(submission: Submission) -> tuple[Problem, ...]:
    """Return why Python's `json.load` refuses the file, such as a byte order mark; empty if it does not."""
    found = [one for one in submission.problems if one.rule in _UNREADABLE or one.rule == "byte-order-mark"]
    return tuple(Problem(rule=one.rule, place=one.place, message=one.message, advice=one.advice) for one in found)


def expect_usable(submission: Submission, problems: tuple[Problem, ...], how: Scoring) -> None:
    """Raise `FormatError` for a file with errors; with `how.partial` only if it has no answers at all."""
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors and (not how.partial or any(problem.rule in _UNUSABLE for problem in errors)):
        raise FormatError(submission.path, problems)


def signature_of(info: TaskInfo, how: Scoring, submission: Submission, gold: Any, n: int) -> Signature:
    """Return the signature of a report; `gold` is decoded, so that its hash does not depend on the file's layout."""
    from duologue.metrics import reports  # numpy only where it is needed

    try:
        encoded = msgspec.json.encode(gold)
    except (ValueError, OverflowError, TypeError):  # a lone surrogate, an integer of thousands of digits
        encoded = json.dumps(gold, ensure_ascii=True).encode("ascii")
    chosen = [f"{name}={how.options.get(name, values[0])}" for name, values in sorted(info.options.items())]
    options = (*chosen, f"samples {how.samples}")
    return reports.signature_of(info, how, submission, disk.sha256(encoded), n, options=options)


def examine(
    submission: Submission,
    known: Texts | None,
    keys: str,
    read: Callable[[dict[str, Any], list[str] | None, Issues], Read],
) -> tuple[tuple[Problem, ...], dict[str, Read]]:
    """Return all problems of a result file, and the parsed row of each dialogue.

    `read` parses a row, given the texts of its dialogue, if known, and the collector of problems; `keys` names the
    expected keys in a message. Rows that share an id are left out. Without `known`, ids are not compared to the data.
    """
    if is_unreadable(submission):
        return submission.problems, {}
    issues = Issues(submission.problems)
    rows = open_rows(submission.rows, issues)
    if submission.rows == []:
        issues.warn("no-dialogues", "", "the list is empty, so no dialogue is answered")
    found: dict[str, Read] = {}
    seen: dict[str, int] = {}
    for number, row in enumerate(rows):
        if isinstance(row, dict):
            issues.enter(number, row.get("id"))
            name = _name(row, number, known, seen, found, issues)
            if is_raw(row) and not row.keys() & _ANSWERS:
                advice = "give the result file, as `duologue run` writes it"
                issues.add("raw-file", "/content", f"the turns have '{SPEAKERS[0]}': raw data, and no answers", advice)
                continue
            part = read(row, known.get(name) if known is not None and name is not None else None, issues)
            if name is not None:
                found[name] = part
        else:
            issues.enter(number, None)
            issues.add("item-not-object", "", f"found {shown(row)}, expected an object with {keys}")
    for name, texts in (known or {}).items():
        if name not in seen and texts:  # there is nothing to answer in a dialogue without turns
            issues.place = f"dialogue {shown(name)}"
            issues.add("dialog-missing", "", "the file has no answer to this dialogue")
    return issues.problems, found


def _name(
    row: dict[str, Any],
    number: int,
    known: Texts | None,
    seen: dict[str, int],
    found: dict[str, Read],
    issues: Issues,
) -> str | None:
    """Return the id of a row if it is valid, and drop an earlier row of the same id."""
    name = row_id(row, issues)
    if name is None:
        return None
    if name in seen:
        issues.add("dialog-id-repeated", "/id", f"the item at /{seen[name]} has the same id", "keep one of them")
        found.pop(name, None)  # which of the two is meant is not ours to say
        return None
    seen[name] = number
    if known is not None and name not in known:
        issues.add("dialog-unknown", "/id", "the data has no such dialogue", "is this the result of another file?")
    return name
