"""Scoring options: what the challenge document leaves open, each choice by name (specification, section 3).

The document gives formulas "for a sample" and says neither how samples are combined, nor what happens to empty sets,
nor what a repeated triple counts. Variant `strict` takes the recommended answers, each of which an option changes.
Variant `official` takes those of the code that was published with the challenge where there is such code, and has no
options: its scorer of triples compares values with their types and counts each submitted triple that matches any gold
triple, so that repeats raise the count. That code has no scorer of replies for this challenge; the document's own
formulas (sentence BLEU without smoothing, DISTINCT of n-grams that occur once) are those of both variants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.core.errors import UsageError, did_you_mean
from duologue.core.protocols import TaskInfo

if TYPE_CHECKING:
    from duologue.core.records import Scoring

OPTIONS = {
    "average": ("sample", "corpus"),
    "empty": ("one", "skip", "zero", "gold_only"),
    "duplicates": ("dedupe", "count"),
    "strict_types": ("false", "true"),
    "tokens": ("chars", "han"),
    "bleu": ("sentence", "corpus"),
    "smoothing": ("none", "add1", "epsilon"),
    "f1": ("clipped", "set"),
    "distinct": ("once", "types"),
    "scope": ("sample", "corpus"),
}
"""Options by name with their values; the first is the default."""

SAMPLES = ("all", "knowledge")
"""All samples, or those with gold triples."""

INFO = TaskInfo(
    name="spoken",
    version="1",
    language="zh",
    answers="facts+text",
    variants=("strict", "official"),
    options=OPTIONS,
    samples=SAMPLES,
    slices=("domain", "answer-kind", "triples"),
    one_reference=True,
)

OFFICIAL = {"duplicates": "count", "strict_types": "true"}
"""Where variant `official` differs from the defaults."""


class ScoringOptions(NamedTuple):
    """One value per option, with its meaning."""

    average: str = "sample"
    """`sample`: P, R and F1 per sample, then the mean of each. `corpus`: counts summed, then P, R and F1."""
    empty: str = "one"
    """A sample without gold and without submitted triples: `one` scores 1, `zero` scores 0, `skip` leaves it out;
    `gold_only` leaves out every sample without gold triples."""
    duplicates: str = "dedupe"
    """`dedupe` drops repeated triples on both sides; `count` counts each submitted triple that is in gold."""
    strict_types: str = "false"
    """`true`: the number 70 and the text "70" are different values."""
    tokens: str = "chars"
    """`chars`: every code point but white space. `han`: U+4E00 to U+9FFF alone."""
    bleu: str = "sentence"
    """`sentence`: per reply, then the mean. `corpus`: matches and lengths summed."""
    smoothing: str = "none"
    """Of the bigram precision: `add1` (m + 1) / (t + 1); `epsilon` takes 0.1 for no match where a unigram matches."""
    f1: str = "clipped"
    """What is common of two replies: `clipped` the tokens as bags, `set` the different tokens."""
    distinct: str = "once"
    """`once` as in the document: n-grams that occur exactly once; `types` as elsewhere: different n-grams."""
    scope: str = "sample"
    """DISTINCT per reply and then the mean (`sample`), or over all replies pooled (`corpus`)."""

    def changed(self) -> tuple[str, ...]:
        """Return the options that differ from the defaults, as `name=value`."""
        pairs = zip(self._fields, self, ScoringOptions(), strict=True)
        return tuple(f"{name}={value}" for name, value, usual in pairs if value != usual)


def scoring_options(how: Scoring) -> ScoringOptions:
    """Return the options of a way of scoring.

    Raises `UsageError` for an unknown variant, option, value or set of samples, and for an option that would change
    variant `official`.

    >>> from duologue.core.records import Scoring
    >>> scoring_options(Scoring(variant="strict", options={"bleu": "corpus"})).changed()
    ('bleu=corpus',)
    """
    if how.variant not in {"strict", "official"}:
        raise UsageError(f"spoken has no variant '{how.variant}'{did_you_mean(how.variant, ('strict', 'official'))}")
    if how.samples not in SAMPLES:
        raise UsageError(f"spoken has no samples '{how.samples}'{did_you_mean(how.samples, SAMPLES)}")
    fixed = ScoringOptions(**OFFICIAL) if how.variant == "official" else ScoringOptions()
    for name, value in how.options.items():
        if name not in OPTIONS:
            raise UsageError(f"spoken has no option '{name}'{did_you_mean(name, OPTIONS)}")
        if value not in OPTIONS[name]:
            raise UsageError(f"option '{name}' has no value '{value}'; it is one of {', '.join(OPTIONS[name])}")
        if how.variant == "official" and getattr(fixed, name) != value:
            usual = getattr(fixed, name)
            raise UsageError(f"variant official is defined with {name}={usual}; take variant strict for {name}={value}")
    return fixed._replace(**how.options)
