"""Replies paired with their references, from a result file and optional reference files.

System output with its own references is streamed, so that memory does not grow with the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial as bind
from itertools import count, islice
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.challenges.conversation.formats.dialogue_lines import HYPOTHESIS, OUTPUT, REFERENCE, blocks_of
from duologue.challenges.conversation.scoring import checker, official
from duologue.core.errors import FormatError, TruthError, UsageError
from duologue.core.problems import PROBLEM_LIMIT
from duologue.core.records import Answer, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from duologue.challenges.conversation.formats.dialogue_lines import DialogueLine
    from duologue.core.records import Example, Scoring, Submission

PORTION = 1 << 13
"""Samples per chunk."""


class ScoredItems(NamedTuple):
    """Replies and references per sample."""

    ids: list[str]
    replies: list[str]
    references: list[list[str]]
    turns: list[int]
    """Number of context utterances per sample; empty where no context is known."""
    problems: tuple[Problem, ...] = ()

    def take(self, start: int, stop: int) -> ScoredItems:
        """Return the samples from `start` to `stop`."""
        here = slice(start, stop)
        return ScoredItems(self.ids[here], self.replies[here], self.references[here], self.turns[here])


@dataclass(frozen=True, slots=True)
class ItemStream:
    """A re-iterable stream of samples in chunks."""

    n: int
    """Number of samples."""
    portions: Callable[[], Iterator[ScoredItems]]
    """Iterates over chunks of at most `PORTION` samples."""
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, items: ScoredItems) -> ItemStream:
        """Return a stream over samples in memory."""
        return cls(len(items.ids), bind(_cut, items), items.problems)

    def whole(self) -> ScoredItems:
        """Return all samples at once."""
        found = ScoredItems([], [], [], [], self.problems)
        for portion in self.portions():
            found.ids.extend(portion.ids)
            found.replies.extend(portion.replies)
            found.references.extend(portion.references)
            found.turns.extend(portion.turns)
        return found


def _cut(items: ScoredItems) -> Iterator[ScoredItems]:
    return (items.take(start, start + PORTION) for start in range(0, len(items.ids), PORTION))


def _portions(samples: Iterable[tuple[str, str, list[str], int]], *, turns: bool) -> Iterator[ScoredItems]:
    """Yield samples (id, reply, references, context utterances) in chunks."""
    rest = iter(samples)
    while part := list(islice(rest, PORTION)):
        contexts = [one[3] for one in part] if turns else []
        yield ScoredItems([one[0] for one in part], [one[1] for one in part], [one[2] for one in part], contexts)


class ResultContents(NamedTuple):
    """Contents of a result file in order."""

    replies: list[str | None]
    """`None` where a dialogue has no hypothesis."""
    references: list[list[str]]
    """The file's own references; empty lists for a file of replies."""
    turns: list[int]
    """Numbers of context lines; empty for a file of replies."""


def contents_of(submission: Submission) -> ResultContents:
    """Return the contents of a readable result file."""
    if submission.layout != OUTPUT:
        replies: list[str | None] = list(submission.rows)
        return ResultContents(replies, [[] for _ in replies], [])
    found = ResultContents([], [], [])
    for block in blocks_of(submission.rows):
        found.replies.append(next((one.text for one in block if one.mark == HYPOTHESIS), None))
        found.references.append([one.text for one in block if one.mark == REFERENCE])
        found.turns.append(sum(one.mark in ("U:", "S:") for one in block))
    return found


def answers_in(submission: Submission, examples: Sequence[Example]) -> dict[str, Answer]:
    """Return the replies of a result file by sample id."""
    if submission.rows is None:
        return {}
    replies = dict(enumerate(contents_of(submission).replies, start=1))
    places = zip(examples, checker.numbers_of(examples), strict=True)
    found = ((one.sample.id, replies.get(number)) for one, number in places)
    return {name: Answer(text=_joined(text)) for name, text in found if text is not None}


def stream_of(examples: Sequence[Example], submission: Submission, how: Scoring) -> ItemStream:
    """Return the samples that a variant scores.

    `official` pairs lines as the official program does; so does `coco`, unless a dialogue has several references;
    `strict` needs one reply per sample and refuses a file with errors unless `how.partial`: then missing replies are
    empty. Raises `FormatError`, and `UsageError` where there are no references at all.
    """
    if submission.rows is None:
        raise FormatError(submission.path, submission.problems)
    merged = merge(examples)
    if how.variant in official.PROFILES:
        return _official(merged, submission, partial=how.partial)
    if how.variant == "coco" and not merged and submission.layout == OUTPUT:
        references, hypotheses = official.count_pairs(submission)
        if checker.counts_differ(references, hypotheses) is None:
            return _require_words(_in_order(submission, references, tidy=True), submission.path)
    lenient = how.partial or how.variant == "coco"
    return _require_words(_strict(merged, submission, lenient=lenient, partial=how.partial), submission.path)


def merge(examples: Sequence[Example]) -> list[Example]:
    """Merge examples with the same id (references of several files), ordered by id."""
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


