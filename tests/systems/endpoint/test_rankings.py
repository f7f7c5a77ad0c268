"""Rankings of models with known tastes: what is good is found however they favour places."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.core.errors import BotError
from duologue.core.protocols import TaskInfo
from duologue.core.records import Candidate, Sample
from duologue.core.rng import Rng
from duologue.endpoints.account import Account
from duologue.endpoints.completion import ChatCompletion
from duologue.prompts.labels import labels
from duologue.prompts.prompt import prompt_of
from duologue.systems.endpoint.rankings import by_logprobs, by_samples, listwise, orders, pairwise

if TYPE_CHECKING:
    from collections.abc import Callable

    Ask = Callable[[Sample, str, Account], ChatCompletion]
    Draw = Callable[[Sample, int, Account], ChatCompletion]

PROMPT = prompt_of(TaskInfo(name="choice", version="1", language="en", answers="ranking"))


def sample(texts: str, name: str = "s") -> Sample:
    return Sample(id=name, dialogue_id="d", candidates=tuple(Candidate(id=f"id-{one}", text=one) for one in texts))


def taste(bias: float = 0.0) -> Ask:
    """A model that likes early letters, and each place less than the one before by `bias` letters."""

    def ask(shown: Sample, asked: str, account: Account) -> ChatCompletion:
        likes = [-ord(one.text) - bias * place for place, one in enumerate(shown.candidates)]
        known = labels(len(likes))
        order = [known[place] for place in sorted(range(len(likes)), key=lambda place: -likes[place])]
        account.called(ChatCompletion(text=""), kept=False)
        if asked == "rank":
            return ChatCompletion(text=json.dumps({"ranking": order}))
        told = [(f" {label}", like - max(likes)) for label, like in zip(known, likes, strict=True)]
        return ChatCompletion(text=order[0], first=told)

    return ask


def says(text: str, first: list[tuple[str, float]] | None = None) -> Ask:
    return lambda _shown, _asked, _account: ChatCompletion(text=text, first=first or [])


@given(texts=st.permutations("abcdefg"), seed=st.integers(0, 9))
@settings(max_examples=30)
def test_a_model_without_favours_ranks_by_its_taste(texts: list[str], seed: int) -> None:
    shown, best = sample("".join(texts)), tuple(f"id-{one}" for one in "abcdefg")
    assert listwise(taste(), PROMPT, shown, 2, seed, Account()) == best
    assert by_logprobs(taste(), shown, 2, seed, Account()) == best
    assert pairwise(taste(), PROMPT, shown, seed, Account())[0] == "id-a"


@given(texts=st.permutations("abcdef"), seed=st.integers(0, 9))
@settings(max_examples=30)
def test_a_favour_for_places_is_cancelled_by_the_reverse_order(texts: list[str], seed: int) -> None:
    shown = sample("".join(texts))
    assert by_logprobs(taste(0.9), shown, 2, seed, Account()) == tuple(f"id-{one}" for one in "abcdef")
    account = Account()
    pairwise(taste(100.0), PROMPT, shown, seed, account)
    assert account.counts["flips"] == account.counts["pairs"] == 5  # such a model says nothing of any pair
    assert account.bias()["2"]["shares"] == [1.0, 0.0]


def test_a_model_that_always_takes_the_first_place_is_no_better_than_chance() -> None:
    first = [listwise(taste(1000.0), PROMPT, sample("abcd", f"s{number}"), 2, 1, Account())[0] for number in range(200)]
    for letter in "abcd":
        assert 25 < first.count(f"id-{letter}") < 80


def test_orders_come_in_pairs_that_are_the_reverse_of_each_other() -> None:
    found = orders(sample("abcdefgh"), 5, 3)
    assert found[1] == found[0][::-1]
    assert found[3] == found[2][::-1]
    assert len({found[0], found[2], found[4]}) == 3
    assert found == orders(sample("abcdefgh"), 5, 3)


def test_told_and_sampled_probabilities_agree_beside_a_strong_favour_for_the_first_place() -> None:
    def chances(shown: Sample) -> list[float]:
        return [
            math.exp(-0.7 * (ord(one.text) - ord("a")) + (4.0 if place == 0 else 0.0))
            for place, one in enumerate(shown.candidates)
        ]

    def ask(shown: Sample, _asked: str, _account: Account) -> ChatCompletion:
        found = chances(shown)
        logs = [math.log(chance / sum(found)) for chance in found]
        return ChatCompletion(text="", first=list(zip(labels(len(found)), logs, strict=True)))

    best = tuple(f"id-{one}" for one in "abcdef")
    for number in range(5):
        shown = sample("cfbead", f"s{number}")
        assert by_logprobs(ask, shown, 16, 1, Account()) == best
        assert by_samples(sampled(chances), PROMPT, shown, 16, 200, 1, Account())[0] == "id-a"


def test_what_cannot_be_read_is_counted_and_decided_by_lot_not_by_the_order_of_the_data() -> None:
    ways: list[Callable[[Sample, Account], tuple[str, ...]]] = [
        lambda one, account: listwise(says("I refuse."), PROMPT, one, 2, 1, account),
        lambda one, account: pairwise(says("I refuse."), PROMPT, one, 1, account),
        lambda one, account: by_logprobs(says("", [("I", -0.1)]), one, 2, 1, account),
    ]
    for way in ways:
        account = Account()
        first = [way(sample("abcd", f"s{number}"), account)[0] for number in range(100)]
        assert account.counts["unparsable"] == 100
        assert {first.count(f"id-{letter}") > 8 for letter in "abcd"} == {True}
        assert not account.first_choices


def test_candidates_that_are_left_out_come_last() -> None:
    account = Account()
    found = listwise(says('{"ranking": ["C"]}'), PROMPT, sample("abcd"), 1, 1, account)
    assert len(found) == 4
    assert account.counts == {"unranked": 3}


def test_labels_that_are_not_told_are_less_likely_than_those_that_are() -> None:
    first = [("B", math.log(0.5)), (" B", math.log(0.1)), ("A", math.log(0.2)), ("The", -0.1)]
    found = by_logprobs(says("B", first), sample("abc"), 1, 1, Account())
    shown = orders(sample("abc"), 1, 1)[0]
    assert found == tuple(f"id-{'abc'[shown[place]]}" for place in (1, 0, 2))


def sampled(chances: Callable[[Sample], list[float]]) -> Draw:
    """A model that draws labels by chances."""

    def draw(shown: Sample, number: int, _account: Account) -> ChatCompletion:
        lot = Rng("model", shown.id, *(one.id for one in shown.candidates), number)
        return ChatCompletion(text=lot.weighted_choice(labels(len(shown.candidates)), chances(shown)))

    return draw


def test_sampled_labels_find_what_their_probabilities_say_however_places_are_favoured() -> None:
    def chances(shown: Sample) -> list[float]:
        return [
            math.exp(-(ord(one.text) - ord("a")) + (2.0 if place == 0 else 0.0))
            for place, one in enumerate(shown.candidates)
        ]

    account = Account()
    found = by_samples(sampled(chances), PROMPT, sample("badce"), 10, 200, 1, account)
    assert found == tuple(f"id-{one}" for one in "abcde")
    assert account.bias()["5"]["choices"] == 2000
    assert account.bias()["5"]["shares"][0] > 0.35


def test_an_order_that_comes_again_is_drawn_anew() -> None:
    """Of two candidates there are two orders: 32 draws in 16 orders were 5 different requests."""
    asked = []

    def draw(shown: Sample, number: int, _account: Account) -> ChatCompletion:
        asked.append((tuple(one.id for one in shown.candidates), number))
        return ChatCompletion(text="A")

    by_samples(draw, PROMPT, sample("ab"), 16, 2, 1, Account())
    assert len(asked) == len(set(asked)) == 32


def test_draws_that_cannot_be_read_count_for_nothing() -> None:
    account = Account()
    texts = iter(["A", "none", "A", "?"] * 2)
    found = by_samples(
        lambda _shown, _number, _account: ChatCompletion(text=next(texts)), PROMPT, sample("abc"), 1, 4, 1, account
    )
    assert found[0] == f"id-{'abc'[orders(sample('abc'), 1, 1)[0][0]]}"
    assert account.counts == {"unparsable_calls": 2}
    nothing = Account()
    by_samples(lambda *_: ChatCompletion(text="?"), PROMPT, sample("abc"), 2, 2, 1, nothing)
    assert nothing.counts == {"unparsable_calls": 4, "unparsable": 1}


def test_an_endpoint_without_logprobs_says_so() -> None:
    with pytest.raises(BotError, match="gives no logprobs; choose --set ranking=sampled"):
        by_logprobs(says("A"), sample("ab"), 1, 1, Account())
