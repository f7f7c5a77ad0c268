from __future__ import annotations

import math
from itertools import product
from random import Random
from typing import NamedTuple

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from duologue.core.errors import StorageError, UsageError
from duologue.models.decode import DecodingLimits, Reply, beam, greedy, nucleus
from duologue.models.vocabulary import BEGIN, END

V = 7  # four special words and three others


class Texts(NamedTuple):
    """What was said, word by word: (m, n), and the row of each reply."""

    words: torch.Tensor
    rows: torch.Tensor


class Told:
    """A model whose next word depends on the row and the last two words: small enough to go through all replies."""

    def __init__(self, seed: int, rows: int, temperature: float = 1.0) -> None:
        chance = torch.Generator().manual_seed(seed)
        self.table = (torch.randn(rows, V, V, V, generator=chance) / temperature).log_softmax(-1)
        self.steps = 0

    def start(self) -> Texts:
        rows = torch.arange(len(self.table))
        return Texts(torch.full((len(rows), 1), BEGIN), rows)

    def step(self, said: Texts, tokens: torch.Tensor) -> tuple[torch.Tensor, Texts]:
        self.steps += 1
        words = torch.cat([said.words, tokens.unsqueeze(1)], 1)
        return self.table[said.rows, words[:, -2], words[:, -1]], Texts(words, said.rows)

    def pick(self, said: Texts, rows: torch.Tensor) -> Texts:
        return Texts(said.words[rows], said.rows[rows])

    def only(self, row: int) -> Told:
        alone = Told(0, 1)
        alone.table = self.table[row : row + 1]
        return alone

    def log_p(self, row: int, words: tuple[int, ...]) -> float:
        before = (BEGIN, BEGIN, *words)
        return sum(float(self.table[row, before[n], before[n + 1], word]) for n, word in enumerate(words))


def exhaustive(model: Told, row: int, longest: int, power: float) -> list[Reply]:
    """All replies of up to `longest` words, best first."""
    found = []
    for count in range(1, longest + 1):
        for words in product(range(4, V), repeat=count):
            if count < longest:
                log_p = model.log_p(row, (*words, END))
                found.append(Reply(list(words), log_p, log_p / (count + 1) ** power))
            else:
                log_p = model.log_p(row, words)
                found.append(Reply(list(words), log_p, log_p / count**power))
    return sorted(found, key=lambda one: -one.score)


@pytest.mark.parametrize("power", [0.0, 0.7, 1.0])
def test_a_full_beam_finds_what_going_through_all_replies_finds(power: float) -> None:
    model = Told(3, 2)
    many = beam(model, model.start(), 2, DecodingLimits(longest=4), width=400, length_power=power)
    for row, replies in enumerate(many):
        expected = exhaustive(model, row, 4, power)
        assert len(replies) == len(expected) == 3 + 9 + 27 + 81
        assert [one.words for one in replies[:20]] == [one.words for one in expected[:20]]
        assert replies[0].log_p == pytest.approx(expected[0].log_p, abs=1e-5)
        assert replies[0].score == pytest.approx(expected[0].score, abs=1e-5)


@pytest.mark.parametrize("seed", range(8))
def test_a_beam_of_width_one_is_greedy(seed: int) -> None:
    model = Told(seed, 5)
    limits = DecodingLimits(longest=6, shortest=seed % 3)
    one = [replies[0] for replies in beam(model, model.start(), 5, limits, width=1)]
    other = greedy(model, model.start(), 5, limits)
    assert [reply.words for reply in one] == [reply.words for reply in other]
    assert [reply.log_p for reply in one] == pytest.approx([reply.log_p for reply in other], abs=1e-5)


@pytest.mark.slow
@given(
    levels=st.lists(st.integers(0, 2), min_size=2 * V * V * V, max_size=2 * V * V * V),
    once=st.integers(0, 2),
    longest=st.integers(1, 6),
    shortest=st.integers(0, 3),
)
def test_a_beam_of_width_one_is_greedy_where_words_tie_or_none_may_follow(
    levels: list[int], once: int, longest: int, shortest: int
) -> None:
    model = Told(0, 2)
    model.table = torch.tensor([-torch.inf, -1.0, -0.5])[torch.tensor(levels)].view(2, V, V, V)
    limits = DecodingLimits(longest=longest, shortest=shortest, once=once)
    (said, again) = greedy(model, model.start(), 2, limits), beam(model, model.start(), 2, limits, width=1)
    assert again == [[one] for one in said]