def _in_order(submission: Submission, pairs: int, *, tidy: bool) -> ItemStream:
    """Pair the references and hypotheses of a file by order; `tidy`: normalise white space."""
    trim = _joined if tidy else str

    def portions() -> Iterator[ScoredItems]:
        both = zip(official.references_in(submission), official.hypotheses_in(submission), strict=True)
        samples = ((str(number), trim(said), [trim(wanted)], 0) for number, (wanted, said) in enumerate(both, start=1))
        return _portions(samples, turns=False)

    return ItemStream(pairs, portions, checker.examine(submission, ()) if tidy else ())


def _official(examples: Sequence[Example], submission: Submission, *, partial: bool) -> ItemStream:
    references, hypotheses = official.count_pairs(submission)
    if not examples:
        _refuse_counts(submission, references, hypotheses)
        return _in_order(submission, references, tidy=False)
    if submission.layout == OUTPUT:
        replies = list(official.hypotheses_in(submission))
    else:
        refused = [one for one in checker.examine(submission, None) if one.rule in checker.UNREADABLE]
        if refused:
            raise FormatError(submission.path, refused)
        replies = list(submission.rows)
    _require_references(examples)
    ids, wanted = [one.sample.id for one in examples], [_texts(one) for one in examples]
    if partial:
        replies = [*replies, *[""] * len(ids)][: len(ids)]
    _refuse_counts(submission, len(wanted), len(replies))
    return ItemStream.of(ScoredItems(ids, replies, wanted, []))


def _refuse_counts(submission: Submission, references: int, hypotheses: int) -> None:
    refused = checker.counts_differ(references, hypotheses)
    if refused is not None:
        lines = official.transcript(submission.path, references, hypotheses)
        raise FormatError(submission.path, [refused], transcript=lines)


def _strict(examples: Sequence[Example], submission: Submission, *, lenient: bool, partial: bool) -> ItemStream:
    found = checker.examine(submission, examples)
    errors = [problem for problem in found if problem.severity == "error"]
    unreadable = [problem for problem in errors if problem.rule in checker.UNREADABLE]
    if unreadable or (errors and not lenient):
        raise FormatError(submission.path, found)
    if not examples and submission.layout != OUTPUT:
        raise UsageError(f"{submission.path} holds replies alone; give the references with --gold")
    if not partial and any(one.rule in _UNPAIRED for one in errors):
        raise FormatError(submission.path, found)
    if not examples:
        own = ItemStream(_count_blocks(submission), bind(_blocks, submission), found)
        if not own.n:
            raise FormatError(submission.path, found or [_no_references("the file")])
        return own
    given = contents_of(submission)
    tidy = _joined if submission.layout == OUTPUT else str.strip
    problems = _require_references(examples) if lenient else _require_good_references(examples)
    numbers = checker.numbers_of(examples)
    ids, references = [one.sample.id for one in examples], [_texts(one) for one in examples]
    turns = [len(one.sample.history) for one in examples]
    if not any(turns) and given.turns:
        turns = [given.turns[number - 1] if number <= len(given.turns) else 0 for number in numbers]
    said = [given.replies[number - 1] if 1 <= number <= len(given.replies) else None for number in numbers]
    return ItemStream.of(ScoredItems(ids, [tidy(one or "") for one in said], references, turns, (*found, *problems)))


def _blocks(submission: Submission) -> Iterator[ScoredItems]:
    """Yield the dialogues of system output that have their own references."""
    return _portions(filter(None, map(_sample, count(1), blocks_of(submission.rows))), turns=True)


def _sample(number: int, block: Sequence[DialogueLine]) -> tuple[str, str, list[str], int] | None:
    references = [_joined(one.text) for one in block if one.mark == REFERENCE]
    if not references:
        return None
    reply = next((one.text for one in block if one.mark == HYPOTHESIS), "")
    return str(number), _joined(reply), references, sum(one.mark in ("U:", "S:") for one in block)


def _count_blocks(submission: Submission) -> int:
    """Count the dialogues that have their own references."""
    found, first = 0, True
    for line in submission.rows:
        if line.startswith(REFERENCE):
            found, first = found + first, False
        elif not line or line.isspace():
            first = True
    return found


_UNPAIRED = frozenset(
    {"reply-missing", "reply-extra", "hypothesis-missing", "hypothesis-repeated", "reference-missing"}
)
"""Errors under which replies cannot be paired with references."""


def _no_references(what: str) -> Problem:
    return Problem(rule="reference-missing", message=f"{what} has no reference", advice="give it with --gold")


def _require_references(examples: Sequence[Example]) -> list[Problem]:
    """Raise `FormatError` where a sample has no reference."""
    bare = [one.sample.id for one in examples if not one.references]
    if bare:
        problems = [_no_references(f"sample '{name}'") for name in bare[:PROBLEM_LIMIT]]
        raise TruthError(problems)
    return []


def _require_words(flow: ItemStream, path: str) -> ItemStream:
    """Return the stream; raise `FormatError` where all references are empty."""
    for portion in flow.portions():
        if any(text.strip() for several in portion.references for text in several):
            return flow
    message = "no reference has a word; the caption program ends with an uncaught ValueError there"
    raise FormatError(path, [Problem(rule="reference-empty", message=message)])


def _require_good_references(examples: Sequence[Example]) -> list[Problem]:
    """Return warnings about references; raise `FormatError` where strict scoring is impossible."""
    _require_references(examples)
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
        raise TruthError(problems)
    return problems
