"""One figure of plain texts in one line: what a notebook asks for.

A text is a string, whose tokens white space divides, or a sequence of tokens. All give fractions. The challenges'
scores have tokens and rules of their own: `duologue.score`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from duologue.core.errors import UsageError
from duologue.core.plain_lists import as_list, as_whole_number, demand_one_order, is_list
from duologue.metrics.corpus_bleu import Bleu, count_bleu
from duologue.metrics.counts import tally
from duologue.metrics.diversity import count_distinct
from duologue.metrics.ngrams import ngrams
from duologue.metrics.overlap import Overlap, TokenBags

PlainText: TypeAlias = str | Sequence[str]
"""A text, or its tokens."""


def bleu(
    hypotheses: Iterable[PlainText], references: Iterable[str | Sequence[PlainText]], *,
    order: int = 4, profile: str = "coco",
) -> float:  # fmt: skip
    """Return the corpus BLEU of hypotheses against references, one or several of each.

    `profile` is one of `corpus_bleu.PROFILES` and says how orders without a match count. Several references of one
    hypothesis are a list of strings, or of lists of tokens. Raises `UsageError` where the numbers of texts differ, a
    text is none or there is nothing to score, `ValueError` for an order outside 1 to 4 or an unknown profile.

    >>> round(bleu(["the cat sat down"], ["the cat sat up"], order=2), 4)
    0.7071
    """
    said, wanted = _pairs(hypotheses, references)
    metric = Bleu(as_whole_number(order, "the order"), profile)
    counts = count_bleu(
        [_tokens(text, place, "hypothesis") for place, text in enumerate(said, start=1)],
        [
            _references(several, place, tokenized=not isinstance(text, str))
            for place, (text, several) in enumerate(zip(said, wanted, strict=True), start=1)
        ],
        rules=metric.rules,
    )  # of all texts at once, which takes a fraction of the time
    return float(metric.total(counts.sum(axis=0)[: len(metric.columns)]))


def f1(hypotheses: Iterable[PlainText], references: Iterable[PlainText]) -> float:
    """Return the F1 of the tokens that hypotheses and references share, pooled over all (micro F1).

    Raises `UsageError` where the numbers of texts differ, a text is none or no text has a token.

    >>> f1(["a b"], ["a c"])
    0.5
    """
    said, wanted = _pairs(hypotheses, references)
    pairs = [
        TokenBags(_tokens(text, place, "hypothesis"), _tokens(other, place, "reference"))
        for place, (text, other) in enumerate(zip(said, wanted, strict=True), start=1)
    ]
    metric = Overlap("tokens", "f1")
    value = metric.value(tally([metric], [str(number) for number in range(len(pairs))], pairs))
    if math.isnan(value):
        raise UsageError("no text has a token; there is nothing to score")
    return value


def distinct(texts: Iterable[PlainText], *, n: int = 1) -> float:
    """Return DISTINCT-n: the different n-grams of all texts together, over all n-grams.

    It falls with the number of texts: compare only texts of equal number. Raises `UsageError` for an `n` below 1,
    for a text that is none and where no text has `n` tokens.

    >>> distinct(["a b", "a"])
    0.6666666666666666
    """
    listed, n = as_list(texts, "texts"), as_whole_number(n, "n")
    if n < 1:
        raise UsageError(f"n is {n}; n-grams have at least one token")
    grams = [ngrams(_tokens(text, place, "text"), n) for place, text in enumerate(listed, start=1)]
    if not any(grams):
        raise UsageError(f"no text has {n} tokens; there is nothing to score")
    return count_distinct(grams).value()


def _pairs(hypotheses: object, references: object) -> tuple[list[object], list[object]]:
    """Return both as lists of one length, which is not 0."""
    demand_one_order(hypotheses, references, "hypotheses and references")
    said, wanted = as_list(hypotheses, "texts"), as_list(references, "texts")
    if len(said) != len(wanted):
        raise UsageError(
            f"{len(said)} hypotheses are given for {len(wanted)} references; give one (or a list) for each"
        )
    if not said:
        raise UsageError("no hypotheses are given; there is nothing to score")
    return said, wanted


def _tokens(text: object, place: int, what: str) -> list[str]:
    """Return the tokens of a text, given as a string or as tokens; `place` and `what` are for messages."""
    if isinstance(text, str):
        return text.split()
    given = list(text) if is_list(text) else [text]
    tokens = [one for one in given if isinstance(one, str)]
    if len(tokens) < len(given):
        raise UsageError(f"{what} {place} is {text!r:.80}; expected a text, or a list of its tokens")
    torn = next((one for one in tokens if len(one.split()) > 1), None)
    if torn is not None:
        raise UsageError(
            f"{what} {place} is a list with {torn!r:.80} in it, which is no token: it holds white space; give each "
            f"{what} as one text, or as a list of its tokens"
        )
    return tokens


def _references(given: object, place: int, *, tokenized: bool) -> list[list[str]]:
    """Return the tokens of each reference of a hypothesis, which was given as tokens itself where `tokenized`."""
    if isinstance(given, str) or not is_list(given):
        return [_tokens(given, place, "reference")]
    several = list(given)
    if not several:
        raise UsageError(f"hypothesis {place} has no reference; give at least one")
    if tokenized and len(several) > 1 and all(isinstance(one, str) and len(one.split()) < 2 for one in several):
        raise UsageError(
            f"hypothesis {place} is a list of tokens, and its reference {several!r:.80} may be one list of tokens or "
            "several references of one word; give a list of lists of tokens"
        )
    return [_tokens(one, place, "reference") for one in several]