def test_of_equal_continuations_a_beam_takes_that_of_the_better_beam_then_the_lowest_word() -> None:
    model = Told(0, 1)
    model.table = torch.full((1, V, V, V), -1.0)
    (replies,) = beam(model, model.start(), 1, DecodingLimits(longest=2, shortest=2), width=3)
    assert [one.words for one in replies] == [[4, 4], [4, 5], [4, 6]]


def test_greedy_says_the_likeliest_word_each_time() -> None:
    model = Told(1, 4)
    for row, reply in enumerate(greedy(model, model.start(), 4, DecodingLimits(longest=5, forbidden=()))):
        before = [BEGIN, BEGIN]
        for word in reply.words:
            assert word == int(model.table[row, before[-2], before[-1]].argmax())
            before.append(word)
        end = [] if len(reply.words) == 5 else [END]
        assert reply.log_p == pytest.approx(model.log_p(row, (*reply.words, *end)), abs=1e-5)


@pytest.mark.parametrize("width", [1, 3])
def test_rows_do_not_depend_on_one_another(width: int) -> None:
    model, limits = Told(5, 6), DecodingLimits(longest=7)
    together = beam(model, model.start(), 6, limits, width=width, length_power=0.5)
    alone = [
        beam(model.only(row), model.only(row).start(), 1, limits, width=width, length_power=0.5)[0] for row in range(6)
    ]
    assert together == alone
    drawn = nucleus(model, model.start(), range(6), limits)
    assert drawn == [nucleus(model.only(row), model.only(row).start(), [row], limits)[0] for row in range(6)]


def test_limits_are_kept() -> None:
    model = Told(2, 6)
    limits = DecodingLimits(longest=5, shortest=3, forbidden=(0, 1, 2, 5))
    said = [one for replies in beam(model, model.start(), 6, limits, width=3) for one in replies]
    said += greedy(model, model.start(), 6, limits)
    said += nucleus(model, model.start(), range(6), limits)
    assert {len(reply.words) for reply in said} <= {3, 4, 5}
    assert {word for reply in said for word in reply.words} == {4, 6}


def test_the_length_rule_prefers_longer_replies_with_a_higher_power() -> None:
    model = Told(6, 20)
    length = [
        sum(
            len(replies[0].words)
            for replies in beam(model, model.start(), 20, DecodingLimits(longest=8), width=5, length_power=power)
        )
        for power in (0.0, 1.0, 2.0)
    ]
    assert length[0] < length[1] <= length[2]


@pytest.mark.parametrize("power", [0.0, 1.0])
def test_a_patient_beam_finds_nothing_worse_and_sometimes_better(power: float) -> None:
    model = Told(4, 12, temperature=0.4)
    eager = beam(model, model.start(), 12, DecodingLimits(longest=6), width=2, length_power=power)
    patient = beam(model, model.start(), 12, DecodingLimits(longest=6), width=2, length_power=power, patient=True)
    gained = [one[0].score - other[0].score for one, other in zip(patient, eager, strict=True)]
    assert min(gained) >= 0
    assert max(gained) > 0.1
    assert all(len(replies) == 2 for replies in patient)


def test_a_patient_beam_stops_when_nothing_can_come_before_what_ended() -> None:
    model = Told(6, 1)
    model.table = torch.full_like(model.table, math.log(0.01))
    model.table[..., END], model.table[..., 4] = math.log(0.5), math.log(0.45)
    beam(model, model.start(), 1, DecodingLimits(longest=40), width=1, patient=True)
    assert model.steps == 2


@pytest.mark.parametrize("once", [1, 2, 3])
def test_a_run_of_words_is_not_said_twice(once: int) -> None:
    model = Told(5, 3)
    model.table[..., END] = -20.0
    limits = DecodingLimits(longest=12, once=once)
    found = [*greedy(model, model.start(), 3, limits), *nucleus(model, model.start(), [1, 2, 3], limits)]
    found += [one for replies in beam(model, model.start(), 3, limits, width=3) for one in replies]
    for reply in found:
        runs = [tuple(reply.words[start : start + once]) for start in range(len(reply.words) - once + 1)]
        assert len(set(runs)) == len(runs) > 0


