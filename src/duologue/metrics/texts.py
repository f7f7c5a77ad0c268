"""One figure of plain texts in one line: what a notebook asks for.

A text is a string, whose tokens white space divides, or a sequence of tokens. All give fractions. The challenges'
scores have tokens and rules of their own: `duologue.score`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from duologue.core.errors import UsageError
from duologue.metrics.corpus_bleu import Bleu, TokenizedPair
from duologue.metrics.counts import tally
from duologue.metrics.diversity import count_distinct
from duologue.metrics.ngrams import ngrams
from duologue.metrics.overlap import Overlap, TokenBags

PlainText: TypeAlias = str | Sequence[str]
"""A text, or its tokens."""


def bleu(
    hypotheses: Sequence[PlainText], references: Sequence[str | Sequence[str]], *,
    order: int = 4, profile: str = "coco",
) -> float:  # fmt: skip
    """Return the corpus BLEU of hypotheses against references, one or several of each.

    `profile` is one of `corpus_bleu.PROFILES` and says how orders without a match count. Several references of one
    hypothesis are a list of strings. Raises `UsageError` where the numbers of texts differ or there is nothing to
    score, `ValueError` for an order outside 1 to 4 or an unknown profile.

    >>> round(bleu(["the cat sat down"], ["the cat sat up"], order=2), 4)
    0.7071
    """
    _demand_pairs(hypotheses, references)
    pairs = [
        TokenizedPair(_tokens(said), [_tokens(one) for one in ([wanted] if isinstance(wanted, str) else wanted)])
        for said, wanted in zip(hypotheses, references, strict=True)
    ]
    metric = Bleu(order, profile)
    return metric.value(tally([metric], [str(number) for number in range(len(pairs))], pairs))


def f1(hypotheses: Sequence[PlainText], references: Sequence[PlainText]) -> float:
    """Return the F1 of the tokens that hypotheses and references share, pooled over all (micro F1).

    Raises `UsageError` where the numbers of texts differ or there is nothing to score.

    >>> f1(["a b"], ["a c"])
    0.5
    """
    _demand_pairs(hypotheses, references)
    pairs = [
        TokenBags(_tokens(said), _tokens(wanted)) for said, wanted in zip(hypotheses, references, strict=True)
    ]  # fmt: skip
    metric = Overlap("tokens", "f1")
    return metric.value(tally([metric], [str(number) for number in range(len(pairs))], pairs))


def distinct(texts: Sequence[PlainText], *, n: int = 1) -> float:
    """Return DISTINCT-n: the different n-grams of all texts together, over all n-grams.

    It falls with the number of texts: compare only texts of equal number. Raises `UsageError` for an `n` below 1 and
    where no text has `n` tokens.

    >>> distinct(["a b", "a"])
    0.6666666666666666
    """
    _demand_lists(texts)
    if n < 1:
        raise UsageError(f"n is {n}; n-grams have at least one token")
    grams = [ngrams(tokens, n) for tokens in map(_tokens, texts)]
    if not any(grams):
        raise UsageError(f"no text has {n} tokens; there is nothing to score")
    return count_distinct(grams).value()


def _tokens(text: PlainText) -> list[str]:
    return text.split() if isinstance(text, str) else list(text)


def _demand_pairs(hypotheses: Sequence[object], references: Sequence[object]) -> None:
    _demand_lists(hypotheses, references)
    said, wanted = len(hypotheses), len(references)
    if said != wanted:
        raise UsageError(f"{said} hypotheses are given for {wanted} references; give one (or a list) for each")
    if not said:
        raise UsageError("no hypotheses are given; there is nothing to score")


def _demand_lists(*given: Sequence[object]) -> None:
    """Refuse a text where a list of texts is wanted: its characters would be texts."""
    for one in given:
        if isinstance(one, str):
            raise UsageError(f"{one!r:.80} is a text; give a list of texts, such as [{one!r:.80}]")
