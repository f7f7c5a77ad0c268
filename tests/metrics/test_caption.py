from __future__ import annotations

import math
import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as students_t  # in the tests only

from duologue.metrics import caption
from duologue.metrics.caption import CIDER, ROUGE_L, Cider, jackknife_interval, rouge_l

texts = st.lists(st.sampled_from("abcd"), max_size=8)
corpora = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=5)
Corpus = list[tuple[list[str], list[list[str]]]]


def common_by_hand(one: list[str], other: list[str]) -> int:
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, left in enumerate(one):
        for j, right in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


def rouge_by_hand(hypothesis: str, references: list[str]) -> float:
    said = hypothesis.split(" ")
    hits = [(common_by_hand(said, one.split(" ")), len(one.split(" "))) for one in references]
    precision, recall = max(hit / len(said) for hit, _ in hits), max(hit / size for hit, size in hits)
    return 2.44 * precision * recall / (recall + 1.44 * precision) if precision and recall else 0.0


def cider_by_hand(corpus: Corpus) -> list[float]:
    def grams(tokens: list[str]) -> Counter[tuple[str, ...]]:
        return Counter(tuple(tokens[at : at + n]) for n in (1, 2, 3, 4) for at in range(len(tokens) - n + 1))

    documents: Counter[tuple[str, ...]] = Counter()
    for _, references in corpus:
        documents.update({gram for one in references for gram in grams(one)})
    idf = {gram: math.log(len(corpus)) - math.log(max(1, count)) for gram, count in documents.items()}

    def vector(tokens: list[str], n: int) -> dict[tuple[str, ...], float]:
        counts = grams(tokens)
        return {gram: count * idf.get(gram, math.log(len(corpus))) for gram, count in counts.items() if len(gram) == n}

    values = []
    for hypothesis, references in corpus:
        total = 0.0
        for one in references:
            shift = max(len(hypothesis) - 1, 0) - max(len(one) - 1, 0)
            for n in (1, 2, 3, 4):
                said, wanted = vector(hypothesis, n), vector(one, n)
                dot = sum(min(weight, wanted.get(gram, 0)) * wanted.get(gram, 0) for gram, weight in said.items())
                sizes = math.hypot(*said.values()) * math.hypot(*wanted.values())
                total += (dot / sizes if sizes else 0) * math.exp(-(shift**2) / 72) / 4
        values.append(total / len(references) * 10)
    return values


@given(st.text("ab ", max_size=12), st.lists(st.text("ab ", max_size=12), min_size=1, max_size=3))
def test_rouge_l_is_what_the_caption_program_computes(hypothesis: str, references: list[str]) -> None:
    assert rouge_l(hypothesis, references) == pytest.approx(rouge_by_hand(hypothesis, references), abs=1e-15)


@given(st.text("abc ", max_size=12), st.lists(st.text("abc ", max_size=12), min_size=1, max_size=3))
def test_rouge_l_is_1_for_a_reference_and_never_more(hypothesis: str, references: list[str]) -> None:
    assert 0 <= rouge_l(hypothesis, references) <= 1 + 1e-15
    assert rouge_l(references[-1], references) == pytest.approx(1)
    assert rouge_l(hypothesis, references[::-1]) == rouge_l(hypothesis, references)


def test_rouge_l_takes_two_spaces_for_an_empty_token() -> None:
    assert rouge_l("a  b", ["a b"]) < 1
    assert rouge_l("", [""]) == 1
    assert rouge_l("", ["a"]) == 0


@given(corpora)
def test_cider_is_what_the_caption_program_computes(corpus: Corpus) -> None:
    found = Cider([one for one, _ in corpus], [several for _, several in corpus]).values()
    assert found.tolist() == pytest.approx(cider_by_hand(corpus), rel=1e-9, abs=1e-9)


@given(corpora)
def test_cider_of_left_out_items_counts_the_documents_again(corpus: Corpus) -> None:
    kept = np.arange(len(corpus)) % 2 == 0
    found = Cider([one for one, _ in corpus], [several for _, several in corpus]).values(kept)[kept]
    rest = [pair for pair, stays in zip(corpus, kept.tolist(), strict=True) if stays]
    assert found.tolist() == pytest.approx(cider_by_hand(rest), rel=1e-9, abs=1e-9)


@given(corpora)
def test_a_single_reference_as_reply_has_the_most_cider(corpus: Corpus) -> None:
    single = [references[:1] for _, references in corpus]
    gold = Cider([several[0] for several in single], single).values()
    said = Cider([one for one, _ in corpus], single).values()
    assert (said <= gold + 1e-9).all()
    assert (gold <= 10 + 1e-9).all()


