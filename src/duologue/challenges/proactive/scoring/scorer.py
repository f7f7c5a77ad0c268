"""F1, BLEU-1/2 and DISTINCT-1/2 of replies as `eval.py` has them or strictly, and what they say of the knowledge.

Variant `official` scores the lines of the file as they are: a line without a prediction is not scored, bigrams are
joined (`ab|c` = `a|bc`), a double space makes an empty word. Variant `strict` scores a reply per sample: an empty one
counts, bigrams keep their words apart, words are what stands between white space. Where the data is given, strict
adds knowledge precision, recall and F1 by mentioned objects, and automatic goal completion.

Intervals are bootstrap intervals over the counts per item, dialogues drawn whole; those of DISTINCT, which is not
additive, are jackknife intervals (`metrics.diversity`). Files of more than 100,000 lines keep their counts in
10,000 runs of consecutive lines, which resampling then draws, and have no interval for DISTINCT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from duologue.challenges.proactive import knowledge
from duologue.challenges.proactive.formats.stored import MANY
from duologue.challenges.proactive.schema import CUTS
from duologue.challenges.proactive.scoring import alignment, checker, official
from duologue.challenges.proactive.scoring.slices import cuts_of
from duologue.core.errors import FormatError, UsageError, did_you_mean
from duologue.core.records import Report, Score, Slice
from duologue.metrics.bulk_overlap import COLUMNS, PairCounter
from duologue.metrics.counts import Counts, sign
from duologue.metrics.diversity import Distinct, Spread, diversity_of
from duologue.metrics.ngrams import CorpusBleu, Key
from duologue.metrics.overlap import F1, count_overlap, overlap_metrics
from duologue.metrics.significance import scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Example, Problem, Scoring, Submission
    from duologue.metrics.counts import Metric
    from duologue.metrics.lexicon import Integers

VERSION = "v1"
RANK_BY = "f1"
VARIANTS = ("strict", "official")
_RUNS = 10_000
_SEED = 0
"""Seed of the bootstrap: the same file gives the same interval."""
_RESAMPLES = 2_000
_SLICE_RESAMPLES = 500
_ALWAYS = ("f1", "bleu-1", "bleu-2")
_CUT = ("f1", "bleu-1", "bleu-2", "knowledge-f1")
"""What is told of parts of the data."""


def metrics(how: Scoring) -> tuple[Metric[Any], ...]:
    """Return the formulas of a variant: those of `eval.py`, and in `strict` those of knowledge and goal."""
    key = _key(how.variant)
    told: tuple[Metric[Any], ...] = (*overlap_metrics("objects", prefix="knowledge-"), knowledge.Completion())
    return (
        F1("chars"),
        CorpusBleu(1, key),
        CorpusBleu(2, key),
        Distinct(1, key),
        Distinct(2, key),
        *(told if how.variant == "strict" else ()),
    )


def score(examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
    """Score a prediction file against data, or an evaluation file by itself.

    Raises `FormatError` where `eval.py` fails (variant `official`) and for a file with errors (`strict`), unless
    `how.partial`: then missing predictions are empty ones.
    """
    if how.variant not in VARIANTS:
        raise UsageError(f"proactive has no variant '{how.variant}'{did_you_mean(how.variant, VARIANTS)}")
    if submission.rows is None:
        raise FormatError(submission.path, submission.problems)
    problems = _admitted(examples, submission, how)
    count = _official if how.variant == "official" else _strict
    counted = count(examples, submission, how)
    return _report(examples, submission, how, counted, problems)


def _key(variant: str) -> Key:
    return "joined" if variant == "official" else "tuple"


def _admitted(examples: Sequence[Example], submission: Submission, how: Scoring) -> Sequence[Problem]:
    """Return what the strict check finds, or raise `FormatError` for a file that the variant refuses."""
    alignment.expect_truth(submission, examples, how.variant)
    found = checker.check(submission, examples or None, "strict")
    if how.variant == "official":
        refused = [one for one in found if one.rule == "line-count" and not alignment.carries_references(submission)]
    else:
        refused = [one for one in found if one.severity == "error"]
    unusable = any(one.rule in checker.UNUSABLE for one in refused)
    if refused and (unusable or not how.partial):
        raise FormatError(submission.path, refused if how.variant == "official" else found)
    return found


class _Counted(msgspec.Struct, frozen=True):
    """What a file holds, counted."""

    lines: int
    n: int
    """Lines that were scored."""
    array: Any
    """Integers (lines or runs of lines, `COLUMNS`); a line that is not scored has zeros."""
    said: list[str]
    """The predictions, empty for a line that is not scored; no list where there are too many."""
    grams: tuple[Any, ...]
    """Words and bigrams of the predictions as numbers (`PairCounter.said`); nothing where there are too many."""
    values: dict[str, float]
    """The scores where they are known more exactly than the counts give them."""
    transcript: tuple[str, ...] = ()


def _official(examples: Sequence[Example], submission: Submission, how: Scoring) -> _Counted:
    tally = official.Tally(keep=MANY)
    alone = alignment.carries_references(submission) or not examples
    lines = len(submission.rows) if alone else len(examples)
    table = _Table(lines)
    said: list[str] = []
    for pairs in alignment.official_pairs(submission, examples):
        part = np.zeros((len(pairs), len(COLUMNS)), dtype=np.int64)
        scored = [place for place, pair in enumerate(pairs) if pair is not None]
        part[scored] = tally.add([pair for pair in pairs if pair is not None])
        table.add(part)
        said += [pair[0] if pair is not None else "" for pair in pairs] if lines <= MANY else []
    outcome = tally.outcome()
    refused = checker.refusal(outcome)
    if refused is not None:
        raise FormatError(submission.path, [refused], transcript=outcome.stdout)
    grams = _grams(tally.counter, lines, how)
    return _Counted(lines, outcome.pairs, table.array, said, grams, dict(outcome.scores), outcome.stdout)


def _strict(examples: Sequence[Example], submission: Submission, how: Scoring) -> _Counted:
    counter = PairCounter(empty_words=False, keep=MANY)
    lines = len(examples) or len(submission.rows)
    table = _Table(lines)
    said: list[str] = []
    for pairs in alignment.strict_pairs(submission, examples):
        table.add(counter.add([pair[0] for pair in pairs], [pair[1] for pair in pairs]))
        said += [pair[0] for pair in pairs] if lines <= MANY else []
    totals = table.array.sum(axis=0)
    different = {
        "distinct-1": (counter.different_words(), 6),
        "distinct-2": (counter.different_bigrams(joined=False), 9),
    }
    values = {name: found / int(totals[at]) if totals[at] else 0.0 for name, (found, at) in different.items()}
    return _Counted(lines, lines, table.array, said, _grams(counter, lines, how), values)


class _Table:
    """The counts of lines, those of more than `MANY` added up by runs of lines."""

    def __init__(self, lines: int) -> None:
        self.step = _step(lines)
        self.array = np.zeros((-(-lines // self.step), len(COLUMNS)), dtype=np.int64)
        self._at = 0

    def add(self, part: Integers) -> None:
        """Put in the counts of the lines that follow."""
        if self.step == 1:
            self.array[self._at : self._at + len(part)] = part
        elif len(part):
            runs = np.arange(self._at, self._at + len(part)) // self.step
            starts = np.flatnonzero(np.diff(runs, prepend=-1))
            self.array[runs[starts]] += np.add.reduceat(part, starts, axis=0)
        self._at += len(part)


def _step(lines: int) -> int:
    """Return how many lines are counted as one."""
    return -(-lines // _RUNS) if lines > MANY else 1


def _grams(counter: PairCounter, lines: int, how: Scoring) -> tuple[Integers, ...]:
    if lines > MANY:
        return ()
    return tuple(counter.said(n, joined=_key(how.variant) == "joined") for n in (1, 2))


def _report(
    examples: Sequence[Example],
    submission: Submission,
    how: Scoring,
    counted: _Counted,
    problems: Sequence[Problem],
) -> Report:
    formulas = metrics(how)
    counts, spreads = _counts(examples, how, counted)
    known = _known(formulas, counts, counted.values)
    hashes = (f"gold {alignment.gold_hash(submission, examples)}", f"pred {submission.hash[:8] or 'none'}")
    parts = ("proactive", how.variant, VERSION, f"n {counted.n}", *hashes)
    found = _scores(counts, known, counted.values, spreads, parts, _RESAMPLES)
    return Report(
        task="proactive",
        variant=how.variant,
        n=counted.n,
        scores=found,
        rank_by=RANK_BY,
        signature=sign(known, *parts),
        slices=_slices(examples, how, counts, counted, known, parts),
        columns=counts.columns,
        items=counts.rows(),
        groups=counts.groups or (),
        problems=tuple(problems),
        transcript=counted.transcript,
    )


def _counts(examples: Sequence[Example], how: Scoring, counted: _Counted) -> tuple[Counts, dict[str, Spread]]:
    """Return the counts that a report keeps, and the jackknife intervals of DISTINCT."""
    joined = _key(how.variant) == "joined"
    dropped = "2-grams hit" if joined else "2-grams joined hit"
    kept = [at for at, name in enumerate(COLUMNS) if name != dropped]
    columns = [COLUMNS[at] for at in kept]
    array = counted.array[:, kept]
    if counted.lines > MANY:
        step = _step(counted.lines)
        starts = range(0, counted.lines, step)
        names = tuple(f"lines {start + 1}-{min(start + step, counted.lines)}" for start in starts)
        return Counts(names, tuple(columns), array), {}
    matched = len(examples) == counted.lines
    ids = tuple(one.sample.id for one in examples) if matched else tuple(map(_line_name, range(counted.lines)))
    groups = tuple(one.sample.dialogue_id for one in examples) if matched else None
    extra = []
    spreads = {}
    sizes = (counted.array[:, COLUMNS.index("1-grams said")], counted.array[:, COLUMNS.index("2-grams said")])
    for n in (1, 2):
        diversity = diversity_of(counted.grams[n - 1], sizes[n - 1], groups)
        spreads[f"distinct-{n}"] = diversity.spread()
        columns.append(Distinct(n, _key(how.variant)).columns[1])
        extra.append(diversity.fresh[:, None])
    if matched and how.variant == "strict" and all(one.sample.goal is not None for one in examples):
        columns += [*overlap_metrics("objects")[0].columns, *knowledge.Completion.columns]
        extra.append(_told(examples, counted.said))
    return Counts(ids, tuple(columns), np.hstack([array, *extra]), groups), spreads


def _line_name(place: int) -> str:
    return f"line {place + 1}"


def _told(examples: Sequence[Example], said: Sequence[str]) -> Integers:
    """Return per sample the objects hit, said and wanted, and in the first row of each whole dialogue its points."""
    array = np.zeros((len(examples), 5), dtype=np.int64)
    facts = [knowledge.usable(one.sample) for one in examples]
    for place, (one, text) in enumerate(zip(examples, said, strict=True)):
        wanted = knowledge.mentioned(alignment.reference_of(one) or "", facts[place])
        array[place, :3] = count_overlap(knowledge.mentioned(text, facts[place]), wanted)
    for places in knowledge.whole_dialogues(examples):
        goal = examples[places[0]].sample.goal
        topics = goal.topics if goal is not None else ()
        points = knowledge.completion(topics, facts[places[0]], [said[place] for place in places])
        array[places[0], 3:] = 1, points
    return array


def _known(formulas: Sequence[Metric[Any]], counts: Counts, values: dict[str, float]) -> list[Metric[Any]]:
    """Return the formulas that mean something here: what they count is there, and not nothing at all."""
    known = []
    for one in formulas:
        counted = set(one.columns) <= set(counts.columns)
        if one.name in values or one.name in _ALWAYS or (counted and not np.isnan(one.value(counts))):
            known.append(one)
    return known


def _scores(
    counts: Counts,
    formulas: Sequence[Metric[Any]],
    values: dict[str, float],
    spreads: dict[str, Spread],
    parts: Sequence[str],
    resamples: int,
) -> tuple[Score, ...]:
    """Return the scores with their intervals; where nothing at all is said or wanted a score is 0 and has none."""
    additive = [one for one in formulas if one.additive and not np.isnan(one.value(counts))]
    intervals = {one.name: one for one in scores(counts, additive, seed=_SEED, resamples=resamples)}
    found = []
    for formula in formulas:
        name = formula.name
        base = intervals.get(name) or Score(name=name, value=0.0)
        value = values.get(name, base.value)
        low, high = base.low, base.high
        if name in spreads and not np.isnan(spreads[name].value):
            _, low, high = spreads[name]
        if low is not None and high is not None:
            low, high = min(low, value), max(high, value)  # the same sum may round differently there
        found.append(Score(name=name, value=value, low=low, high=high, signature=sign([formula], *parts)))
    return tuple(found)


def _slices(
    examples: Sequence[Example],
    how: Scoring,
    counts: Counts,
    counted: _Counted,
    formulas: Sequence[Metric[Any]],
    parts: Sequence[str],
) -> tuple[Slice, ...]:
    """Return the scores of parts of the data; DISTINCT falls with their size, so it is left out."""
    if len(examples) != len(counts):
        return ()
    cut = [one for one in formulas if one.name in _CUT]
    made = []
    scored = counted.array.any(axis=1)
    for by in how.by or CUTS:
        for value, rows in cuts_of(examples, by).items():
            n = int(scored[rows].sum())
            if n:
                part = counts.take(rows)
                told = (*parts, f"{value} {n}")
                found = _scores(part, _known(cut, part, {}), {}, {}, told, _SLICE_RESAMPLES)
                made.append(Slice(by=by, value=value, n=n, scores=found))
    return tuple(made)
