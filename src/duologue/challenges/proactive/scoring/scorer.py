"""Scores replies: F1, BLEU-1/2, DISTINCT-1/2 (official or strict), knowledge P/R/F1 and goal completion.

Variant `official` scores the lines of the file as `eval.py` does: a line without a prediction is not scored, bigrams
are joined strings (`ab|c` = `a|bc`), a double space makes an empty word. Variant `strict` scores one reply per sample:
an empty reply counts, bigrams are pairs of words, words are separated by any white space. If the data is given, strict
adds knowledge precision, recall and F1 over mentioned objects, and automatic goal completion.

Intervals are those of `metrics.intervals`, over dialogues where the data says whose a sample is; those of DISTINCT,
which is not additive, are of `metrics.diversity`. Files of more than 100,000 lines keep their counts in 10,000 runs of
consecutive lines, which are then left out and swapped as one, and have no interval for DISTINCT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from duologue.challenges.proactive import knowledge
from duologue.challenges.proactive.formats.stored import HELD_LIMIT
from duologue.challenges.proactive.schema import CUTS, INFO
from duologue.challenges.proactive.scoring import alignment, checker, official
from duologue.challenges.proactive.scoring.formulas import bigram_key, goal_completion, metrics
from duologue.challenges.proactive.scoring.slices import cuts_of
from duologue.core.errors import FormatError
from duologue.metrics.bulk_overlap import COLUMNS, PairCounter
from duologue.metrics.counts import Counts
from duologue.metrics.diversity import Distinct, diversity_of
from duologue.metrics.overlap import count_overlap, overlap_metrics
from duologue.metrics.reports import report_of, signature_of, slice_of
from duologue.metrics.run_sums import RunSums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Example, Problem, Report, Scoring, Signature, Slice, Submission
    from duologue.metrics.counts import Metric
    from duologue.metrics.lexicon import Integers

VERSIONS = {"official": "v1", "strict": "v2"}
"""By variant; strict v2 takes no object inside a topic's name for a mention of it."""
RANK_BY = "f1"
_RUNS = 10_000
_ALWAYS = ("f1", "bleu-1", "bleu-2")
_SLICE_SCORES = ("f1", "bleu-1", "bleu-2", "knowledge-f1")
"""Scores reported for slices."""


