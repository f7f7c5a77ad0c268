"""Sufficient statistics of replies against references, per sample and corpus-wide.

Source: specification, section 8.
"""

from __future__ import annotations

import hashlib
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from duologue.challenges.conversation.scoring import official
from duologue.metrics.caption import CIDER, GROUPS, ROUGE_L, Cider, rouge_l
from duologue.metrics.chrf import CHRF, count_chrf
from duologue.metrics.corpus_bleu import bleu_columns, count_layers, layers_of
from duologue.metrics.diversity import Distinct, Diversity
from duologue.metrics.formulas import Average
from duologue.metrics.greedy_idf import GREEDY_IDF, IdfMatching, ReferenceIdf
from duologue.metrics.meteor import COLUMNS as METEOR_COLUMNS
from duologue.metrics.meteor import count_meteor, find_meteor
from duologue.metrics.sentence_vectors import SENTENCE_COSINE, key_of, read_sentence_vectors
from duologue.metrics.tokens import number_grams, number_texts, with_lengths
from duologue.metrics.word_vectors import EMBEDDING, read_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.conversation.scoring.items import ScoredItems
    from duologue.core.records import Scoring
    from duologue.metrics.counts import Floats, Metric
    from duologue.metrics.tokens import Grams, Tokens
    from duologue.metrics.word_vectors import Vectors

_HERE = "section 8.4 of the specification: one constant reply beats every ordinary system on BLEU-4"
DIFFERENT = Average(
    "different-replies", "different-replies = different replies / replies", additive=False, source=_HERE
)
MOST_FREQUENT = Average(
    "commonest-reply",
    "commonest-reply = replies that are the most frequent one / replies",
    additive=False,
    higher_is_better=False,
    source=_HERE,
)
SENTENCES = "sentence-vectors"
"""Option with a table of vectors of whole texts."""
DIVERSITY: tuple[Metric[Any], ...] = (Distinct(1), Distinct(2), DIFFERENT, MOST_FREQUENT)


class ItemCounts(NamedTuple):
    """Count columns, and the intervals of scores that are no formulas over sums."""

    columns: dict[str, Floats]
    """Per sample, by name."""
    intervals: dict[str, tuple[float, float]]
    vectors: str = ""
    """Hash of the word vectors, where used."""
    sentences: str = ""
    """Hash of the sentence vectors, where used."""


def meteor_of(how: Scoring) -> Path | None:
    """Return the METEOR jar: from the option (empty: none), else where `find_meteor` finds it."""
    if "meteor" in how.options:
        return Path(how.options["meteor"]) if how.options["meteor"] else None
    return find_meteor()


def profile_of(how: Scoring) -> str:
    """Return the BLEU profile of a variant."""
    return official.PROFILES.get(how.variant, "coco")


def count_each(
    items: ScoredItems, profile: str, known: dict[str, int] | None = None
) -> tuple[dict[str, Floats], Tokens]:
    """Return the per-sample counts, and the token ids of the replies, then of the references by layer.

    Chunks that share `known` share token ids.
    """
    columns: dict[str, Floats] = {"items": np.ones(len(items.replies))}
    layers = layers_of(items.references)
    tokens = number_texts([*items.replies, *chain.from_iterable(layer.texts for layer in layers)], known)
    bleu = count_layers(tokens, [layer.items for layer in layers], len(items.replies), rules=profile)
    columns.update(zip(bleu_columns(profile), bleu.T, strict=True))
    if profile == "coco":
        columns[ROUGE_L.name] = np.array(list(map(rouge_l, items.replies, items.references)))
        columns.update(zip(CHRF.columns, count_chrf(items.replies, items.references).T, strict=True))
    return columns, tokens


