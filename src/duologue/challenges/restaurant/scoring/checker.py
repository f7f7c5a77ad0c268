"""Checker of result files: all violations of the strict or the official rules (specification, 2.3 and 10).

Variant `official` accepts exactly what `check_validity.py` accepts. Variant `strict` also looks at ranks,
uniqueness and completeness, and at the ids where the data is given.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import chain
from typing import TYPE_CHECKING, Any

from duologue.challenges.restaurant.formats.data_rules import NOT_A_LIST, id_problems, place_of, placed
from duologue.challenges.restaurant.schema.task_info import INFO
from duologue.challenges.restaurant.scoring import official
from duologue.core import disk, problems
from duologue.core.decoded import shown
from duologue.core.records import Answer, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duologue.core.records import Example, Submission

RULES = {
    **disk.TEXT_RULES,
    "byte-order-mark": "the text starts without a byte order mark (a warning; the official programs refuse it)",
    "not-json": "the text is JSON",
    "foreign-file": "a very large file holds dialogues",
    "not-a-list": "the file holds one JSON list",
    "no-dialogues": "the list is not empty (a warning)",
    "item-not-object": "each item of the list is an object",
    "dialog-id-missing": "each item has a `dialog_id`, not null",
    "dialog-id-type": "a `dialog_id` is a text that is not empty",
    "dialog-id-repeated": "no two items have the same `dialog_id`",
    "dialog-unknown": "each `dialog_id` occurs in the data",
    "dialog-missing": "each dialogue of the data is answered",
    "list-missing": "each item has a `lst_candidate_id`, not null",
    "list-type": "a `lst_candidate_id` is a list",
    "list-empty": "a `lst_candidate_id` is not empty",
    "candidate-not-object": "each entry of `lst_candidate_id` is an object",
    "candidate-id-missing": "each entry has a `candidate_id`, not null",
    "candidate-id-type": "a `candidate_id` is a text that is not empty",
    "candidate-id-repeated": "no two entries of a dialogue have the same `candidate_id`",
    "candidate-unknown": "each `candidate_id` is a candidate of its dialogue",
    "candidate-missing": "each candidate of a dialogue is ranked",
    "rank-missing": "each entry has a `rank`, not null",
    "rank-type": "a `rank` is an integer: no text, no fraction, no boolean, no NaN",
    "rank-range": "a `rank` lies between 1 and the number of candidates",
    "rank-repeated": "no two entries of a dialogue have the same `rank`",
    "official-refusal": "`check_validity.py` reads the file without an error of its own",
    problems.RULE: problems.RULE_SAYS,
}
"""Ids of the rules for result files, and what each demands."""

_SUGGESTIONS = 5
"""Number of unknown ids that get a suggestion; each costs a comparison with all known ids."""

UNREADABLE = frozenset({*disk.TEXT_RULES, "not-json", "foreign-file"})
"""Rules whose violation leaves no rows to check."""

UNUSABLE = UNREADABLE | {"not-a-list"}
"""Rules whose violation leaves no usable answers."""

_OFFICIAL_RULES = {
    NOT_A_LIST: "not-a-list",
    official.NO_DIALOG_ID: "dialog-id-missing",
    official.NO_LIST: "list-missing",
    official.NO_RANK: "rank-missing",
    official.NO_ID: "candidate-id-missing",
}


def check(submission: Submission, examples: Sequence[Example] | None, variant: str) -> tuple[Problem, ...]:
    """Return all problems of a result file, warnings included; of more than 1,000 the others are counted.

    `examples` is the data (or the truth: then only the dialogues are compared, their candidates are not known);
    the official check never looks at it. Raises `UsageError` for an unknown variant.
    """
    INFO.expect_variant(variant)
    if variant == "official":
        return _official(submission)
    return examine(submission, examples).problems


@dataclass(frozen=True, slots=True)
class CheckedRankings:
    """Result of the strict check: problems and usable answers."""

    problems: tuple[Problem, ...]
    answers: Mapping[str, Answer] = field(default_factory=dict)
    """Dialogue id to the ranking made from its item; items with an error of their own are left out."""


def examine(submission: Submission, examples: Sequence[Example] | None) -> CheckedRankings:
    """Return all problems under the strict rules, and the answers that can be used all the same."""
    if any(problem.rule in UNREADABLE for problem in submission.problems):
        return CheckedRankings(submission.problems)
    rows = submission.rows
    if not isinstance(rows, list):
        message = f"the file holds {shown(rows)}, expected a list of dialogues"
        return CheckedRankings((*submission.problems, Problem(rule="not-a-list", message=message)))
    examiner = _StrictChecker(examples)
    found = problems.capped(chain(submission.problems, examiner.problems(rows)))
    return CheckedRankings(found, examiner.answers)


def _official(submission: Submission) -> tuple[Problem, ...]:
    bytes_refused = official_refusal(submission)
    if bytes_refused:
        return bytes_refused
    outcome = official.check_rows(submission.rows)
    if outcome.exit_code == 0:
        return ()
    if outcome.stdout:
        line = outcome.stdout[-1]
        return (Problem(rule=_OFFICIAL_RULES[line], message=line, advice="see all problems with variant strict"),)
    return (
        Problem(
            rule="official-refusal",
            message=f"the official program ends with an uncaught error: {outcome.error}",
            advice="see all problems with variant strict",
        ),
    )


def official_refusal(submission: Submission) -> tuple[Problem, ...]:
    """Return why the official programs cannot even decode the file; empty when they can."""
    mark = [problem for problem in submission.problems if problem.rule == "byte-order-mark"]
    if mark:
        advice = "save it as UTF-8 without BOM"
        message = "the official programs refuse a byte order mark"
        return (Problem(rule="byte-order-mark", place="byte 0", message=message, advice=advice),)
    # Rows that are there although a rule is broken were decoded as Python 2 does (lone surrogates).
    if submission.rows is None:
        return tuple(problem for problem in submission.problems if problem.rule in UNREADABLE)
    return ()


class _StrictChecker:
    """Checks a result file item by item; keeps the ids seen so far and the usable answers."""

    def __init__(self, examples: Sequence[Example] | None) -> None:
        self.answers: dict[str, Answer] = {}
        self._known: dict[str, tuple[str, ...]] | None = None
        if examples is not None:
            self._known = {one.sample.id: tuple(c.id for c in one.sample.candidates) for one in examples}
        self._seen: dict[str, int] = {}
        self._suggestions = _SUGGESTIONS

    def problems(self, rows: list[Any]) -> Iterator[Problem]:
        """Yield the problems of all items, then the dialogues that were not answered."""
        if not rows:
            message = "the list is empty, so no dialogue is answered"
            yield Problem(rule="no-dialogues", severity="warning", message=message)
        for number, row in enumerate(rows, start=1):
            yield from self.check_item(row, number)
        for name in self._known or {}:
            if name not in self._seen:
                message = "the file has no answer to this dialogue"
                yield Problem(rule="dialog-missing", place=f"dialogue {shown(name)}", message=message)

    def check_item(self, row: Any, number: int) -> list[Problem]:
        """Return the problems of one item and keep its answer when it has none."""
        place = place_of(row, number)
        if not isinstance(row, dict):
            message = f"found {shown(row)}, expected an object with dialog_id and lst_candidate_id"
            return [Problem(rule="item-not-object", place=place, message=message)]
        found = [placed(problem, place) for problem in id_problems(row, "dialog_id", "dialog-id")]
        name = row.get("dialog_id")
        candidates: tuple[str, ...] = ()
        usable = not found
        if isinstance(name, str) and name:
            found += self._identity(name, number, place)
            candidates = (self._known or {}).get(name, ())
        own = [placed(problem, place) for problem in ranked_problems(row, len(candidates))]
        if usable and not own and isinstance(name, str):
            ranked = sorted(row["lst_candidate_id"], key=lambda entry: entry["rank"])
            ids = tuple(entry["candidate_id"] for entry in ranked)
            if self._seen[name] == number:
                self.answers[name] = Answer(ranking=ids)
            own += [placed(problem, place) for problem in self._membership(ids, candidates)]
        return found + own

    def _identity(self, name: str, number: int, place: str) -> Iterator[Problem]:
        if name in self._seen:
            self.answers.pop(name, None)  # which of the two is meant is not ours to say
            message = f"item {number} answers the same dialogue as item {self._seen[name]}"
            yield Problem(rule="dialog-id-repeated", place=place, message=message, advice="keep one of them")
            return
        self._seen[name] = number
        if self._known is not None and name not in self._known:
            message = "the data has no such dialogue"
            advice = self._near(name, self._known) or "is this the result of another file?"
            yield Problem(rule="dialog-unknown", place=place, message=message, advice=advice)

    def _membership(self, ids: tuple[str, ...], candidates: tuple[str, ...]) -> Iterator[Problem]:
        if not candidates:
            return
        known, given = set(candidates), set(ids)
        absent = [name for name in candidates if name not in given]
        for name in ids:
            if name not in known:
                message = f"candidate {shown(name)} does not belong to this dialogue"
                yield Problem(rule="candidate-unknown", message=message, advice=self._near(name, absent))
        if len(ids) < len(candidates):
            names = ", ".join(shown(name) for name in absent[:3]) + (", ..." if len(absent) > 3 else "")
            message = f"{len(ids)} of {len(candidates)} candidates are ranked; missing: {names}"
            yield Problem(rule="candidate-missing", message=message)

    def _near(self, word: str, known: Iterable[str]) -> str:
        if self._suggestions <= 0:
            return ""
        self._suggestions -= 1
        close = get_close_matches(word, list(known), n=1, cutoff=0.8)
        return f"did you mean {shown(close[0])}?" if close else ""


def ranked_problems(row: dict[str, Any], candidates: int) -> list[Problem]:
    """Return what is wrong with the `lst_candidate_id` of one item.

    `candidates` is how many the dialogue has, 0 where that is not known.
    """
    ranked = row.get("lst_candidate_id")
    if ranked is None:
        return [Problem(rule="list-missing", message="there is no 'lst_candidate_id'")]
    if not isinstance(ranked, list):
        return [Problem(rule="list-type", message=f"'lst_candidate_id' is {shown(ranked)}, expected a list")]
    if not ranked:
        return [Problem(rule="list-empty", message="'lst_candidate_id' is empty; rank all candidates")]
    found: list[Problem] = []
    most = max(len(ranked), candidates)
    ids: dict[str, int] = {}
    ranks: dict[int, int] = {}
    for number, entry in enumerate(ranked, start=1):
        problems = _entry_problems(entry, number, most, ids, ranks)
        found += [placed(problem, f"candidate {number}") for problem in problems]
    return found


def _entry_problems(
    entry: Any, number: int, most: int, ids: dict[str, int], ranks: dict[int, int]
) -> Iterator[Problem]:
    if not isinstance(entry, dict):
        message = f"found {shown(entry)}, expected an object with candidate_id and rank"
        yield Problem(rule="candidate-not-object", message=message)
        return
    yield from id_problems(entry, "candidate_id", "candidate-id")
    name = entry.get("candidate_id")
    if isinstance(name, str) and name:
        if name in ids:
            message = f"id {shown(name)} is already that of candidate {ids[name]}"
            yield Problem(rule="candidate-id-repeated", message=message)
        ids.setdefault(name, number)
    rank = entry.get("rank")
    if rank is None:
        yield Problem(rule="rank-missing", message="there is no 'rank'")
    elif not isinstance(rank, int) or isinstance(rank, bool):
        advice = "write it without quotes" if isinstance(rank, str) and rank.strip().isdecimal() else ""
        message = f"rank is {shown(rank)}, expected an integer from 1 to {most}"
        yield Problem(rule="rank-type", message=message, advice=advice)
    elif not 1 <= rank <= most:
        message = f"rank is {shown(rank)}, expected an integer from 1 to {most}"
        yield Problem(rule="rank-range", message=message)
    elif rank in ranks:
        message = f"rank {rank} is already that of candidate {ranks[rank]}; ranks must be 1 to {most}, each once"
        yield Problem(rule="rank-repeated", message=message)
    else:
        ranks[rank] = number
