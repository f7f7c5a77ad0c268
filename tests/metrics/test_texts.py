from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from duologue.core.errors import UsageError
from duologue.metrics.corpus_bleu import PROFILES, Bleu, TokenizedPair
from duologue.metrics.counts import tally
from duologue.metrics.texts import bleu, distinct, f1

if TYPE_CHECKING:
    from collections.abc import Callable

NAN = float("nan")


def test_generators_and_arrays_are_lists_of_texts() -> None:
    said, wanted = ["a b", "c"], ["a b", "d"]
    for measure in (bleu, f1):
        assert measure(iter(said), iter(wanted)) == measure(np.array(said), np.array(wanted)) == measure(said, wanted)
    assert distinct(iter(said)) == distinct(tuple(said)) == distinct(said)


@pytest.mark.parametrize("wrong", [None, NAN, 5, b"a b", ["a", None], {"a": 1}])
def test_a_text_that_is_none_is_told_with_its_place(wrong: Any) -> None:
    """A text of bytes was scored by its numbers, a missing one was a traceback."""
    for measure in (bleu, f1):
        with pytest.raises(UsageError, match=r"^hypothesis 2 is .*; expected a text, or a list of its tokens$"):
            measure(["a", wrong], ["a", "a"])
    with pytest.raises(UsageError, match=r"^reference 2 is .*; expected a text"):
        f1(["a", "a"], ["a", wrong])
    with pytest.raises(UsageError, match=r"^text 2 is .*; expected a text"):
        distinct(["a", wrong])
    for whole in (None, 5, {"a": "b"}, {"a"}):
        for call in _calls(whole):
            with pytest.raises(UsageError, match=r"list of texts"):
                call()


def _calls(wrong: Any) -> list[Callable[[], float]]:
    return [lambda: bleu(wrong, ["a"]), lambda: f1(["a"], wrong), lambda: distinct(wrong)]


def test_references_of_tokenized_hypotheses_are_lists_of_tokens() -> None:
    """A list of tokens as the reference was taken for as many references of one word: 8e-10 in place of 1."""
    tokens = list("我喜欢看")
    assert bleu([tokens], [[tokens]]) == pytest.approx(1)
    assert bleu([tokens], [[list("你好"), tokens]]) == pytest.approx(1)
    assert bleu([tokens], [["你 好", "我 喜 欢 看"]]) == pytest.approx(1)
    assert bleu([["a"]], [["a"]], order=1) == pytest.approx(1)
    with pytest.raises(
        UsageError, match=r"^hypothesis 1 is a list of tokens, and its reference \['我', .* give a list"
    ):
        bleu([tokens], [tokens])
    assert bleu(["yes"], [["yes", "no"]], order=1) == pytest.approx(1), "two references of one word"


def test_several_references_where_one_is_meant_are_not_taken_for_tokens() -> None:
    """The F1 of `[["a b", "c"]]` was that of the tokens `a b` and `c`: 0."""
    with pytest.raises(UsageError, match=r"^reference 1 is a list with 'a b' in it, which is no token: it holds white"):
        f1(["a b"], [["a b", "c"]])
    with pytest.raises(UsageError, match=r"^text 1 is a list with 'a b' in it"):
        distinct([["a b"]])
    assert f1([[" the"]], [[" the"]]) == 1, "tokens of subwords begin with a space"


def test_texts_without_a_token_have_no_f1() -> None:
    with pytest.raises(UsageError, match="no text has a token; there is nothing to score"):
        f1(["", "\u3000"], ["", " "])
    assert f1(["", "a"], ["", "a"]) == 1


def test_orders_are_whole_numbers() -> None:
    order: Any = np.int64(2)
    assert bleu(["a b"], ["a b"], order=order) == bleu(["a b"], ["a b"], order=2)
    for order in (2.5, "2", None):
        with pytest.raises(UsageError, match=r"^the order is .*; expected a whole number$"):
            bleu(["a"], ["a"], order=order)
        with pytest.raises(UsageError, match=r"^n is .*; expected a whole number$"):
            distinct(["a"], n=order)


def test_a_hypothesis_without_a_reference_is_told() -> None:
    with pytest.raises(UsageError, match="hypothesis 2 has no reference; give at least one"):
        bleu(["a", "b"], ["a", []])


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_bleu_of_all_texts_at_once_is_that_of_the_metric(profile: str) -> None:
    """Texts were counted one by one: 8 s for 20,000."""
    said = ["a b c d e", "a b x d", "x", "a a a b"]
    wanted = [["a b c d f", "a b c"], ["a b c d"], ["y"], ["a b", "a a b b"]]
    pairs = [
        TokenizedPair(text.split(), [one.split() for one in several])
        for text, several in zip(said, wanted, strict=True)
    ]
    for order in (1, 2, 3, 4):
        metric = Bleu(order, profile)
        assert bleu(said, wanted, order=order, profile=profile) == metric.value(tally([metric], list("1234"), pairs))
