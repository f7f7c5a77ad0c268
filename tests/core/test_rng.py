from __future__ import annotations

from collections import Counter
from itertools import repeat

from hypothesis import given
from hypothesis import strategies as st

from duologue.core.rng import Rng, digest, identifier


def test_draws_of_a_key_are_the_same_on_every_version_of_python() -> None:
    rng = Rng("pinned", 1)
    assert [rng.below(1000) for _ in range(5)] == [872, 362, 936, 277, 365]
    assert rng.shuffled("abcdef") == list("bcdafe")


def test_other_keys_give_other_draws() -> None:
    assert Rng(1, 23).unit() != Rng(12, 3).unit()
    assert digest("a", "b") != digest("b", "a")


def test_an_identifier_is_made_of_the_digits_of_its_keys_digest() -> None:
    digits = digest("seed", 1).hex()
    assert digits == "eb1e60768783e52e3fd788d88a6516574069b6a5f9f8f4eabc2e72866ae8aea8"  # of `seed|1`, everywhere
    # the thirteenth and the seventeenth digit of a uuid say of what kind it is: the others stay as they are
    made = identifier("seed", 1).replace("-", "")
    assert (made[:12], made[12], made[13:16], made[17:]) == (digits[:12], "4", digits[13:16], digits[17:32])
    assert [len(part) for part in identifier("seed", 1).split("-")] == [8, 4, 4, 4, 12]


def test_identifiers_look_like_random_uuids_and_differ() -> None:
    names = {identifier("x", number) for number in range(500)}
    assert len(names) == 500
    assert all(name[14] == "4" and name[19] in "89ab" and len(name) == 36 for name in names)


@given(st.lists(st.integers(), unique=True, min_size=1), st.integers(0, 20), st.integers())
def test_some_gives_as_many_different_choices_as_there_are(choices: list[int], count: int, seed: int) -> None:
    drawn = Rng(seed).sample(choices, count)
    assert len(drawn) == len(set(drawn)) == min(count, len(choices))
    assert set(drawn) <= set(choices)


@given(st.lists(st.floats(0, 10), min_size=1).filter(any), st.integers())
def test_weighted_never_gives_a_choice_of_weight_zero(weights: list[float], seed: int) -> None:
    assert weights[Rng(seed).weighted_choice(range(len(weights)), weights)] > 0


def test_weighted_gives_shares_near_the_weights() -> None:
    rng = Rng("shares")
    counts = Counter(rng.weighted_choice("abc", (1, 2, 1)) for _ in range(4_000))
    assert abs(counts["b"] / 4_000 - 0.5) < 0.04
    assert abs(counts["a"] / 4_000 - 0.25) < 0.04


def test_a_weighted_key_is_drawn_as_a_weighted_choice_is() -> None:
    weights = {"a": 1, "b": 2, "c": 0}
    drawn = [Rng("keys", number).weighted_key(weights) for number in range(60)]
    assert drawn == [Rng("keys", number).weighted_choice("abc", (1, 2, 0)) for number in range(60)]
    assert set(drawn) == {"a", "b"}


def test_other_never_gives_what_is_taken() -> None:
    rng = Rng(3)
    assert {rng.other("abcd", "a", "c") for _ in range(50)} == {"b", "d"}


def test_happens_knows_never_and_always() -> None:
    rng = Rng(4)
    assert not any(rng.happens(0) for _ in range(100))
    assert all(rng.happens(1) for _ in range(100))


def test_where_rounding_leaves_something_of_the_last_weight_the_last_choice_with_one_is_taken() -> None:
    weights = [0.1] * 10 + [0.0]  # taken from 1 one after the other they leave 1.4e-16
    rng = Rng(5)
    rng.unit = lambda: 1 - 2**-53  # the largest number there is below 1
    assert rng.weighted_choice(range(11), weights) == 9


def test_a_draw_at_the_edge_of_a_weight_takes_the_next_choice() -> None:
    rng = Rng(6)
    for unit, weights, taken in ((0.5, (1, 1), "b"), (0.0, (0, 1), "b"), (0.0, (1, 1), "a"), (0.25, (1, 0, 3), "c")):
        rng.unit = repeat(unit).__next__
        assert rng.weighted_choice("abc"[: len(weights)], weights) == taken


def test_every_kind_of_uuid_that_is_random_is_made() -> None:
    assert {identifier("kind", number)[19] for number in range(100)} == set("89ab")