def score(examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
    """Score a prediction file against data, or an evaluation file by itself.

    Raises `FormatError` if `eval.py` fails (variant `official`) and for a file with errors (`strict`), unless
    `how.partial`: then missing predictions count as empty.
    """
    INFO.expect_variant(how.variant)
    if submission.rows is None:
        raise FormatError(submission.path, submission.problems)
    problems = _admitted(examples, submission, how)
    count = _official if how.variant == "official" else _strict
    counted = count(examples, submission, how)
    return _report(examples, submission, how, counted, problems)


def _admitted(examples: Sequence[Example], submission: Submission, how: Scoring) -> Sequence[Problem]:
    """Return the problems of the strict check, or raise `FormatError` for a file that the variant refuses."""
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


class _FileCounts(msgspec.Struct, frozen=True):
    """Counts of a result file."""

    lines: int
    n: int
    """Lines that were scored."""
    step: int
    """Lines per row of the counts."""
    array: Any
    """Integers (runs of lines, `COLUMNS`); zeros for a line that is not scored."""
    said: list[str]
    """Predictions, empty for a line that is not scored; no list for a very large file."""
    grams: tuple[Any, ...]
    """Words and bigrams of the predictions as ids (`PairCounter.said`); empty for a very large file."""
    values: dict[str, float]
    """Scores that are known more exactly than from the counts."""
    transcript: tuple[str, ...] = ()


def _official(examples: Sequence[Example], submission: Submission, how: Scoring) -> _FileCounts:
    tally = official.EvalPyCounter(keep=HELD_LIMIT)
    alone = alignment.carries_references(submission) or not examples
    lines = len(submission.rows) if alone else len(examples)
    sums = _sums_of(lines)
    said: list[str] = []
    for pairs in alignment.official_pairs(submission, examples):
        part = np.zeros((len(pairs), len(COLUMNS)), dtype=np.int64)
        scored = [place for place, pair in enumerate(pairs) if pair is not None]
        part[scored] = tally.add([pair for pair in pairs if pair is not None])
        _add(sums, part)
        said += [pair[0] if pair is not None else "" for pair in pairs] if lines <= HELD_LIMIT else []
    outcome = tally.outcome()
    refused = checker.refusal(outcome)
    if refused is not None:
        raise FormatError(submission.path, [refused], transcript=outcome.stdout)
    grams = _grams(tally.counter, lines, how)
    return _FileCounts(lines, outcome.pairs, sums.step, _array(sums), said, grams, dict(outcome.scores), outcome.stdout)


def _strict(examples: Sequence[Example], submission: Submission, how: Scoring) -> _FileCounts:
    counter = PairCounter(empty_words=False, keep=HELD_LIMIT)
    lines = len(examples) or len(submission.rows)
    sums = _sums_of(lines)
    said: list[str] = []
    for pairs in alignment.strict_pairs(submission, examples):
        _add(sums, counter.add([pair[0] for pair in pairs], [pair[1] for pair in pairs]))
        said += [pair[0] for pair in pairs] if lines <= HELD_LIMIT else []
    array = _array(sums)
    totals = array.sum(axis=0)
    different = {
        "distinct-1": (counter.different_words(), 6),
        "distinct-2": (counter.different_bigrams(joined=False), 9),
    }
    values = {name: found / int(totals[at]) if totals[at] else 0.0 for name, (found, at) in different.items()}
    return _FileCounts(lines, lines, sums.step, array, said, _grams(counter, lines, how), values)


def _sums_of(lines: int) -> RunSums:
    """Return empty counts per line; for more than `HELD_LIMIT` lines per run of lines."""
    return RunSums(lines, limit=_RUNS if lines > HELD_LIMIT else HELD_LIMIT)


def _add(sums: RunSums, part: Integers) -> None:
    sums.add(dict(zip(COLUMNS, part.T, strict=True)))


def _array(sums: RunSums) -> Integers:
    none = np.zeros(sums.runs)
    return np.array([sums.columns.get(name, none) for name in COLUMNS]).T.astype(np.int64)


def _grams(counter: PairCounter, lines: int, how: Scoring) -> tuple[Integers, ...]:
    if lines > HELD_LIMIT:
        return ()
    return tuple(counter.said(n, joined=bigram_key(how.variant) == "joined") for n in (1, 2))


def _report(
    examples: Sequence[Example],
    submission: Submission,
    how: Scoring,
    counted: _FileCounts,
    problems: Sequence[Problem],
) -> Report:
    formulas = metrics(how)
    counts, ends = _counts(examples, how, counted)
    known = _known(formulas, counts, counted.values)
    unit = "line" if counted.step == 1 else f"run of {counted.step} lines"
    gold = alignment.gold_hash(submission, examples)
    signature = signature_of(INFO, how, submission, gold, counted.n, version=VERSIONS[how.variant], unit=unit)
    return report_of(
        counts,
        known,
        signature,
        rank_by=RANK_BY,
        slices=_slices(examples, how, counts, known, signature),
        problems=problems,
        transcript=counted.transcript,
        values=counted.values,
        ends=ends,
        undefined=0.0,
    )


def _counts(
    examples: Sequence[Example], how: Scoring, counted: _FileCounts
) -> tuple[Counts, dict[str, tuple[float, float]]]:
    """Return the counts for the report, and the jackknife intervals of DISTINCT."""
    joined = bigram_key(how.variant) == "joined"
    dropped = "2-grams hit" if joined else "2-grams joined hit"
    kept = [at for at, name in enumerate(COLUMNS) if name != dropped]
    columns = [COLUMNS[at] for at in kept]
    array = counted.array[:, kept]
    if counted.lines > HELD_LIMIT:
        step = counted.step
        starts = range(0, counted.lines, step)
        names = tuple(f"lines {start + 1}-{min(start + step, counted.lines)}" for start in starts)
        return Counts(names, tuple(columns), array), {}
    matched = len(examples) == counted.lines
    ids = tuple(one.sample.id for one in examples) if matched else tuple(map(_line_name, range(counted.lines)))
    dialogues = tuple(one.sample.dialogue_id for one in examples) if matched else ids
    groups = dialogues if dialogues != ids else None  # samples in a file of their own do not say whose they are
    extra = []
    ends = {}
    sizes = (counted.array[:, COLUMNS.index("1-grams said")], counted.array[:, COLUMNS.index("2-grams said")])
    for n in (1, 2):
        diversity = diversity_of(counted.grams[n - 1], sizes[n - 1], groups)
        if both := diversity.ends():
            ends[f"distinct-{n}"] = both
        columns.append(Distinct(n, bigram_key(how.variant)).columns[1])
        extra.append(diversity.fresh[:, None])
    if matched and how.variant == "strict" and all(one.sample.goal is not None for one in examples):
        columns += [*overlap_metrics("objects")[0].columns, *goal_completion().columns]
        extra.append(_told(examples, counted.said))
    return Counts(ids, tuple(columns), np.hstack([array, *extra]), groups), ends


def _line_name(place: int) -> str:
    return f"line {place + 1}"


def _told(examples: Sequence[Example], said: Sequence[str]) -> Integers:
    """Return per sample the objects hit, said and wanted, and in the first row of each whole dialogue its points."""
    array = np.zeros((len(examples), 5), dtype=np.int64)
    facts = [knowledge.usable_facts(one.sample) for one in examples]
    for place, (one, text) in enumerate(zip(examples, said, strict=True)):
        wanted = knowledge.mentioned_objects(alignment.reference_of(one) or "", facts[place])
        array[place, :3] = count_overlap(knowledge.mentioned_objects(text, facts[place]), wanted)
    for places in knowledge.complete_dialogues(examples):
        goal = examples[places[0]].sample.goal
        topics = goal.topics if goal is not None else ()
        points = knowledge.goal_completion(topics, facts[places[0]], [said[place] for place in places])
        array[places[0], 3:] = 1, points
    return array


def _known(formulas: Sequence[Metric[Any]], counts: Counts, values: dict[str, float]) -> list[Metric[Any]]:
    """Return the metrics that are defined here: their counts exist and their value is not NaN."""
    known = []
    for one in formulas:
        counted = set(one.columns) <= set(counts.columns)
        if one.name in values or one.name in _ALWAYS or (counted and not np.isnan(one.value(counts))):
            known.append(one)
    return known


def _slices(
    examples: Sequence[Example], how: Scoring, counts: Counts, formulas: Sequence[Metric[Any]], signature: Signature
) -> list[Slice]:
    """Return the scores of slices, without DISTINCT, which depends on their size."""
    if len(examples) != len(counts):
        return []
    cut = [one for one in formulas if one.name in _SLICE_SCORES]
    scored = np.asarray(counts.array.any(axis=1))
    return [
        slice_of(counts, _known(cut, counts.take(rows), {}), signature, by, value, rows, undefined=0.0)
        for by in how.by or CUTS
        for value, rows in cuts_of(examples, by).items()
        if scored[rows].any()
    ]
