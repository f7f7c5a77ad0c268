from __future__ import annotations

import math
import sys
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from duologue.metrics.corpus_bleu import (
    PROFILES,
    Bleu,
    BleuRules,
    TokenizedPair,
    bleu_columns,
    count_bleu,
    count_layers,
)
from duologue.metrics.tokens import number_characters

texts = st.lists(st.sampled_from("abcd"), max_size=9)
pairs = st.tuples(texts, st.lists(texts, min_size=1, max_size=3))
corpora = st.lists(pairs, min_size=1, max_size=5)
Corpus = list[tuple[list[str], list[list[str]]]]


def grams(tokens: list[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[at : at + order]) for at in range(len(tokens) - order + 1))


def by_hand(corpus: Corpus, order: int, profile: str) -> float:
    """BLEU as the paper and the three programs write it, with dictionaries."""
    said = wanted = 0.0
    matches, guesses = [0] * order, [0] * order
    for hypothesis, references in corpus:
        said += len(hypothesis)
        lengths = [len(one) for one in references]
        wanted += min(lengths, key=lambda length: (abs(length - len(hypothesis)), length))
        for n in range(1, order + 1):
            best: Counter[tuple[str, ...]] = Counter()
            for one in references:
                best |= grams(one, n)
            matches[n - 1] += sum((grams(hypothesis, n) & best).values())
            count = len(hypothesis) - n + 1
            guesses[n - 1] += max(1, count) if "nltk" in profile else max(0, count)
    if profile == "coco":
        product = math.prod((hit + 1e-15) / (all_ + 1e-9) for hit, all_ in zip(matches, guesses, strict=True))
        ratio = (said + 1e-15) / (wanted + 1e-9)
        return product ** (1 / order) * (math.exp(1 - 1 / ratio) if ratio < 1 else 1)
    if not said + wanted and profile == "plain":
        return math.nan
    if not matches[0] or not said or (profile == "plain" and not all(matches)):
        return 0.0
    logs = []
    for hit, all_ in zip(matches, guesses, strict=True):
        if hit == 0 and profile == "nltk-2017":
            break
        logs.append(math.log(hit / all_ if hit else sys.float_info.min) / order)
    return (1.0 if said > wanted else math.exp(1 - wanted / said)) * math.exp(math.fsum(logs))


def value(corpus: Corpus, order: int, profile: str) -> float:
    counts = count_bleu([one for one, _ in corpus], [several for _, several in corpus], rules=profile)
    return float(Bleu(order, profile).total(counts.sum(axis=0)[: 2 + 2 * order]))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("order", [1, 2, 3, 4])
@settings(max_examples=40)
@given(corpus=corpora)
def test_bleu_is_what_the_programs_compute(profile: str, order: int, corpus: Corpus) -> None:
    assert value(corpus, order, profile) == pytest.approx(
        by_hand(corpus, order, profile), rel=1e-12, abs=1e-300, nan_ok=True
    )


@pytest.mark.parametrize("profile", PROFILES)
@settings(max_examples=30)
@given(corpus=corpora)
def test_bleu_lies_between_0_and_1_and_the_reference_has_the_most(profile: str, corpus: Corpus) -> None:
    for order in (1, 2, 3, 4):
        reached = value([(references[0], references) for _, references in corpus], order, profile)
        found = value(corpus, order, profile)
        assert 0 <= found <= 1 + 1e-12 or (profile == "plain" and math.isnan(found))
        if len(corpus) > 1 and all(len(references[0]) >= 4 for _, references in corpus):
            assert reached == pytest.approx(1, abs=1e-8)


@settings(max_examples=40)
@given(corpora)
def test_the_order_of_items_and_of_references_does_not_matter(corpus: Corpus) -> None:
    turned = [(hypothesis, references[::-1]) for hypothesis, references in corpus[::-1]]
    for profile in PROFILES:
        assert value(turned, 4, profile) == pytest.approx(value(corpus, 4, profile), rel=1e-12, nan_ok=True)


