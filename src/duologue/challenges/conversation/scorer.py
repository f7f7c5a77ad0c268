"""The scores of the conversation challenge: BLEU and its kin, always with the diversity beside them.

Variants:

* `strict` (default): BLEU-1..4, ROUGE-L and CIDEr as the official ranking computed them, METEOR and embedding
  scores where asked for, diversity; only for complete files;
* `coco`: the same formulas for any file whose replies and references can be paired;
* `official`: `bleu_score.py` with the NLTK of 2017, with its printed lines; `official-nltk-current`: the same
  with the NLTK of today, which differs where an n-gram order has no match.

Intervals (95 %): BLEU, ROUGE-L, METEOR and embedding scores are formulas over sums and bootstrapped. CIDEr and
DISTINCT are not: CIDEr's is a jackknife over 20 groups with all document frequencies counted again (none for fewer
than 20 samples), DISTINCT's a jackknife that leaves out one reply. The shares of different and of most frequent
replies describe this very file and have none. Files of more than 100,000 samples keep their counts in 10,000 runs of
consecutive samples, which resampling then draws. Source: specification, sections 7 and 8.
"""

from __future__ import annotations

import hashlib
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from duologue.challenges.conversation import official
from duologue.challenges.conversation.checker import VARIANTS
from duologue.challenges.conversation.items import items_of
from duologue.core import disk
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.records import Report, Score, Slice
from duologue.metrics.bleu import ORDERS, Bleu, bleu_columns, count_layers, layers_of
from duologue.metrics.caption import CIDER, GROUPS, ROUGE_L, Average, Cider, rouge_l
from duologue.metrics.counts import Counts, Metric, sign
from duologue.metrics.diversity import Distinct, Diversity
from duologue.metrics.embedding import EMBEDDING, read_vectors
from duologue.metrics.meteor import COLUMNS as METEOR_COLUMNS
from duologue.metrics.meteor import Meteor, count_meteor, find_meteor
from duologue.metrics.significance import scores as resampled
from duologue.metrics.tokens import number_grams, number_texts, with_lengths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.conversation.items import Items
    from duologue.core.records import Example, Scoring, Submission
    from duologue.metrics.counts import Floats
    from duologue.metrics.tokens import Grams, Tokens

VERSION = "v1"
RANK_BY = "bleu-4"
RESAMPLES = 1_000
"""Resamples behind an interval."""
MANY = 100_000
"""Samples beyond which counts are kept by runs of samples, which resampling then draws; such files have no slices."""
_RUNS = 10_000
_SEED = 0
"""Seed of the bootstrap: the same file gives the same interval."""

_HERE = "section 8.4 of the specification: one constant reply beats every ordinary system on BLEU-4"
DIFFERENT = Average(
    "different-replies", "different-replies = different replies / replies", additive=False, source=_HERE
)
COMMONEST = Average(
    "commonest-reply",
    "commonest-reply = replies that are the most frequent one / replies",
    additive=False,
    source=_HERE,
)
COMMONEST.higher_is_better = False
DIVERSITY: tuple[Metric[Any], ...] = (Distinct(1), Distinct(2), DIFFERENT, COMMONEST)

_TURNS = ((1, 1, "1"), (2, 2, "2"), (3, 4, "3-4"), (5, 8, "5-8"))
"""Classes of the slices by context, in utterances; more is `9+`."""


class _Counted(NamedTuple):
    """Columns and the intervals that no bootstrap can give."""

    columns: dict[str, Floats]
    intervals: dict[str, tuple[float, float]]
    vectors: str = ""
    """Hash of the table of word vectors, where one was used."""


def formulas(how: Scoring) -> tuple[Metric[Any], ...]:
    """Return the formulas of a variant in the order of its scores.

    METEOR is one of them where its program is given (option `meteor`, or the environment), embedding scores where
    a table is (option `vectors`). Raises `UsageError` for an unknown variant or an option that does not fit it.
    """
    if how.variant not in VARIANTS:
        raise UsageError(f"conversation has no variant '{how.variant}'{did_you_mean(how.variant, VARIANTS)}")
    for name in how.options:
        if name not in ("vectors", "meteor"):
            raise UsageError(f"conversation has no option '{name}'{did_you_mean(name, ('vectors', 'meteor'))}")
    profile = official.PROFILES.get(how.variant)
    if profile:
        if how.options:
            raise UsageError(f"variant '{how.variant}' is BLEU alone; leave the options out, or take variant coco")
        return (*(Bleu(order, profile) for order in range(1, ORDERS + 1)), *DIVERSITY)
    found: list[Metric[Any]] = [*(Bleu(order) for order in range(1, ORDERS + 1)), ROUGE_L, CIDER]
    if _meteor(how) is not None:
        found.append(Meteor(_meteor(how)))
    if how.options.get("vectors"):
        found += EMBEDDING
    return (*found, *DIVERSITY)


