"""What is wrong with a result file, all at once (specification, sections 0, 7 and 8.1).

Two layouts: system output (`S_HYP:` behind its context) and one reply per line. The strict variants want one
reply per sample, each where it belongs; `official` refuses what `bleu_score.py` refuses.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from duologue.challenges.conversation import official
from duologue.challenges.conversation.files import (
    HYPOTHESIS,
    OUTPUT,
    PROBLEMS_SHOWN,
    REFERENCE,
    Line,
    blocks_of,
    foreign,
    layout_of,
    numbered,
    parse_line,
    shown,
)
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.records import Example, Submission

VARIANTS = ("strict", "official", "official-nltk-current", "coco")

RULES = {
    "gzip-damaged": "a packed file can be unpacked",
    "not-utf8": "the text is UTF-8",
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
    "too-many-problems": "the check stops after 1,000 problems",
}
"""Ids of the rules for result files, and what each demands."""

UNREADABLE = frozenset({"gzip-damaged", "not-utf8", "foreign-file", "file-empty", "no-hypotheses"})
"""Rules whose breach leaves no replies, not even in part."""


@dataclass(frozen=True, slots=True)
class Findings:
    """A result file as the strict variants see it."""

    problems: tuple[Problem, ...]
    replies: list[str | None] = field(default_factory=list)
    """By place in the file; `None` where a dialogue has no hypothesis."""
    references: list[list[str]] = field(default_factory=list)
    """Those of the file itself, by place; empty lists for a file of replies."""
    turns: list[int] = field(default_factory=list)
    """Context lines per place; empty for a file of replies."""


def check(submission: Submission, examples: Sequence[Example] | None, variant: str) -> tuple[Problem, ...]:
    """Return all problems of a result file, warnings included, at most about 1,000.

    `examples` are the references or the data; `official` looks at them only for a file of replies, which the
    official program does not read. Raises `UsageError` for an unknown variant.
    """
    if variant not in VARIANTS:
        raise UsageError(f"conversation has no variant '{variant}'{did_you_mean(variant, VARIANTS)}")
    if variant in official.PROFILES:
        return _official(submission)
    return examine(submission, examples).problems


def _official(submission: Submission) -> tuple[Problem, ...]:
    if submission.rows is None:
        return submission.problems
    stop = _nothing_to_score(submission)
    if submission.layout != OUTPUT and (stop is None or stop.rule == "foreign-file"):
        return () if stop is None else (stop,)  # replies alone: the same formula, against references that are given
    pairs = official.read_pairs(submission)
    refused = counts_differ(len(pairs.references), len(pairs.hypotheses))
    return (refused,) if refused else ()


def counts_differ(references: int, hypotheses: int) -> Problem | None:
    """Return why the official program prints its error and no scores; `None` where it scores."""
    if references == hypotheses and references:
        return None
    message = (
        f"found {references} references and {hypotheses} hypotheses; the official program prints an error, no "
        f"scores, and ends with exit status 0"
    )
    return Problem(rule="counts-differ", message=message, advice="see all problems with variant strict")


def examine(submission: Submission, examples: Sequence[Example] | None) -> Findings:
    """Return all problems under the strict rules, and the replies that can be used all the same."""
    lines = submission.rows
    if lines is None:
        return Findings(submission.problems)
    problems = list(submission.problems)
    stop = _nothing_to_score(submission)
    if stop is not None:
        return Findings((*problems, stop))
    if submission.layout == OUTPUT:
        blocks = blocks_of(lines)
        given = examples or ()
        found = Findings(
            (),
            replies=[next((one.text for one in block if one.mark == HYPOTHESIS), None) for block in blocks],
            references=[[one.text for one in block if one.mark == REFERENCE] for block in blocks],
            turns=[sum(one.mark in ("U:", "S:") for one in block) for block in blocks],
        )
        problems += _capped(_output_problems(blocks, found, alone=not given), problems)
        problems += _capped(_context_problems(found, blocks, given), problems)
    else:
        found = Findings((), replies=list(lines), references=[[] for _ in lines])
        problems += _capped(_reply_problems(lines), problems)
    if examples:
        problems += _capped(_place_problems(len(found.replies), examples, submission.layout), problems)
    if len(problems) >= PROBLEMS_SHOWN:
        problems.append(Problem(rule="too-many-problems", message="the rest of the file was not looked at"))
    return Findings(tuple(problems), found.replies, found.references, found.turns)


def _capped(more: Iterator[Problem], known: Sequence[Problem]) -> list[Problem]:
    room = PROBLEMS_SHOWN - len(known)
    return [problem for problem, _ in zip(more, range(room), strict=False)] if room > 0 else []


def _nothing_to_score(submission: Submission) -> Problem | None:
    lines: list[str] = submission.rows
    if not any(map(str.strip, lines)):
        return Problem(rule="file-empty", message="the file has no line with words")
    if lines[0].lstrip().startswith(("{", "[")):
        strange = foreign("\n".join(lines))
        if strange is not None:
            return strange
    if layout_of(lines) == "dialogues":
        message = "the file holds dialogues, but no line starts with 'S_HYP:'"
        advice = "put each reply behind its context as 'S_HYP: ...'; is this the data file?"
        return Problem(rule="no-hypotheses", message=message, advice=advice)
    return None


def _output_problems(blocks: Sequence[Sequence[Line]], found: Findings, *, alone: bool) -> Iterator[Problem]:
    several = {len(one) for one in found.references}
    if alone and len(several) > 1 and 0 not in several:
        message = f"dialogues have {min(several)} to {max(several)} references"
        yield Problem(rule="references-uneven", severity="warning", message=message)
    for number, block in enumerate(blocks, start=1):
        place = f"dialogue {number}, line {block[0].number}"
        hypotheses = [line for line in block if line.mark == HYPOTHESIS]
        if not hypotheses:
            advice = "add 'S_HYP:' and the reply"
            yield Problem(rule="hypothesis-missing", place=place, message="there is no 'S_HYP:' line", advice=advice)
        elif len(hypotheses) > 1:
            message = f"there are {len(hypotheses)} 'S_HYP:' lines, expected one"
            advice = "keep one; is an empty line missing between two dialogues?"
            yield Problem(rule="hypothesis-repeated", place=place, message=message, advice=advice)
        if alone and not any(map(str.strip, found.references[number - 1])):
            empty = bool(found.references[number - 1])
            rule = "reference-empty" if empty else "reference-missing"
            message = "the 'S_REF:' line is empty" if empty else "there is no 'S_REF:' line"
            yield Problem(rule=rule, place=place, message=message, advice="or give a reference file with --gold")
        yield from _line_problems(block)


def _line_problems(block: Sequence[Line]) -> Iterator[Problem]:
    ended = ""
    for line in block:
        place = f"line {line.number}"
        if not line.mark:
            message = f"found {shown(line.raw)}, expected a line that starts with 'U:', 'S:', 'S_REF:' or 'S_HYP:'"
            known = parse_line(line.raw.lstrip(), 1).mark
            advice = "take the white space at its start away" if known else ""
            yield Problem(rule="speaker-unknown", place=place, message=message, advice=advice)
        elif ended and (line.mark in ("U:", "S:") or (line.mark == REFERENCE and ended == HYPOTHESIS)):
            message = f"a '{line.mark}' line stands behind the '{ended}' line of its dialogue"
            yield Problem(rule="hypothesis-not-last", place=place, message=message, advice="put an empty line between")
        if line.mark in (REFERENCE, HYPOTHESIS):
            ended = line.mark
            if line.raw.count(line.mark) > 1:
                message = f"'{line.mark}' occurs again inside the line; the official program takes it out"
                yield Problem(rule="marker-repeated", severity="warning", place=place, message=message)
        if line.mark == HYPOTHESIS and not line.text.strip():
            yield Problem(rule="reply-empty", severity="warning", place=place, message="the reply is empty")


def _reply_problems(lines: Sequence[str]) -> Iterator[Problem]:
    for number, line in enumerate(lines, start=1):
        if not line or line.isspace():
            message = "the reply is empty"
            yield Problem(rule="reply-empty", severity="warning", place=f"line {number}", message=message)


def numbers_of(examples: Sequence[Example]) -> list[int]:
    """Return the place in a result file that belongs to each example, from 1: its id, or its order without one."""
    return [int(one.sample.id) for one in examples] if numbered(examples) else list(range(1, len(examples) + 1))


def _place_problems(replies: int, examples: Sequence[Example], layout: str) -> Iterator[Problem]:
    what = "dialogue" if layout == OUTPUT else "line"
    wanted = set(numbers_of(examples))
    for number in sorted(one for one in wanted if not 1 <= one <= replies):
        message = f"sample '{number}' has no reply; the file has {replies}"
        yield Problem(rule="reply-missing", place=f"{what} {number}", message=message)
    for number in range(1, replies + 1):
        if number not in wanted:
            message = f"there is no such sample; {len(wanted)} are known"
            advice = "is this the result of another file, or is there an empty line too many?"
            yield Problem(rule="reply-extra", place=f"{what} {number}", message=message, advice=advice)


def _context_problems(
    found: Findings, blocks: Sequence[Sequence[Line]], examples: Sequence[Example]
) -> Iterator[Problem]:
    for number, example in zip(numbers_of(examples), examples, strict=True):
        if not 1 <= number <= len(blocks):
            continue
        block = blocks[number - 1]
        place = f"dialogue {number}, line {block[0].number}"
        said = [one.text.split() for one in block if one.mark in ("U:", "S:")]
        if said and example.sample.history and said != [turn.text.split() for turn in example.sample.history]:
            advice = "is this the result of another file?"
            message = "its context is not that of the data"
            yield Problem(rule="context-differs", place=place, message=message, advice=advice)
        known = [(one.text or "").split() for one in example.references]
        if known and any(one.split() not in known for one in found.references[number - 1]):
            message = "its 'S_REF:' is none of the references that are given, which are scored against"
            yield Problem(rule="reference-differs", severity="warning", place=place, message=message)