@given(st.lists(st.tuples(texts.filter(len), texts.filter(len)), min_size=2, max_size=5))
def test_sacrebleu_agrees_where_every_order_matches(plain: list[tuple[list[str], list[str]]]) -> None:
    corpus = [(hypothesis, [reference]) for hypothesis, reference in plain]
    counts = count_bleu([one for one, _ in corpus], [several for _, several in corpus]).sum(axis=0)
    if counts[8]:
        peer = BLEU(tokenize="none", smooth_method="none")
        theirs = peer.corpus_score([" ".join(h) for h, _ in plain], [[" ".join(r) for _, r in plain]])
        assert theirs.counts == counts[2::2].tolist()
        assert theirs.totals == counts[3::2].tolist()
        assert value(corpus, 4, "coco") * 100 == pytest.approx(theirs.score, rel=1e-6)
        assert value(corpus, 4, "plain") * 100 == pytest.approx(theirs.score, rel=1e-12)


def test_a_batch_border_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [["a", "b", "c", "a"][: at % 5] for at in range(20)]
    wanted = [[["a", "b", "c"], ["b", "a"]][: 1 + at % 2] for at in range(20)]
    whole = count_bleu(said, wanted)
    monkeypatch.setattr("duologue.metrics.corpus_bleu._BATCH", 3)
    assert np.array_equal(count_bleu(said, wanted), whole)


def test_an_order_without_match_is_left_out_in_2017_and_ends_bleu_today() -> None:
    corpus: Corpus = [(["a", "b", "x", "c"], [["a", "b", "y", "c"]])]
    old = [value(corpus, order, "nltk-2017") for order in (1, 2, 3, 4)]
    new = [value(corpus, order, "nltk-current") for order in (1, 2, 3, 4)]
    assert old[3] > old[1]
    assert new[:2] == old[:2]
    assert 0 < new[3] < 1e-70


def test_a_hypothesis_too_short_adds_one_guess_in_nltk_and_none_in_coco() -> None:
    one = (["a"], [["a"]])
    assert bleu_columns("coco")[5] == "guess-2"
    assert bleu_columns("nltk-2017")[5] == "padded guess-2"
    assert Bleu(2).count(TokenizedPair(*one)) == (1, 1, 1, 1, 0, 0)
    assert Bleu(2, "nltk-2017").count(TokenizedPair(*one)) == (1, 1, 1, 1, 0, 1)


def test_the_closest_reference_length_counts_and_of_two_the_shorter() -> None:
    said, wanted = [["a"] * 4] * 2, [[["a"] * 6, ["a"] * 2], [["a"] * 9, ["a"] * 5]]
    assert count_bleu(said, wanted)[:, 1].tolist() == [2, 5]
    assert count_bleu(said[:1], wanted[:1])[0, 1] == 2  # for one item alone too


SUMS = np.array([4.0, 5.0, 2.0, 4.0, 0.0, 3.0])  # lengths, then matches and guesses of two orders


@pytest.mark.parametrize(
    ("rules", "precisions"),
    [
        (BleuRules(), (0.5, 0.0)),
        (BleuRules(smoothing="add-one"), (0.5, 1 / 4)),
        (BleuRules(smoothing="floor"), (0.5, 0.1 / 3)),
        (BleuRules(smoothing="omit"), (0.5, 1.0)),
        (BleuRules(smoothing="smallest"), (0.5, sys.float_info.min)),
        (BleuRules(constants=(0.5, 1.0, 0.25)), (2.5 / 5 + 0.25, 0.5 / 4 + 0.25)),
    ],
)
def test_smoothing_makes_up_for_an_order_without_match(rules: BleuRules, precisions: tuple[float, float]) -> None:
    expected = math.exp(1 - 5 / 4) * math.sqrt(math.prod(precisions))
    for mean in ("logs", "root"):
        metric = Bleu(2, rules._replace(mean="root" if mean == "root" else "logs"))
        assert float(metric.total(SUMS)) == pytest.approx(expected, rel=1e-12)
    assert float(Bleu(2, rules, scale=100).total(SUMS)) == pytest.approx(100 * expected, rel=1e-12)
    silent = np.array([4.0, 5.0, 0.0, 4.0, 0.0, 3.0])
    assert float(Bleu(2, rules).total(silent)) == 0 or any(rules.constants)  # no unigram: nothing to smooth
    assert SUMS.tolist() == [4, 5, 2, 4, 0, 3]