def _meteor(how: Scoring) -> Path | None:
    given = how.options.get("meteor")
    return Path(given) if given else find_meteor()


def score(examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
    """Score replies against references: those of `examples`, or the `S_REF:` lines of system output.

    Raises `FormatError` for a file that the variant refuses (with the lines that the official program prints
    instead), `UsageError` for options that do not fit or missing references, and `MissingExtraError` where METEOR
    is asked for and cannot run.
    """
    metrics = formulas(how)
    items = items_of(examples, submission, how)
    counted = _count(items, how)
    columns = tuple(dict.fromkeys(name for metric in metrics for name in metric.columns))
    counts = _counts(items, columns, counted)
    parts = _signature_parts(items, submission, how, counted.vectors)
    found = _scores(counts, metrics, counted.intervals, parts)
    transcript: tuple[str, ...] = ()
    if how.variant in official.PROFILES:
        bleu = [one.value for one in found[:ORDERS]]
        transcript = official.transcript(submission.path, len(items.ids), len(items.ids), bleu)
    return Report(
        task="conversation",
        variant=how.variant,
        n=len(items.ids),
        scores=found,
        rank_by=RANK_BY,
        signature=sign(metrics, *parts),
        slices=_slices(items, counts, metrics, how, parts),
        columns=columns,
        items=counts.rows(),
        problems=items.problems,
        transcript=transcript,
        meta={"different replies": int(counted.columns[DIFFERENT.columns[1]].sum())},
    )


def _counts(items: Items, columns: tuple[str, ...], counted: _Counted) -> Counts:
    """Return the counts that a report keeps: by item, or by runs of items where there are very many."""
    n = len(items.ids)
    if n <= MANY:
        return Counts(tuple(items.ids), columns, np.column_stack([counted.columns[name] for name in columns]))
    step = -(-n // _RUNS)
    starts = range(0, n, step)
    names = tuple(f"samples {items.ids[start]}-{items.ids[min(start + step, n) - 1]}" for start in starts)
    sums = [np.add.reduceat(counted.columns[name], np.array(starts)) for name in columns]
    return Counts(names, columns, np.column_stack(sums))


def _count(items: Items, how: Scoring) -> _Counted:
    profile = official.PROFILES.get(how.variant, "coco")
    columns: dict[str, Floats] = {"items": np.ones(len(items.replies))}
    intervals: dict[str, tuple[float, float]] = {}
    layers = layers_of(items.references)
    tokens = number_texts([*items.replies, *chain.from_iterable(layer.texts for layer in layers)])
    bleu = count_layers(tokens, [layer.items for layer in layers], len(items.replies), profile=profile)
    columns.update(zip(bleu_columns(profile), bleu.T, strict=True))
    _count_diversity(items.replies, tokens, columns, intervals)
    if how.variant in official.PROFILES:
        return _Counted(columns, intervals)
    said = [one.split() for one in items.replies]
    wanted = [[one.split() for one in several] for several in items.references]
    columns[ROUGE_L.name] = np.array(list(map(rouge_l, items.replies, items.references)))
    cider = Cider(said, wanted)
    columns[CIDER.name] = cider.values()
    if len(said) >= GROUPS:
        intervals[CIDER.name] = cider.interval(_groups(items.ids))
    if _meteor(how) is not None:
        counted = count_meteor(items.replies, items.references, _meteor(how))
        columns.update(zip(METEOR_COLUMNS, counted.T, strict=True))
    if how.options.get("vectors"):
        words = {token for text in (*said, *chain.from_iterable(wanted)) for token in text}
        vectors = read_vectors(Path(how.options["vectors"]), words)
        alike = np.array([vectors.likeness(one, several) for one, several in zip(said, wanted, strict=True)])
        columns.update(zip([metric.name for metric in EMBEDDING], alike.T, strict=True))
        return _Counted(columns, intervals, vectors.hash)
    return _Counted(columns, intervals)


def _count_diversity(
    texts: Sequence[str], tokens: Tokens, columns: dict[str, Floats], intervals: dict[str, tuple[float, float]]
) -> None:
    """Count the diversity of the replies, which are the first of the numbered texts."""
    items = len(texts)
    lengths = tokens.lengths[:items]
    ends = np.cumsum(lengths).tolist()
    said = with_lengths(tokens.numbers[: int(lengths.sum())], lengths, tokens.vocabulary)
    for grams in number_grams(said, 2):
        metric, diversity = DIVERSITY[grams.order - 1], _diversity(grams, items)
        columns.update(zip(metric.columns, (diversity.said.astype(float), diversity.fresh.astype(float)), strict=True))
        if len(grams.numbers):
            spread = diversity.spread()
            intervals[metric.name] = (spread.low, spread.high)
    kinds: dict[bytes, int] = {}
    replies = (said.numbers[end - length : end].tobytes() for end, length in zip(ends, lengths.tolist(), strict=True))
    kind = np.fromiter((kinds.setdefault(one, len(kinds)) for one in replies), np.int64, items)
    _, first, times = np.unique(kind, return_index=True, return_counts=True)
    tied = np.flatnonzero(times == times.max(initial=0)).tolist()
    commonest = min(tied, key=lambda one: texts[int(first[one])].split(), default=0)
    columns[DIFFERENT.name] = np.zeros(items)
    columns[DIFFERENT.name][first] = 1
    columns[COMMONEST.name] = (kind == commonest).astype(float)


def _diversity(grams: Grams, items: int) -> Diversity:
    """Return the diversity of n-grams that are numbered and stand in the order of the replies: nothing is sorted."""
    first = np.zeros(grams.kinds, np.int64)
    last = np.full(grams.kinds, -1, np.int64)
    first[grams.numbers[::-1]] = grams.texts[::-1]  # of several values for one place the last one stays
    last[grams.numbers] = grams.texts
    met = last >= 0
    said = np.bincount(grams.texts, minlength=items)
    return Diversity(
        said=said,
        fresh=np.bincount(first[met], minlength=items),
        group_said=said,
        group_alone=np.bincount(first[met & (first == last)], minlength=items),
    )


def _groups(ids: Sequence[str]) -> NDArray[np.int64]:
    """Return each item's group of the jackknife: dealt out in the order of a hash of the ids, all alike large."""
    order = sorted(range(len(ids)), key=lambda row: hashlib.sha256(ids[row].encode("utf-8", "replace")).digest())
    groups = np.empty(len(ids), np.int64)
    groups[order] = np.arange(len(ids)) % GROUPS
    return groups


def _signature_parts(items: Items, submission: Submission, how: Scoring, vectors: str) -> tuple[str, ...]:
    texts = ((name, str(len(several)), *several) for name, several in zip(items.ids, items.references, strict=True))
    gold = disk.sha256("\n".join(chain.from_iterable(texts)).encode("utf-8", "replace"))
    counts = sorted({len(one) for one in items.references})
    references = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    chosen = []
    if vectors:
        chosen.append(f"vectors {vectors[:8]}")
    if how.partial:
        chosen.append("partial")
    hashes = (f"gold {gold[:8]}", f"pred {submission.hash[:8] or 'none'}")
    tokens = f"white space, {references} ref"
    return ("conversation", how.variant, tokens, *chosen, VERSION, f"n {len(items.ids)}", *hashes)


def _scores(
    counts: Counts,
    metrics: Sequence[Metric[Any]],
    intervals: dict[str, tuple[float, float]],
    parts: tuple[str, ...],
) -> tuple[Score, ...]:
    made = []
    for metric, one in zip(metrics, resampled(counts, metrics, seed=_SEED, resamples=RESAMPLES), strict=True):
        low, high = intervals.get(metric.name, (one.low, one.high))
        value = one.value
        if np.isnan(value):  # no reply holds an n-gram: nothing is different, and nothing can be said of chance
            value, low, high = 0.0, None, None
        made.append(msgspec.structs.replace(one, value=value, low=low, high=high, signature=sign([metric], *parts)))
    return tuple(made)


def _slices(
    items: Items, counts: Counts, metrics: Sequence[Metric[Any]], how: Scoring, parts: tuple[str, ...]
) -> tuple[Slice, ...]:
    """Return the additive scores by the length of the context, where it is known."""
    if len(counts) != len(items.ids) or not any(items.turns) or (how.by and "turns" not in how.by):
        return ()
    kinds: dict[str, list[int]] = {}
    for row, turns in enumerate(items.turns):
        kinds.setdefault(next((name for low, high, name in _TURNS if low <= turns <= high), _rest(turns)), []).append(
            row
        )
    additive = [metric for metric in metrics if metric.additive]
    return tuple(
        Slice(
            by="turns",
            value=kind,
            n=len(kinds[kind]),
            scores=_scores(counts.take(kinds[kind]), additive, {}, (*parts, f"turns {kind} {len(kinds[kind])}")),
        )
        for kind in sorted(kinds)
    )


def _rest(turns: int) -> str:
    return "9+" if turns else "0"
