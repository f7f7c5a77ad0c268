from __future__ import annotations

import math
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.spoken.scoring.generation import count_replies, tokens_of
from duologue.challenges.spoken.scoring.options import OPTIONS, ScoringOptions

SAYINGS = st.text("甲乙a1 。\ud800\U0001f600", max_size=8)
CHOICES = st.builds(
    ScoringOptions,
    tokens=st.sampled_from(OPTIONS["tokens"]),
    smoothing=st.sampled_from(OPTIONS["smoothing"]),
    f1=st.sampled_from(OPTIONS["f1"]),
    distinct=st.sampled_from(OPTIONS["distinct"]),
)


def grams(tokens: str, n: int) -> list[str]:
    return [tokens[start : start + n] for start in range(len(tokens) - n + 1)]


def bleu(said: str, wanted: str, n: int, smoothing: str) -> float:
    """BLEU-n of one reply by the definition, with logarithms and dictionaries."""
    logs = 0.0
    for order in range(1, n + 1):
        ours, theirs = Counter(grams(said, order)), Counter(grams(wanted, order))
        match, total = float((ours & theirs).total()), float(ours.total())
        if order == 2 and smoothing == "add1" and said:
            match, total = match + 1, total + 1
        if order == 2 and smoothing == "epsilon" and not match and total:
            match = 0.1
        if not match or not total:
            return 0.0
        logs += math.log(match / total) / n
    return (1.0 if len(said) > len(wanted) else math.exp(1 - len(wanted) / len(said))) * math.exp(logs)


def by_definition(said: str, wanted: str, choices: ScoringOptions) -> dict[str, float]:
    """All scores of one reply, computed slowly and one by one."""
    said, wanted = tokens_of(said, choices.tokens), tokens_of(wanted, choices.tokens)
    bags = Counter(said), Counter(wanted)
    common = (bags[0] & bags[1]).total() if choices.f1 == "clipped" else len(set(said) & set(wanted))
    p, r = (common / len(said), common / len(wanted)) if common else (0.0, 0.0)
    numbers = {"generation-f1": 2 * p * r / (p + r) if common else 0.0}
    for n in (1, 2):
        times = Counter(grams(said, n))
        part = len(times) if choices.distinct == "types" else sum(count == 1 for count in times.values())
        numbers[f"distinct-{n}"] = part / times.total() if times else 0.0
        numbers[f"bleu-{n}"] = bleu(said, wanted, n, choices.smoothing)
    return numbers


def test_tokens_are_all_code_points_but_white_space() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    assert tokens_of(everything) == "".join(sign for sign in everything if not sign.isspace())
    assert tokens_of("a\u200e\u3000B，") == "a\u200eB，"
    assert tokens_of("中\u4dff\ua000㐀a。", "han") == "中"


@settings(max_examples=200)
@given(st.lists(st.tuples(SAYINGS, SAYINGS), min_size=1, max_size=5), CHOICES)
def test_replies_counted_at_once_score_as_each_does_alone(
    pairs: list[tuple[str, str]], choices: ScoringOptions
) -> None:
    said, wanted = [one for one, _ in pairs], [other for _, other in pairs]
    columns = count_replies(said, wanted, choices).columns
    for row, pair in enumerate(pairs):
        for name, value in by_definition(*pair, choices).items():
            assert columns[name][row] == pytest.approx(value, abs=1e-12), name


@settings(max_examples=100)
@given(st.lists(SAYINGS, min_size=1, max_size=5), CHOICES)
def test_pooled_n_grams_never_cross_replies(said: list[str], choices: ScoringOptions) -> None:
    counted = count_replies(said, said, choices)
    for n in (1, 2):
        pool = Counter(gram for reply in said for gram in grams(tokens_of(reply, choices.tokens), n))
        assert counted.columns[f"{n}-grams said"].sum() == pool.total()
        assert counted.columns[f"{n}-grams new"].sum() == len(pool) == counted.pools[n].fresh.sum()
        assert counted.columns[f"{n}-grams once"].sum() == sum(count == 1 for count in pool.values())


def test_an_empty_reply_scores_zero_everywhere() -> None:
    for smoothing in OPTIONS["smoothing"]:
        columns = count_replies([""], ["甲乙"], ScoringOptions(smoothing=smoothing)).columns
        assert {name for name, value in columns.items() if value[0]} == {"tokens wanted"}


def test_the_first_and_the_last_character_of_the_range_are_kept() -> None:
    assert tokens_of("\u4dff\u4e00\u9fff\ua000", "han") == "\u4e00\u9fff"
