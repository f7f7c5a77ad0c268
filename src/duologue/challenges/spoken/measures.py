"""What is counted of one sample: its triples and its reply (specification, sections 3.1 to 3.6)."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from duologue.challenges.spoken.triples import key_of
from duologue.metrics.ngrams import clipped, ngrams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.spoken.choices import Choices
    from duologue.challenges.spoken.triples import Key

    Numbers = dict[str, float]
    """Name of a column to the count of one sample."""

ORDERS = (1, 2)
"""N of BLEU-N and DISTINCT-N."""

_HAN = ("\u4e00", "\u9fff")
"""First and last of the characters that option `tokens=han` keeps."""

_EPSILON = 0.1
"""Matches that option `smoothing=epsilon` takes for none."""


def tokens_of(text: str, tokens: str = "chars") -> str:
    """Return the tokens of a reply, one character each, in a row.

    >>> tokens_of("8:00 开门"), tokens_of("8:00 开门", "han")
    ('8:00开门', '开门')
    """
    if tokens == "han":
        return "".join(sign for sign in text if _HAN[0] <= sign <= _HAN[1])
    return "".join(text.split())  # what `split` cuts at is what `isspace` holds for


def selection(gold: Sequence[dict[str, Any]], said: Sequence[dict[str, Any]] | None, choices: Choices) -> Numbers:
    """Return the counts of a sample's triples; `said` is `None` where the sample has no reply.

    `kept` is 0 for a sample that `choices.empty` leaves out; all other counts are 0 then. A sample without a reply
    scores 0 even where there was nothing to say.
    """
    wanted = _keys(gold, choices)
    given = _keys(said or (), choices)
    if (choices.empty == "gold_only" and not wanted) or (choices.empty == "skip" and not wanted and not given):
        return dict.fromkeys(SELECTION, 0.0)
    known = set(wanted)
    hits = sum(key in known for key in given)
    if not wanted and not given:
        precision = recall = f1 = float(choices.empty == "one" and said is not None)
    elif not hits:
        precision = recall = f1 = 0.0
    else:
        precision, recall = hits / len(given), hits / len(wanted)
        f1 = 2 * precision * recall / (precision + recall)
    return dict(zip(SELECTION, map(float, (1, precision, recall, f1, hits, len(given), len(wanted))), strict=True))


SELECTION = ("kept", "precision", "recall", "f1", "triples hit", "triples said", "triples wanted")
"""Names of what `selection` counts."""


def _keys(attrs: Sequence[dict[str, Any]], choices: Choices) -> list[Key]:
    keys = [key_of(attr, strict_types=choices.strict_types == "true") for attr in attrs]
    return list(dict.fromkeys(keys)) if choices.duplicates == "dedupe" else keys


def generation(reference: str, reply: str, choices: Choices) -> Numbers:
    """Return the counts of a sample's reply; a missing reply is an empty one."""
    wanted, said = tokens_of(reference, choices.tokens), tokens_of(reply, choices.tokens)
    numbers: Numbers = {"tokens said": float(len(said)), "tokens wanted": float(len(wanted))}
    precisions: list[float] = []
    for n in ORDERS:
        grams = ngrams(said, n)
        hits = clipped(grams, ngrams(wanted, n))
        numbers[f"{n}-grams hit"] = float(hits)
        precisions.append(smoothed(n, hits, len(grams), precisions, choices.smoothing))
        numbers[f"bleu-{n}"] = sentence_bleu(precisions, len(said), len(wanted))
        numbers[f"distinct-{n}"] = distinct(grams, choices.distinct)
    common = numbers["1-grams hit"] if choices.f1 == "clipped" else len(set(said) & set(wanted))
    numbers["generation-f1"] = harmonic(common, len(said), len(wanted))
    return numbers


def smoothed(n: int, hits: int, said: int, lower: Sequence[float], smoothing: str) -> float:
    """Return the precision of n-grams: hits / said, 0 where there are none; `lower` holds those of lower orders."""
    if smoothing == "add1" and n > 1:
        return (hits + 1) / (said + 1) if lower[0] else 0.0
    if not said:
        return 0.0
    if smoothing == "epsilon" and not hits and n > 1 and lower[0]:
        return _EPSILON / said
    return hits / said


def sentence_bleu(precisions: Sequence[float], said: int, wanted: int) -> float:
    """Return BLEU of one reply: the brevity penalty times the geometric mean; 0 where a precision is 0.

    >>> round(sentence_bleu([1.0], 4, 8), 7)
    0.3678794
    """
    if not said or not all(precisions):
        return 0.0
    penalty = 1.0 if said > wanted else math.exp(1 - wanted / said)
    return penalty * math.exp(sum(math.log(precision) for precision in precisions) / len(precisions))


def distinct(grams: Sequence[tuple[str, ...]], rule: str) -> float:
    """Return the share of n-grams that occur `once`, or of different ones (`types`); 0 without any."""
    if not grams:
        return 0.0
    times = Counter(grams)
    found = len(times) if rule == "types" else sum(count == 1 for count in times.values())
    return found / len(grams)


def harmonic(common: float, said: int, wanted: int) -> float:
    """Return 2 p r / (p + r) for p = common / said and r = common / wanted; 0 where nothing is common."""
    if not common:
        return 0.0
    precision, recall = common / said, common / wanted
    return 2 * precision * recall / (precision + recall)