@given(corpora)
def test_the_order_of_items_does_not_matter_to_cider(corpus: Corpus) -> None:
    turned = corpus[::-1]
    here = Cider([one for one, _ in corpus], [several for _, several in corpus]).values()
    there = Cider([one for one, _ in turned], [several for _, several in turned]).values()
    assert there[::-1].tolist() == pytest.approx(here.tolist(), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("off", [0.0, np.inf], ids=["this numpy", "a numpy that is off by a bit"])
def test_what_stands_in_all_references_weighs_nothing_whatever_numpy_makes_of_a_logarithm(
    off: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = np.log
    monkeypatch.setattr(np, "log", lambda value: np.nextafter(log(value), off) if off else log(value))
    for items in range(2, 40):
        same = Cider([["a", "b", "c", "d"]] * items, [[["a", "b", "c", "d"]]] * items)
        assert same.values().tolist() == [0.0] * items


def test_one_item_alone_has_no_cider() -> None:
    assert Cider([["a", "b"]], [[["a", "b"]]]).values().tolist() == [0]


def test_no_item_has_no_value() -> None:
    assert len(Cider([], []).values()) == 0


def test_the_interval_of_cider_holds_its_mean_and_needs_two_groups() -> None:
    rng = np.random.default_rng(1)
    said = [[str(word) for word in rng.integers(0, 30, 8)] for _ in range(60)]
    wanted = [[[*tokens[:5], "x"], tokens[2:]] for tokens in said[::-1]]
    cider = Cider(said, wanted)
    low, high = cider.interval(np.arange(60) % 20)
    assert low < cider.values().mean() < high
    groups = np.arange(60) % 3
    without = [float(cider.values(groups != group)[groups != group].mean()) for group in range(3)]
    assert cider.interval(groups) == jackknife_interval(float(cider.values().mean()), without)
    with pytest.raises(ValueError, match="two groups"):
        cider.interval(np.zeros(60, np.int64))


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    values = np.array([1.0, 2.0, 4.0, 9.0])
    left_out = [(values.sum() - one) / 3 for one in values]
    low, high = jackknife_interval(4.0, left_out, times=1.0)
    assert high - 4 == pytest.approx(values.std(ddof=1) / 2)
    assert 4 - low == pytest.approx(values.std(ddof=1) / 2)


def test_an_interval_is_that_of_twenty_groups_where_nothing_else_is_said() -> None:
    left_out = np.linspace(1, 3, 20)
    point = float(students_t.ppf(0.975, 19))
    assert jackknife_interval(2.0, left_out) == pytest.approx(jackknife_interval(2.0, left_out, times=point))
    rng = np.random.default_rng(2)
    said = [[str(word) for word in rng.integers(0, 9, 6)] for _ in range(40)]
    cider, groups = Cider(said, [[tokens[1:]] for tokens in said]), np.arange(40) % 20
    assert cider.interval(groups) == pytest.approx(cider.interval(groups, point))


def test_the_scales_are_those_of_the_caption_program() -> None:
    assert [(one.bounds, one.percent) for one in (ROUGE_L, CIDER)] == [((0, 1), True), ((0, 10), False)]


def test_cider_refuses_items_without_references() -> None:
    with pytest.raises(ValueError, match="item 1 has no reference"):
        Cider([["a"], ["b"]], [[["a"]], []])
    with pytest.raises(ValueError, match="hypotheses are given"):
        Cider([["a"]], [])


def test_cider_is_marked_as_not_additive() -> None:
    assert not CIDER.additive
    assert ROUGE_L.additive
    assert ROUGE_L.count(0.5) == (1.0, 0.5)
    assert float(ROUGE_L.total(np.array([4.0, 1.0]))) == 0.25


def test_rouge_l_of_a_reply_beyond_all_others_is_that_of_the_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    said, wanted = "a b c a d a b e a", ["a d b x a", "b b c"]
    short = rouge_l(said, wanted)
    monkeypatch.setattr(caption, "_HELD", 3)
    assert rouge_l(said, wanted) == short
    monkeypatch.setattr(caption, "_OFTEN", 1)
    assert rouge_l(said, wanted) == short


@pytest.mark.slow
def test_rouge_l_of_a_reply_of_very_many_words_holds_no_bits_of_each() -> None:
    said, wanted = (" ".join(map(str, range(0, 100_000, step))) for step in (1, 8))
    tracemalloc.start()
    try:
        assert rouge_l(said, ["5 x 70000 99999", wanted]) > 0
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 100 << 20  # an integer of as many bits for each word took 600 megabytes, for each that is asked 150
