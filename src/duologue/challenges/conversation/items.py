"""What is scored: replies beside their references, from a result file and, where given, reference files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.challenges.conversation import checker, official
from duologue.challenges.conversation.files import HYPOTHESIS, OUTPUT, REFERENCE, blocks_of
from duologue.core.errors import FormatError, UsageError
from duologue.core.findings import MOST
from duologue.core.records import Answer, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Example, Scoring, Submission


class Items(NamedTuple):
    """Replies and references, sample by sample."""

    ids: list[str]
    replies: list[str]
    references: list[list[str]]
    turns: list[int]
    """Utterances of context per sample; empty where no context is known."""
    problems: tuple[Problem, ...] = ()


class Given(NamedTuple):
    """What a result file holds, by place."""

    replies: list[str | None]
    """`None` where a dialogue has no hypothesis."""
    references: list[list[str]]
    """Those of the file itself; empty lists for a file of replies."""
    turns: list[int]
    """Context lines; nothing for a file of replies."""


def given_in(submission: Submission) -> Given:
    """Return what a result file that can be read holds."""
    if submission.layout != OUTPUT:
        replies: list[str | None] = list(submission.rows)
        return Given(replies, [[] for _ in replies], [])
    found = Given([], [], [])
    for block in blocks_of(submission.rows):
        found.replies.append(next((one.text for one in block if one.mark == HYPOTHESIS), None))
        found.references.append([one.text for one in block if one.mark == REFERENCE])
        found.turns.append(sum(one.mark in ("U:", "S:") for one in block))
    return found


def answers_in(submission: Submission, examples: Sequence[Example]) -> dict[str, Answer]:
    """Return the replies of a result file by sample id, as far as there are any."""
    if submission.rows is None:
        return {}
    replies = dict(enumerate(given_in(submission).replies, start=1))
    places = zip(examples, checker.numbers_of(examples), strict=True)
    found = ((one.sample.id, replies.get(number)) for one, number in places)
    return {name: Answer(text=_joined(text)) for name, text in found if text is not None}


def items_of(examples: Sequence[Example], submission: Submission, how: Scoring) -> Items:
    """Return what a variant scores.

    `official` pairs the lines as its program does; `coco` too, unless a dialogue has several references; `strict`
    takes one reply per sample and refuses a file with errors unless `how.partial`: then a reply that is missing
    is an empty one. Raises `FormatError`, and `UsageError` where there are no references at all.
    """
    if submission.rows is None:
        raise FormatError(submission.path, submission.problems)
    merged = merge(examples)
    if how.variant in official.PROFILES:
        return _official(merged, submission, partial=how.partial)
    if how.variant == "coco" and not merged and submission.layout == OUTPUT:
        pairs = official.read_pairs(submission)
        if checker.counts_differ(len(pairs.references), len(pairs.hypotheses)) is None:
            return _with_words(_in_order(pairs, checker.examine(submission, ())), submission.path)
    lenient = how.partial or how.variant == "coco"
    return _with_words(_strict(merged, submission, lenient=lenient, partial=how.partial), submission.path)


def merge(examples: Sequence[Example]) -> list[Example]:
    """Return the examples with those of one id made one (references of several files), in the order of their ids."""
    found: dict[str, Example] = {}
    for one in examples:
        here = found.setdefault(one.sample.id, one)
        if here is not one:
            joined = (*here.references, *one.references)
            found[one.sample.id] = msgspec.structs.replace(here, references=joined)
    merged = list(found.values())
    places = checker.numbers_of(merged)
    return [one for _, one in sorted(zip(places, merged, strict=True), key=lambda pair: pair[0])]


def _texts(example: Example) -> list[str]:
    return [" ".join((one.text or "").strip().split("\n")) for one in example.references]


def _joined(text: str) -> str:
    return " ".join(text.split())


def _in_order(pairs: official.Pairs, problems: tuple[Problem, ...]) -> Items:
    ids = [str(number) for number in range(1, len(pairs.hypotheses) + 1)]
    references = [[_joined(one)] for one in pairs.references]
    return Items(ids, [_joined(one) for one in pairs.hypotheses], references, [], problems)


def _official(examples: Sequence[Example], submission: Submission, *, partial: bool) -> Items:
    pairs = official.read_pairs(submission)
    replies = pairs.hypotheses
    if examples and submission.layout != OUTPUT:
        refused = [one for one in checker.examine(submission, None) if one.rule in checker.UNREADABLE]
        if refused:
            raise FormatError(submission.path, refused)
        replies = list(submission.rows)
    if examples:
        _demand_references(examples)
        ids, references = [one.sample.id for one in examples], [_texts(one) for one in examples]
        if partial:
            replies = [*replies, *[""] * len(ids)][: len(ids)]
    else:
        ids = [str(number) for number in range(1, len(pairs.references) + 1)]
        references = [[one] for one in pairs.references]
    refused_counts = checker.counts_differ(len(references), len(replies))
    if refused_counts is not None:
        lines = official.transcript(submission.path, len(references), len(replies))
        raise FormatError(submission.path, [refused_counts], transcript=lines)
    return Items(ids, replies, references, [], ())


def _strict(examples: Sequence[Example], submission: Submission, *, lenient: bool, partial: bool) -> Items:
    found = checker.examine(submission, examples)
    errors = [problem for problem in found if problem.severity == "error"]
    unreadable = [problem for problem in errors if problem.rule in checker.UNREADABLE]
    if unreadable or (errors and not lenient):
        raise FormatError(submission.path, found)
    if not examples and submission.layout != OUTPUT:
        raise UsageError(f"{submission.path} holds replies alone; give the references with --gold")
    if not partial and any(one.rule in _UNPAIRED for one in errors):
        raise FormatError(submission.path, found)
    given = given_in(submission)
    tidy = _joined if submission.layout == OUTPUT else str.strip
    if examples:
        problems = _demand_references(examples) if lenient else _demand_good_references(examples)
        numbers = checker.numbers_of(examples)
        ids, references = [one.sample.id for one in examples], [_texts(one) for one in examples]
        turns = [len(one.sample.history) for one in examples]
    else:
        problems = []
        numbers = [number for number, one in enumerate(given.references, start=1) if one]
        ids = [str(number) for number in numbers]
        references = [[_joined(one) for one in given.references[number - 1]] for number in numbers]
        turns = []
    if not any(turns) and given.turns:
        turns = [given.turns[number - 1] if number <= len(given.turns) else 0 for number in numbers]
    if not ids:
        raise FormatError(submission.path, found or [_no_references("the file")])
    said = [given.replies[number - 1] if 1 <= number <= len(given.replies) else None for number in numbers]
    return Items(ids, [tidy(one or "") for one in said], references, turns, (*found, *problems))


_UNPAIRED = frozenset(
    {"reply-missing", "reply-extra", "hypothesis-missing", "hypothesis-repeated", "reference-missing"}
)
"""Errors under which nobody knows which reply belongs to which reference."""


def _no_references(what: str) -> Problem:
    return Problem(rule="reference-missing", message=f"{what} has no reference", advice="give it with --gold")


def _demand_references(examples: Sequence[Example]) -> list[Problem]:
    """Raise `FormatError` where a sample has no reference at all."""
    bare = [one.sample.id for one in examples if not one.references]
    if bare:
        problems = [_no_references(f"sample '{name}'") for name in bare[:MOST]]
        raise FormatError("the truth", problems)
    return []


def _with_words(items: Items, path: str) -> Items:
    """Return the items; raise `FormatError` where no reference of any sample has a word."""
    if any(text.strip() for several in items.references for text in several):
        return items
    message = "no reference has a word; the caption program ends with an uncaught ValueError there"
    raise FormatError(path, [Problem(rule="reference-empty", message=message)])


def _demand_good_references(examples: Sequence[Example]) -> list[Problem]:
    """Return warnings about references; raise `FormatError` where they cannot be scored against strictly."""
    _demand_references(examples)
    problems: list[Problem] = []
    several = {len(one.references) for one in examples}
    if len(several) > 1:
        message = f"samples have {min(several)} to {max(several)} references"
        advice = "do all reference files have the same number of lines, and belong together?"
        problems.append(Problem(rule="references-uneven", message=message, advice=advice))
    for one in examples:
        empty = [not (reference.text or "").strip() for reference in one.references]
        if any(empty):
            severity = "error" if all(empty) else "warning"
            message = f"{sum(empty)} of its {len(empty)} references are empty"
            place = f"sample '{one.sample.id}'"
            problems.append(Problem(rule="reference-empty", severity=severity, place=place, message=message))
    if any(problem.severity == "error" for problem in problems):
        raise FormatError("the truth", problems)
    return problems