def count(items: ScoredItems, how: Scoring) -> ItemCounts:
    """Count all samples at once. Raises as `count_meteor`, `read_vectors` and `read_sentence_vectors` do."""
    columns, tokens = count_each(items, profile_of(how))
    intervals: dict[str, tuple[float, float]] = {}
    _count_diversity(items.replies, tokens, columns, intervals)
    if how.variant in official.PROFILES:
        return ItemCounts(columns, intervals)
    said = [one.split() for one in items.replies]
    wanted = [[one.split() for one in several] for several in items.references]
    cider = Cider(said, wanted)
    columns[CIDER.name] = cider.values()
    if len(said) >= GROUPS:
        intervals[CIDER.name] = cider.interval(_groups(items.ids))
    columns.update(count_with_meteor(items, how))
    word_hash = sentence_hash = ""
    if how.options.get("vectors"):
        words = {token for text in (*said, *chain.from_iterable(wanted)) for token in text}
        vectors = read_vectors(Path(how.options["vectors"]), words)
        idf = ReferenceIdf()
        idf.add(chain.from_iterable(wanted))
        columns.update(count_embedding(items, vectors, idf))
        word_hash = vectors.hash
    if how.options.get(SENTENCES):
        texts = {key_of(text) for text in (*items.replies, *chain.from_iterable(items.references))}
        sentences = read_sentence_vectors(Path(how.options[SENTENCES]), texts)
        columns[SENTENCE_COSINE.name] = sentences.likeness(items.replies, items.references)
        sentence_hash = sentences.hash
    return ItemCounts(columns, intervals, word_hash, sentence_hash)


def count_with_meteor(items: ScoredItems, how: Scoring) -> dict[str, Floats]:
    """Return METEOR's counts per sample; empty without its program."""
    path = meteor_of(how)
    if path is None:
        return {}
    counted = count_meteor(items.replies, items.references, path)
    return dict(zip(METEOR_COLUMNS, counted.T, strict=True))


def count_embedding(items: ScoredItems, vectors: Vectors, idf: ReferenceIdf) -> dict[str, Floats]:
    """Return the embedding scores per sample; `idf` is of the references of all samples."""
    matching = IdfMatching(vectors, idf)
    cut = [[one.split() for one in several] for several in items.references]
    pairs = [(one.split(), several) for one, several in zip(items.replies, cut, strict=True)]
    alike = np.array([(*vectors.likeness(*pair), matching.f1(*pair)) for pair in pairs])
    return dict(zip([metric.name for metric in (*EMBEDDING, GREEDY_IDF)], alike.T, strict=True))


def _count_diversity(
    texts: Sequence[str], tokens: Tokens, columns: dict[str, Floats], intervals: dict[str, tuple[float, float]]
) -> None:
    """Count the diversity of the replies, which are the first texts of `tokens`."""
    items = len(texts)
    lengths = tokens.lengths[:items]
    ends = np.cumsum(lengths).tolist()
    said = with_lengths(tokens.numbers[: int(lengths.sum())], lengths, tokens.vocabulary)
    for grams in number_grams(said, 2):
        metric, diversity = DIVERSITY[grams.order - 1], _diversity(grams, items)
        columns.update(zip(metric.columns, (diversity.said.astype(float), diversity.fresh.astype(float)), strict=True))
        if len(grams.numbers) and (both := diversity.ends()):
            intervals[metric.name] = both
    kinds: dict[bytes, int] = {}
    replies = (said.numbers[end - length : end].tobytes() for end, length in zip(ends, lengths.tolist(), strict=True))
    kind = np.fromiter((kinds.setdefault(one, len(kinds)) for one in replies), np.int64, items)
    _, first, times = np.unique(kind, return_index=True, return_counts=True)
    tied = np.flatnonzero(times == times.max(initial=0)).tolist()
    commonest = min(tied, key=lambda one: texts[int(first[one])].split(), default=0)
    columns[DIFFERENT.name] = np.zeros(items)
    columns[DIFFERENT.name][first] = 1
    columns[MOST_FREQUENT.name] = (kind == commonest).astype(float)


def _diversity(grams: Grams, items: int) -> Diversity:
    """Return the diversity counts of n-gram ids in reply order, without sorting."""
    first = np.zeros(grams.kinds, np.int64)
    last = np.full(grams.kinds, -1, np.int64)
    first[grams.numbers[::-1]] = grams.texts[::-1]  # the last assignment wins
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
    """Return the jackknife group of each item: equal sizes, assigned by a hash of the ids."""
    order = sorted(range(len(ids)), key=lambda row: hashlib.sha256(ids[row].encode("utf-8", "replace")).digest())
    groups = np.empty(len(ids), np.int64)
    groups[order] = np.arange(len(ids)) % GROUPS
    return groups
