"""Aligns predictions with references: line by line with the data, or within an evaluation file."""

from __future__ import annotations

import hashlib
from itertools import islice
from typing import TYPE_CHECKING

from duologue.challenges.proactive.formats.files import EVALUATION
from duologue.challenges.proactive.formats.stored import StoredExamples
from duologue.challenges.proactive.scoring.official import line_pairs
from duologue.core.errors import FormatError, TruthError
from duologue.core.problems import capped
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from duologue.core.records import Example, Submission

    Pair = tuple[str, str]


def carries_references(submission: Submission) -> bool:
    """Whether a submission is an evaluation file."""
    return submission.layout == EVALUATION


def reference_of(example: Example) -> str | None:
    """Return the text of the first reference, `None` if unknown."""
    return example.references[0].text if example.references else None


def ids_and_replies(examples: Sequence[Example]) -> Iterator[tuple[str, str | None]]:
    """Yield id and reference of each example, without reading a large file again."""
    if isinstance(examples, StoredExamples):
        return examples.ids_and_replies()
    return ((one.sample.id, reference_of(one)) for one in examples)


def truth_problems(examples: Sequence[Example]) -> tuple[Problem, ...]:
    """Return the problems of ground truth: references that are unknown or span several lines."""
    return capped(_truth_problems(examples))


def _truth_problems(examples: Sequence[Example]) -> Iterator[Problem]:
    for name, text in ids_and_replies(examples):
        place = f"sample '{name}'"
        if text is None:
            message = "the true reply is not known"
            advice = "give data with replies (`conversation`, or `response`)"
            yield Problem(rule="truth-unknown", place=place, message=message, advice=advice)
        elif "\n" in text or "\r" in text:
            message = "the true reply holds a line end, so it fits no evaluation file"
            yield Problem(rule="truth-lines", place=place, message=message)


def official_pairs(submission: Submission, examples: Sequence[Example]) -> Iterator[list[Pair | None]]:
    """Yield, in chunks, the pair that `eval.py` reads from each line, `None` for a line that it skips.

    A prediction file is joined with the references of the data as `paste` would; a missing prediction gives a line
    without one.
    """
    if carries_references(submission) or not examples:
        yield from map(line_pairs, submission.rows.portions())
        return
    for portion, wanted in _beside(submission, examples):
        yield line_pairs(f"{said}\t{reply}" for said, reply in zip(portion, wanted, strict=True))


def strict_pairs(submission: Submission, examples: Sequence[Example]) -> Iterator[list[Pair]]:
    """Yield predictions and references in chunks, white space normalised; a missing prediction is empty.

    If data is given, its references are used, for an evaluation file too.
    """
    if not examples:
        for portion in submission.rows.portions():
            yield [(_plain(said), _plain(wanted)) for said, wanted in map(_fields, portion)]
        return
    for portion, wanted in _beside(submission, examples):
        lines = (_fields(line)[0] for line in portion) if carries_references(submission) else portion
        yield [(_plain(said), _plain(reply)) for said, reply in zip(lines, wanted, strict=True)]


def _beside(submission: Submission, examples: Sequence[Example]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield lines and references in chunks of equal length, padded with empty lines or cut to the data."""
    replies = (text or "" for _, text in ids_and_replies(examples))
    for portion in submission.rows.portions():
        wanted = list(islice(replies, len(portion)))
        yield portion[: len(wanted)], wanted
    rest = list(replies)
    yield [""] * len(rest), rest


def _fields(line: str) -> Pair:
    """Return the first two fields unstripped, so that an empty prediction keeps its reference."""
    said, _, rest = line.partition("\t")
    return said, rest.partition("\t")[0]


def _plain(text: str) -> str:
    return " ".join(text.split())


def gold_hash(submission: Submission, examples: Sequence[Example]) -> str:
    """Return eight hexadecimal digits of a hash of the references."""
    digest = hashlib.sha256()
    if examples:
        texts: Iterable[str] = (f"{name}\n{text or ''}" for name, text in ids_and_replies(examples))
    else:
        texts = (
            "\n".join([line.split("\t", 2)[1].strip() if "\t" in line else "" for line in portion])
            for portion in submission.rows.portions()
        )
    for text in texts:  # independent of chunk boundaries
        digest.update(f"{text}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:8]


def expect_truth(submission: Submission, examples: Sequence[Example], variant: str = "strict") -> None:
    """Raise `FormatError` if there are no references to score against.

    Without data, variant `official` accepts any file in which `eval.py` finds at least one line to score.
    """
    if carries_references(submission):
        return
    if examples:
        problems = truth_problems(examples)
        if problems:
            raise TruthError(problems)
        return
    message = "the file holds predictions alone, one a line, so the true replies are needed too"
    if variant == "official":
        if any(pair is not None for pairs in official_pairs(submission, ()) for pair in pairs):
            return
        message += (
            "; by itself eval.py ends with an uncaught error in calc_f1: ZeroDivisionError: float division by zero"
        )
    advice = "give the data with --gold, or an evaluation file (prediction TAB reference)"
    raise FormatError(submission.path, [Problem(rule="truth-missing", message=message, advice=advice)])
