"""Validation of result files: reports all problems at once (specification, sections 0, 7 and 8.1).

Two layouts: system output (`S_HYP:` behind its context) and one reply per line. The strict variants want one
reply per sample, each where it belongs; `official` refuses what `bleu_score.py` refuses.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from duologue.challenges.conversation.formats.dialogue_lines import (
    HYPOTHESIS,
    OUTPUT,
    REFERENCE,
    DialogueLine,
    foreign,
    parse_line,
    shown,
    speaker_unknown,
)
from duologue.challenges.conversation.formats.files import numbered
from duologue.challenges.conversation.scoring import official
from duologue.core import disk, problems
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from duologue.core.lines import Lines
    from duologue.core.records import Example, Submission

VARIANTS = ("strict", "official", "official-nltk-current", "coco")

RULES = {
    **disk.TEXT_RULES,
    "byte-order-mark": "the text starts without a byte order mark (a warning)",
    "foreign-file": "the file holds text, not JSON",
    "file-empty": "the file has at least one line with words",
    "no-hypotheses": "a file of dialogues has `S_HYP:` lines",
    "speaker-unknown": "each line of system output starts with `U:`, `S:`, `S_REF:` or `S_HYP:`",
    "marker-repeated": "a marker occurs only at the start of its line (a warning; `bleu_score.py` takes it out)",
    "hypothesis-missing": "each dialogue of system output has an `S_HYP:` line",
    "hypothesis-repeated": "no dialogue has two `S_HYP:` lines",
    "hypothesis-not-last": "`S_REF:` and `S_HYP:` stand behind the context, `S_HYP:` last",
    "reference-missing": "each dialogue has an `S_REF:` line, where no reference file is given",
    "references-uneven": "all samples have equally many references (a warning in system output)",
    "reference-empty": "a sample has a reference with words (a warning where another one has)",
    "reference-differs": "an `S_REF:` is one of the references that are given (a warning)",
    "context-differs": "the context of a dialogue is that of the data",
    "reply-empty": "a reply has words (a warning)",
    "reply-missing": "there is a reply to each sample",
    "reply-extra": "there is a sample to each reply",
    "counts-differ": "`bleu_score.py` finds as many references as hypotheses, and at least one",
    problems.RULE: problems.RULE_SAYS,
}
"""Ids of the validation rules, and what each requires."""

UNREADABLE = frozenset({*disk.TEXT_RULES, "foreign-file", "file-empty", "no-hypotheses"})
"""Rules whose violation leaves nothing to score, not even with `--partial`."""


def check(submission: Submission, examples: Sequence[Example] | None, variant: str) -> tuple[Problem, ...]:
    """Return all problems of a result file, warnings included; beyond 1,000 they are only counted.

    `examples` are the references or the data; `official` only counts them, instead of the file's own references. Raises
    `UsageError` for an unknown variant.
    """
    if variant not in VARIANTS:
        raise UsageError(f"conversation has no variant '{variant}'{did_you_mean(variant, VARIANTS)}")
    if variant in official.PROFILES:
        return _official(submission, examples or ())
    return examine(submission, examples)


def _official(submission: Submission, examples: Sequence[Example]) -> tuple[Problem, ...]:
    if submission.rows is None:
        return submission.problems
    stop = _nothing_to_score(submission)
    replies = submission.layout != OUTPUT and (stop is None or stop.rule == "foreign-file")
    if replies and (stop is not None or not examples):
        return () if stop is None else (stop,)  # replies alone: the same formula, against references that are given
    references, hypotheses = official.count_pairs(submission)
    if examples:  # several files of references give each sample several
        references = len({one.sample.id for one in examples})
    refused = counts_differ(references, len(submission.rows) if replies else hypotheses)
    return (refused,) if refused else ()


def counts_differ(references: int, hypotheses: int) -> Problem | None:
    """Return why the official program prints an error instead of scores; `None` where it scores."""
    if references == hypotheses and references:
        return None
    message = (
        f"found {references} references and {hypotheses} hypotheses; the official program prints an error, no "
        f"scores, and ends with exit status 0"
    )
    return Problem(rule="counts-differ", message=message, advice="see all problems with variant strict")


def examine(submission: Submission, examples: Sequence[Example] | None) -> tuple[Problem, ...]:
    """Return all problems under the strict rules, in constant memory; beyond 1,000 they are only counted."""
    if submission.rows is None:
        return submission.problems
    stop = _nothing_to_score(submission)
    if stop is not None:
        return (*submission.problems, stop)
    look = _output_problems if submission.layout == OUTPUT else _reply_problems
    return problems.capped(chain(submission.problems, look(submission.rows, examples or ())))


def _nothing_to_score(submission: Submission) -> Problem | None:
    first = next((line for line in submission.rows if line and not line.isspace()), None)
    if first is None:
        return Problem(rule="file-empty", message="the file has no line with words")
    strange = foreign(submission.rows)
    if strange is not None:
        return strange
    if submission.layout != OUTPUT and parse_line(first, 1).mark:
        message = "the file holds dialogues, but no line starts with 'S_HYP:'"
        advice = "put each reply behind its context as 'S_HYP: ...'; is this the data file?"
        return Problem(rule="no-hypotheses", message=message, advice=advice)
    return None if submission.layout == OUTPUT else _misspelt_mark(submission.rows)


def _misspelt_mark(lines: Iterable[str]) -> Problem | None:
    """Return the problem of a file whose marks are all indented or in small letters: its lines would be replies."""
    for number, line in enumerate(lines, start=1):
        if line.lstrip()[: len(HYPOTHESIS)].upper() in {HYPOTHESIS, REFERENCE}:
            return Problem(
                rule="no-hypotheses",
                place=f"line {number}",
                message=f"found {shown(line)}, and no line starts with 'S_HYP:'",
                advice="write the marks in capitals, at the beginning of the line",
            )
    return None


class _Dialogue:
    """Validation state of one dialogue of system output."""

    def __init__(self, number: int, line: DialogueLine, example: Example | None) -> None:
        self.place = f"dialogue {number}, line {line.number}"
        self.hypotheses = self.references = self.turns = 0
        self._worded = self._strange = False
        self._same = True
        self._ended = ""
        history = () if example is None else example.sample.history
        self._history = [turn.text.split() for turn in history]
        self._known = set() if example is None else {tuple((one.text or "").split()) for one in example.references}

    def add(self, line: DialogueLine) -> Iterator[Problem]:
        """Yield the problems of the next line."""
        yield from self._line_problems(line)
        if line.mark == HYPOTHESIS:
            self.hypotheses += 1
        elif line.mark == REFERENCE:
            self.references += 1
            words = tuple(line.text.split())
            self._worded = self._worded or bool(words)
            self._strange = self._strange or words not in self._known
        elif line.mark:
            self._same = self._same and self._history[self.turns : self.turns + 1] == [line.text.split()]
            self.turns += 1

    def _line_problems(self, line: DialogueLine) -> Iterator[Problem]:
        place = f"line {line.number}"
        if not line.mark:
            yield speaker_unknown(line)
        elif self._ended and (line.mark in ("U:", "S:") or (line.mark == REFERENCE and self._ended == HYPOTHESIS)):
            message = f"a '{line.mark}' line stands behind the '{self._ended}' line of its dialogue"
            yield Problem(rule="hypothesis-not-last", place=place, message=message, advice="put an empty line between")
        if line.mark in (REFERENCE, HYPOTHESIS):
            self._ended = line.mark
            if line.raw.count(line.mark) > 1:
                message = f"'{line.mark}' occurs again inside the line; the official program takes it out"
                yield Problem(rule="marker-repeated", severity="warning", place=place, message=message)
        if line.mark == HYPOTHESIS and not line.text.strip():
            yield Problem(rule="reply-empty", severity="warning", place=place, message="the reply is empty")

    def end(self, *, alone: bool) -> Iterator[Problem]:
        """Yield the problems of the dialogue as a whole; `alone`: it is scored against its own references."""
        if not self.hypotheses:
            advice = "add 'S_HYP:' and the reply"
            message = "there is no 'S_HYP:' line"
            yield Problem(rule="hypothesis-missing", place=self.place, message=message, advice=advice)
        elif self.hypotheses > 1:
            message = f"there are {self.hypotheses} 'S_HYP:' lines, expected one"
            advice = "keep one; is an empty line missing between two dialogues?"
            yield Problem(rule="hypothesis-repeated", place=self.place, message=message, advice=advice)
        if alone and not self._worded:
            rule = "reference-empty" if self.references else "reference-missing"
            message = "the 'S_REF:' line is empty" if self.references else "there is no 'S_REF:' line"
            yield Problem(rule=rule, place=self.place, message=message, advice="or give a reference file with --gold")
        if self.turns and self._history and not (self._same and self.turns == len(self._history)):
            advice = "is this the result of another file?"
            message = "its context is not that of the data"
            yield Problem(rule="context-differs", place=self.place, message=message, advice=advice)
        if self._known and self.references and self._strange:
            message = "its 'S_REF:' is none of the references that are given, which are scored against"
            yield Problem(rule="reference-differs", severity="warning", place=self.place, message=message)


def _output_problems(lines: Iterable[str], examples: Sequence[Example]) -> Iterator[Problem]:
    known = dict(zip(numbers_of(examples), examples, strict=True))
    several: set[int] = set()
    one: _Dialogue | None = None
    number = 0
    for at, raw in enumerate(lines, start=1):
        if raw and not raw.isspace():
            line = parse_line(raw, at)
            if one is None:
                number += 1
                one = _Dialogue(number, line, known.get(number))
            yield from one.add(line)
        elif one is not None:
            several.add(one.references)
            yield from one.end(alone=not examples)
            one = None
    if one is not None:
        several.add(one.references)
        yield from one.end(alone=not examples)
    if not examples and len(several) > 1 and 0 not in several:
        message = f"dialogues have {min(several)} to {max(several)} references"
        yield Problem(rule="references-uneven", severity="warning", message=message)
    if examples:
        yield from _place_problems(number, examples, "dialogue")


def _reply_problems(lines: Lines, examples: Sequence[Example]) -> Iterator[Problem]:
    for number, line in enumerate(lines, start=1):
        if not line or line.isspace():
            message = "the reply is empty"
            yield Problem(rule="reply-empty", severity="warning", place=f"line {number}", message=message)
    if examples:
        yield from _place_problems(len(lines), examples, "line")


def numbers_of(examples: Sequence[Example]) -> list[int]:
    """Return the position of each example in a result file, from 1: its numeric id, or its order."""
    return [int(one.sample.id) for one in examples] if numbered(examples) else list(range(1, len(examples) + 1))


_MANY = 20
"""Maximum number of missing or extra replies reported one by one."""


def _place_problems(replies: int, examples: Sequence[Example], what: str) -> Iterator[Problem]:
    wanted = set(numbers_of(examples))
    missing = sum(not 1 <= one <= replies for one in wanted)
    if missing + max(replies - len(wanted), 0) > _MANY:
        yield Problem(
            rule="reply-missing" if missing else "reply-extra",
            message=f"the file has {replies:,} replies, the data {len(wanted):,} samples",
            advice="is this the result of another file, or the data of another test set?",
        )
        return
    for number in sorted(one for one in wanted if not 1 <= one <= replies):
        message = f"sample '{number}' has no reply; the file has {replies}"
        yield Problem(rule="reply-missing", place=f"{what} {number}", message=message)
    for number in range(1, replies + 1):
        if number not in wanted:
            message = f"there is no such sample; {len(wanted)} are known"
            advice = "is this the result of another file, or is there an empty line too many?"
            yield Problem(rule="reply-extra", place=f"{what} {number}", message=message, advice=advice)
