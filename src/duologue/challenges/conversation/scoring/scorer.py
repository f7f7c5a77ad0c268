"""Scoring of replies: BLEU, ROUGE-L, CIDEr, chrF, METEOR, embedding scores and relevance, always with diversity.

Variants:

* `strict` (default): BLEU-1..4, ROUGE-L and CIDEr as the official ranking computed them, chrF beside them, METEOR,
  embedding scores and relevance where asked for, diversity; only for complete files;
* `coco`: the same formulas for any file whose replies and references can be paired;
* `official`: `bleu_score.py` with the NLTK of 2017, with its printed lines; `official-nltk-current`: the same
  with the NLTK of today, which differs where an n-gram order has no match.

Intervals (95 %): BLEU, ROUGE-L, chrF, METEOR and embedding scores are formulas over sums (`metrics.intervals`; the idf
weights of `greedy-idf` are those of the whole file). CIDEr and DISTINCT are not: CIDEr's is a jackknife over 20 groups
with all document frequencies counted again (none for fewer than 20 samples), DISTINCT's a jackknife that leaves out one
reply. The shares of different and of most frequent replies describe this very file and have none. Files of more than
100,000 samples are counted in chunks (`stream_counts`): they keep their counts in 10,000 runs of consecutive samples,
left out and swapped as one, and have no interval for CIDEr and DISTINCT. Source: specification, sections 7 and 8.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from duologue.challenges.conversation.schema import INFO
from duologue.challenges.conversation.scoring import official
from duologue.challenges.conversation.scoring.checker import VARIANTS
from duologue.challenges.conversation.scoring.counts import (
    DIFFERENT,
    DIVERSITY,
    SENTENCES,
    ItemCounts,
    count,
    meteor_of,
)
from duologue.challenges.conversation.scoring.items import stream_of
from duologue.challenges.conversation.scoring.relevance import RELEVANCE, fitted_judge, sample_contexts
from duologue.challenges.conversation.scoring.relevance import count as count_relevance
from duologue.challenges.conversation.scoring.stream_counts import RunCounts, count_runs
from duologue.core.disk import Source
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.lines import sha256
from duologue.metrics.caption import CIDER, ROUGE_L
from duologue.metrics.chrf import CHRF
from duologue.metrics.corpus_bleu import ORDERS, Bleu
from duologue.metrics.counts import Counts, Metric
from duologue.metrics.greedy_idf import GREEDY_IDF
from duologue.metrics.meteor import Meteor
from duologue.metrics.reports import report_of, signature_of, slices_of
from duologue.metrics.sentence_vectors import SENTENCE_COSINE
from duologue.metrics.word_vectors import EMBEDDING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.challenges.conversation.scoring.items import ScoredItems
    from duologue.core.records import Example, Report, Scoring, Submission

VERSION = "v1"
RANK_BY = "bleu-4"
NOT_AS_PEOPLE = "people put systems in another order"
"""Stands beside the score that ranks: over 19 published systems its rank correlation with ratings is -.05."""
OPTIONS = ("vectors", SENTENCES, "meteor", "relevance")
NOT_COMPUTED = {
    "meteor": "METEOR (install duologue[meteor] and a Java, or give --option meteor=PATH/meteor-1.5.jar)",
    "vectors": "embedding scores (--option vectors=TABLE: GloVe or word2vec as text)",
    SENTENCES: "Skip-thought (no program or model of it installs any more; for sentence vectors of your own: "
    "--option sentence-vectors=FILE)",
}
"""Scores of the official ranking that only what the user has gives, by option, and how to get them."""
MANY = 100_000
"""Above this number of samples counts are kept per run, left out and swapped as one; no slices then."""
RUNS = 10_000

_TURNS = ((1, 1, "1"), (2, 2, "2"), (3, 4, "3-4"), (5, 8, "5-8"))
"""Context-length bins of the slices, in utterances; longer is `9+`."""


def formulas(how: Scoring) -> tuple[Metric[Any], ...]:
    """Return the metrics of a variant in report order.

    METEOR is one of them where its program is given (option `meteor`, the environment, or the extra `meteor` with a
    Java on the path; an empty option leaves it out), embedding scores where a table is (option `vectors`; of
    sentences: `sentence-vectors`), relevance where training dialogues are (option `relevance`). Raises `UsageError` for
    an unknown variant or an option that does not fit it.
    """
    if how.variant not in VARIANTS:
        raise UsageError(f"conversation has no variant '{how.variant}'{did_you_mean(how.variant, VARIANTS)}")
    for name in how.options:
        if name not in OPTIONS:
            raise UsageError(f"conversation has no option '{name}'{did_you_mean(name, OPTIONS)}")
    profile = official.PROFILES.get(how.variant)
    if profile:
        if any(how.options.values()):
            raise UsageError(f"variant '{how.variant}' is BLEU alone; leave the options out, or take variant coco")
        return (*_bleu(profile), *DIVERSITY)
    found: list[Metric[Any]] = [*_bleu("coco"), ROUGE_L, CIDER, CHRF]
    if meteor_of(how) is not None:
        found.append(Meteor(meteor_of(how)))
    if how.options.get("vectors"):
        found += (*EMBEDDING, GREEDY_IDF)
    if how.options.get(SENTENCES):
        found.append(SENTENCE_COSINE)
    if how.options.get("relevance"):
        found.append(RELEVANCE)
    return (*found, *DIVERSITY)


def _bleu(profile: str) -> Iterator[Bleu]:
    for order in range(1, ORDERS + 1):
        yield Bleu(order, profile, note=NOT_AS_PEOPLE if f"bleu-{order}" == RANK_BY else "")


def not_computed(how: Scoring) -> str:
    """Return which scores of the official ranking are left out and how to get them; empty where none is.

    The official program has BLEU alone, so nothing is left out of it.
    """
    if how.variant in official.PROFILES:
        return ""
    there = {"meteor": meteor_of(how), **{name: how.options.get(name) for name in ("vectors", SENTENCES)}}
    return ", ".join(told for name, told in NOT_COMPUTED.items() if not there[name])


def score(examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
    """Score replies against references: those of `examples`, or the `S_REF:` lines of system output.

    Raises `FormatError` for a file that the variant refuses (with the lines that the official program prints
    instead), `UsageError` for options that do not fit or missing references, and `MissingExtraError` where METEOR
    is asked for and cannot run.
    """
    metrics = formulas(how)
    flow = stream_of(examples, submission, how)
    if how.options.get("relevance") and flow.n > MANY:
        raise UsageError(f"relevance is counted for up to {MANY:,} samples, found {flow.n:,}; score a part of them")
    truth, fitted = _ReferenceDigest(), ""
    columns = tuple(dict.fromkeys(name for metric in metrics for name in metric.columns))
    items = flow.whole() if flow.n <= MANY else None
    counted: ItemCounts | RunCounts
    if items is None:
        counted = count_runs(flow, how, RUNS, truth.add)
        names, intervals = counted.names, {}
    else:
        truth.add(items)
        counted = count(items, how)
        names, intervals = items.ids, counted.intervals
        if how.options.get("relevance"):
            judge = fitted_judge(Path(how.options["relevance"]))
            asked = sample_contexts(items.ids, examples, submission)
            counted.columns[RELEVANCE.name] = count_relevance(asked, items.replies, judge)
            fitted = judge.hash
    counts = Counts(tuple(names), columns, np.column_stack([counted.columns[name] for name in columns]))
    jar = meteor_of(how) if any(isinstance(metric, Meteor) for metric in metrics) else None
    left_out = {"not computed": said} if (said := not_computed(how)) else {}
    programs: dict[str, Any] = {} if jar is None else {"programs": {"meteor": str(jar)}}
    tables = {
        "vectors": counted.vectors,
        SENTENCES: counted.sentences,
        "judge": fitted,
        "meteor": "" if jar is None else sha256(Source(jar)),
    }
    chosen = {name: digest for name, digest in tables.items() if digest}
    signature = signature_of(
        INFO,
        how,
        submission,
        truth.hash(),
        flow.n,
        options=("partial",) if how.partial else (),
        hashes=chosen,
        version=VERSION,
        tokens="white space",
        references=truth.references(),
        unit="" if items is not None else f"run of up to {-(-flow.n // len(names))} samples",
    )
    cuts = _cuts(items, how) if items is not None else {}
    report = report_of(
        counts,
        metrics,
        signature,
        rank_by=RANK_BY,
        slices=slices_of(counts, metrics, signature, cuts, undefined=0.0),
        problems=flow.problems,
        meta={"different replies": int(counted.columns[DIFFERENT.columns[1]].sum()), **left_out, **programs},
        ends=intervals,
        undefined=0.0,  # no reply holds an n-gram: nothing is different
    )
    if how.variant not in official.PROFILES:
        return report
    bleu = [one.value for one in report.scores[:ORDERS]]
    return msgspec.structs.replace(report, transcript=official.transcript(submission.path, flow.n, flow.n, bleu))


class _ReferenceDigest:
    """Hash and number of references, for signatures."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._between = b""
        self._several: set[int] = set()

    def add(self, items: ScoredItems) -> None:
        """Add the next samples."""
        for name, several in zip(items.ids, items.references, strict=True):
            text = "\n".join((name, str(len(several)), *several))
            self._digest.update(self._between + text.encode("utf-8", "replace"))
            self._between = b"\n"
            self._several.add(len(several))

    def hash(self) -> str:
        """Return SHA-256 in hexadecimal, independent of chunk boundaries."""
        return self._digest.hexdigest()

    def references(self) -> str:
        """Return the number of references per sample, such as `1` or `1 to 3`."""
        counts = sorted(self._several)
        return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _cuts(items: ScoredItems, how: Scoring) -> dict[str, list[str | None]]:
    """Return the context length of each sample, where it is known."""
    if not any(items.turns) or (how.by and "turns" not in how.by):
        return {}
    bins = [next((name for low, high, name in _TURNS if low <= turns <= high), _rest(turns)) for turns in items.turns]
    return {"turns": [*bins]}


def _rest(turns: int) -> str:
    return "9+" if turns else "0"