def test_an_order_without_guesses_has_no_precision() -> None:
    sums = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])
    assert float(Bleu(2, BleuRules()).total(sums)) == 0
    assert float(Bleu(2, BleuRules(smoothing="floor")).total(sums)) == 0
    assert float(Bleu(2, BleuRules(smoothing="add-one")).total(sums)) == 1


def test_the_reference_length_is_a_number_where_it_is_as_far_off() -> None:
    rules = BleuRules(farthest=3)
    counts = count_bleu([["a"]] * 3, [[["b"] * 3], [["b"] * 4], [["b"] * 9]], rules=rules)
    assert counts[:, 1].tolist() == [3, 3, 3]
    assert count_bleu([["a"] * 4] * 2, [[["b"]], [["b"] * 6]], rules=rules)[:, 1].tolist() == [3, 6]
    assert count_bleu([["a"]], [[["b"] * 9]])[0, 1] == 9


def test_columns_and_formula_have_the_names_that_are_given() -> None:
    metric = Bleu(1, "plain", name="b", columns=("x", "y", "z", "u", "v", "w"), formula="b = ...")
    assert (metric.name, metric.columns, metric.formula) == ("b", ("x", "y", "z", "u"), "b = ...")
    assert Bleu(2, "plain").formula == "bleu-2 = plain corpus BLEU of 1 to 2-grams"
    assert Bleu(2).percent
    assert not any(Bleu(2, scale=scale).percent for scale in (0.5, 100))


def test_nothing_counted_is_no_score() -> None:
    assert math.isnan(float(Bleu(4, "nltk-2017").total(np.zeros(10))))
    assert float(Bleu(4).total(np.zeros(10))) == 0  # what the formula of the caption program gives
    assert math.isnan(float(Bleu(4, "plain").total(np.zeros(10))))
    assert float(Bleu(4, BleuRules()).total(np.zeros(10))) == 0
    only_wanted = np.array([0.0, 3.0, *[0.0] * 8])
    assert float(Bleu(4, "plain").total(only_wanted)) == 0
    assert math.isnan(float(Bleu(4, BleuRules(undefined="without hypothesis")).total(only_wanted)))


def test_totals_are_taken_over_all_leading_axes() -> None:
    counts = count_bleu([["a", "b"], ["b"]], [[["a", "b"]], [["c"]]])
    for profile in PROFILES:
        metric = Bleu(1, profile)
        stacked = metric.total(np.stack([counts[:, :4], counts[::-1, :4]]))
        assert stacked.shape == (2, 2)
        assert stacked[0].tolist() == stacked[1][::-1].tolist()


@pytest.mark.parametrize(("order", "profile"), [(0, "coco"), (5, "coco"), (1, "sacre")])
def test_an_unknown_formula_is_refused(order: int, profile: str) -> None:
    with pytest.raises(ValueError, match=r"order|profile"):
        Bleu(order, profile)


def test_items_without_references_or_of_other_number_are_refused() -> None:
    with pytest.raises(ValueError, match="item 1 has no reference"):
        count_bleu([["a"], ["b"]], [[["a"]], []])
    with pytest.raises(ValueError, match="2 hypotheses are given for 1 items"):
        count_bleu([["a"], ["b"]], [[["a"]]])


@pytest.mark.parametrize("orders", [1, 2, 3])
def test_fewer_orders_are_counted_as_among_four(orders: int) -> None:
    said, wanted = ["abcabd", "aab"], [["abcab", "xabd"], ["baab"]]
    tokens = number_characters([*said, *(one[0] for one in wanted), wanted[0][1]])
    layers = [np.arange(2), np.array([0])]
    assert count_layers(tokens, layers, 2, orders=orders).tolist() == (
        count_layers(tokens, layers, 2, orders=4)[:, : 2 + 2 * orders].tolist()
    )
    assert count_layers(tokens, layers, 2, orders=4)[0].tolist() == [6, 5, 6, 6, 5, 5, 4, 4, 2, 3]


def test_the_formulas_of_two_orders_share_their_columns() -> None:
    for shorter, longer in pairwise(Bleu(order) for order in (1, 2, 3, 4)):
        assert longer.columns[: len(shorter.columns)] == shorter.columns


def test_bleu_lies_on_its_scale() -> None:
    assert (Bleu(4).bounds, Bleu(4, scale=100).bounds) == ((0, 1), (0, 100))