def test_nothing_more_is_asked_of_the_model_when_all_have_ended() -> None:
    model = Told(1, 2)
    model.table[..., END] = 0.0
    model.table[..., :END] = model.table[..., END + 1 :] = -50.0
    assert [reply.words for reply in greedy(model, model.start(), 2, DecodingLimits(longest=30, shortest=0))] == [
        [],
        [],
    ]
    assert model.steps == 1
    beam(model, model.start(), 2, DecodingLimits(longest=30, shortest=0), width=1)
    assert model.steps == 2


def test_equal_seeds_draw_equal_replies_and_others_do_not() -> None:
    model, limits = Told(7, 1), DecodingLimits(longest=9)
    first, second, third = (nucleus(model, model.start(), [seed], limits, top_p=1.0)[0] for seed in (1, 1, 2))
    assert first == second
    assert first.words != third.words


def test_a_small_nucleus_is_greedy_and_a_whole_one_draws_by_probability() -> None:
    model = Told(8, 3)
    small = nucleus(model, model.start(), [1, 2, 3], DecodingLimits(longest=5), top_p=1e-6)
    assert [one.words for one in small] == [
        one.words for one in greedy(model, model.start(), 3, DecodingLimits(longest=5))
    ]
    drawn = Told(8, 1)
    many, drawn.table = 2000, drawn.table.expand(2000, -1, -1, -1)
    words = [one.words[0] for one in nucleus(drawn, drawn.start(), range(many), DecodingLimits(longest=1), top_p=1.0)]
    chance = drawn.table[0, BEGIN, BEGIN, 4:].softmax(0).tolist()
    for word, expected in enumerate(chance, 4):
        assert words.count(word) / many == pytest.approx(expected, abs=4 * math.sqrt(expected / many))


def test_a_nucleus_leaves_unlikely_words_out_and_a_low_temperature_sharpens() -> None:
    model = Told(9, 1)
    ordered = model.table[0, BEGIN, BEGIN, 4:].softmax(0)
    model.table = model.table.expand(300, -1, -1, -1)
    least = 4 + int(ordered.argmin())
    top_p = 1 - float(ordered.min()) - 1e-4
    kept = {one.words[0] for one in nucleus(model, model.start(), range(300), DecodingLimits(longest=1), top_p=top_p)}
    assert len(kept) == 2
    assert least not in kept
    cold = {
        one.words[0]
        for one in nucleus(model, model.start(), range(300), DecodingLimits(longest=1), top_p=1.0, temperature=1e-3)
    }
    assert cold == {4 + int(ordered.argmax())}


def test_a_nucleus_of_a_large_vocabulary_draws_as_one_that_orders_all_words() -> None:
    chance = torch.Generator().manual_seed(3)
    tables = [torch.randn(4, 1, 1, 900, generator=chance) * spread for spread in (0.1, 1.0, 4.0)]
    tables.append(tables[2].round())  # many words tie
    limits = DecodingLimits(longest=1, shortest=0, forbidden=())
    for table in tables:
        model = Told(0, 1)
        model.table = table.log_softmax(-1).expand(4, 900, 900, 900)
        for row, one in enumerate(nucleus(model, model.start(), [7, 8, 9, 10], limits, top_p=0.8)):
            ordered, words = model.table[row, 0, 0].softmax(-1).sort(stable=True, descending=True)
            inside = int((ordered.cumsum(0) - ordered < 0.8).sum())
            wanted = Random(7 + row).random() * ordered[:inside].cumsum(0)[-1]
            assert (one.words or [END]) == [int(words[int((ordered[:inside].cumsum(0) <= wanted).sum())])]


def test_settings_that_mean_nothing_are_refused() -> None:
    model = Told(1, 1)
    with pytest.raises(UsageError, match="found top_p 0"):
        nucleus(model, model.start(), [1], DecodingLimits(), top_p=0)
    with pytest.raises(UsageError, match="found 0"):
        beam(model, model.start(), 1, DecodingLimits(), width=0)


def test_a_model_that_gives_no_numbers_is_told_as_damaged() -> None:
    model = Told(seed=1, rows=2)
    model.table[1] = torch.nan
    limits = DecodingLimits(longest=3)
    for search in (
        lambda: greedy(model, model.start(), 2, limits),
        lambda: nucleus(model, model.start(), [1, 2], limits),
        lambda: beam(model, model.start(), 2, limits),
    ):
        with pytest.raises(StorageError, match="no number: its weights are damaged"):
            search()
