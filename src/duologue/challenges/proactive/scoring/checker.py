"""Checker of prediction and evaluation files: finds all problems of a file (specification, section 3).

`eval.py` silently skips lines that it cannot read, so that a file with empty predictions scores better than it should.
Variant `official` accepts every file that the program can score. Variant `strict` requires a reply to each sample.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from duologue.challenges.proactive.schema import INFO
from duologue.challenges.proactive.scoring import alignment, official
from duologue.core import disk, problems
from duologue.core.decoded import shown
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.records import Example, Submission

RULES = {
    **disk.TEXT_RULES,
    "byte-order-mark": "the text starts without a byte order mark (a warning; to the program it is a character)",
    "no-lines": "the file has at least one line",
    "line-count": "there is a line for each sample of the data",
    "prediction-empty": "each line has a prediction (the program would not score the line at all)",
    "prediction-tab": "a prediction holds no TAB",
    "reference-missing": "each line of an evaluation file has a reference behind a TAB",
    "reference-differs": "the references of an evaluation file are the replies of the data",
    "fields-extra": "a line of an evaluation file has two fields (a warning; further ones are ignored)",
    "space-double": "words are separated by one space (a warning; to the program two make an empty word)",
    "space-odd": "words are separated by ASCII spaces (a warning; to the program others separate nothing)",
    "not-segmented": "predictions are cut into words (a warning; BLEU and DISTINCT count words)",
    "slot-left": "slots such as `video_topic_a` have been replaced by their topics (a warning)",
    "token-left": "no token of a model such as `<unk>` is left (a warning)",
    "official-refusal": "`eval.py` scores the file without an error of its own",
    problems.RULE: problems.RULE_SAYS,
}
"""Rule id -> what it requires of a result file."""

UNUSABLE = frozenset({*disk.TEXT_RULES, "no-lines"})
"""Rules whose violation leaves nothing to score."""

_ODD_SPACE = re.compile(r"[^\S ]")
_STRANGE = re.compile(r"[^\S \t\n]")
_TABLESS = re.compile(r"\n[^\t\n]*\n")
_LEFT = re.compile(r"_topic_|<\w+>")
_SLOTS = ("video_topic_a", "video_topic_b", "person_topic_a", "person_topic_b")
_TOKENS = ("<unk>", "<num>", "<pad>", "<bos>", "<eos>")
_UNCUT = 12
"""Mean characters per prediction above which a file without spaces is considered unsegmented."""


def check(submission: Submission, examples: Sequence[Example] | None, variant: str) -> tuple[Problem, ...]:
    """Return all problems of a result file, warnings included; at most 1,000 are listed, the rest counted.

    `examples` is the data that was answered, with or without references. Raises `UsageError` for an unknown variant.
    """
    INFO.expect_variant(variant)
    if submission.rows is None:
        return submission.problems
    if variant == "official":
        return _official(submission, examples or ())
    return problems.capped(chain(submission.problems, _problems(submission, examples)))


def refusal(outcome: official.EvalPyOutcome) -> Problem | None:
    """Return the problem that `eval.py` fails on, `None` if it prints scores."""
    if outcome.refused is None:
        return None
    error, where, why = outcome.refused
    message = f"eval.py ends with an uncaught error in {where}: {error}; {why}"
    return Problem(rule="official-refusal", message=message, advice="variant strict scores such a file")


def _official(submission: Submission, examples: Sequence[Example]) -> tuple[Problem, ...]:
    counted: list[Problem] = []
    if not alignment.carries_references(submission):
        counted = list(_line_count(submission, examples)) if examples else []
        if examples and alignment.truth_problems(examples):
            return tuple(counted)
    tally = official.EvalPyCounter()
    for pairs in alignment.official_pairs(submission, examples):
        tally.add([pair for pair in pairs if pair is not None])
        if tally.settled:  # usually within a few lines, so that memory does not grow with the file
            return tuple(counted)
    outcome = tally.outcome()
    if not outcome.pairs and not examples and not alignment.carries_references(submission):
        return ()  # without references the program cannot be run, and any text is a prediction
    problem = refusal(outcome)
    return (*counted, *(() if problem is None else (problem,)))


def _line_count(submission: Submission, examples: Sequence[Example]) -> Iterator[Problem]:
    lines = len(submission.rows)
    if lines != len(examples):
        message = f"the file has {lines} lines, the data {len(examples)} samples; one reply per sample is expected"
        advice = "write a reply for each sample, in the order of the data; or is this the result of another file?"
        yield Problem(rule="line-count", message=message, advice=advice)


def _problems(submission: Submission, examples: Sequence[Example] | None) -> Iterator[Problem]:
    evaluation = alignment.carries_references(submission)
    lines = letters = spaces = 0
    replies = (text for _, text in alignment.ids_and_replies(examples or ()))
    for portion in submission.rows.portions():
        if not (evaluation and examples) and _spotless(portion, evaluation=evaluation):
            lines += len(portion)
            spaces += 1
            continue
        for line in portion:
            lines += 1
            said, tab, rest = line.partition("\t")
            letters += len(said)
            spaces += said.count(" ")
            yield from _prediction_problems(said, lines)
            if evaluation:
                yield from _reference_problems(rest, next(replies, None), lines)
            elif tab:
                message = "the prediction holds a TAB, which ends it for the program"
                yield Problem(rule="prediction-tab", place=f"line {lines}", message=message)
    if not lines:
        yield Problem(rule="no-lines", message="the file is empty; a reply a line is expected")
    elif not spaces and letters > _UNCUT * lines:
        message = "no prediction holds a space: they are not cut into words, which BLEU and DISTINCT count"
        advice = "cut them with the words of the data's own cutting"
        yield Problem(rule="not-segmented", severity="warning", message=message, advice=advice)
    if examples is not None:
        yield from _line_count(submission, examples)


def _spotless(lines: Sequence[str], *, evaluation: bool) -> bool:
    """Whether lines are certainly valid and segmented, checked fast; otherwise each line is checked."""
    text = "\n".join(["", *lines, ""])
    if any(mark in text for mark in ("  ", "\n ", " \n", "\t ", " \t", "\n\n", "\n\t", "\t\n", "<", "_topic_")):
        return False
    if text.count("\t") != evaluation * len(lines) or (evaluation and _TABLESS.search(text)):
        return False
    return not _STRANGE.search(text) and any(" " in line.partition("\t")[0] for line in lines)


def _prediction_problems(said: str, number: int) -> Iterator[Problem]:
    place = f"line {number}"
    text = said.strip()
    if not text:
        advice = "give a reply; eval.py leaves the line out of every sum, which raises the scores"
        yield Problem(rule="prediction-empty", place=place, message="the prediction is empty", advice=advice)
        return
    if "  " in text:
        message = "two spaces in a row make an empty word"
        yield Problem(rule="space-double", severity="warning", place=place, message=message)
    if _ODD_SPACE.search(text):
        message = f"{shown(text)} holds white space that separates no words"
        advice = "put ASCII spaces between words"
        yield Problem(rule="space-odd", severity="warning", place=place, message=message, advice=advice)
    if not _LEFT.search(text):
        return
    for rule, marks, advice in (
        ("slot-left", _SLOTS, "put the topics in their places (materialisation)"),
        ("token-left", _TOKENS, "restore what the model's tokeniser replaced"),
    ):
        left = [mark for mark in marks if mark in text]
        if left:
            message = f"the prediction holds {', '.join(left)}"
            yield Problem(rule=rule, severity="warning", place=place, message=message, advice=advice)


def _reference_problems(rest: str, wanted: str | None, number: int) -> Iterator[Problem]:
    place = f"line {number}"
    reference, tab, _ = rest.partition("\t")
    if not reference.strip():
        message = "there is no reference behind the prediction and a TAB"
        yield Problem(rule="reference-missing", place=place, message=message)
    elif wanted is not None and reference.split() != wanted.split():
        message = f"the reference is {shown(reference)}, the data says {shown(wanted)}"
        advice = "do file and data belong together?"
        yield Problem(rule="reference-differs", place=place, message=message, advice=advice)
    if tab:
        message = "the line has more than two fields; the others are ignored"
        yield Problem(rule="fields-extra", severity="warning", place=place, message=message)
