from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import msgspec
import pytest
import torch

from duologue.core.errors import UsageError
from duologue.core.protocols import Run
from duologue.models.copy_transformer import (
    CopyTransformer,
    Seq2SeqPair,
    Seq2SeqSize,
    collate_seq2seq,
)
from duologue.models.decode import DecodingLimits, greedy
from duologue.models.generation import SamplingConfig
from duologue.models.seq2seq import (
    generator_learner,
    new_generator,
    replies,
)
from duologue.models.train import TrainConfig, train
from duologue.models.vocabulary import BEGIN, END

if TYPE_CHECKING:
    from pathlib import Path

SIZE = Seq2SeqSize(vocabulary=12, kinds=3, width=16, heads=2, inner=32, encoder_layers=1, decoder_layers=2, dropout=0.0)
PAIRS = [
    Seq2SeqPair([4, 12, 6, 13, 8], [0, 1, 1, 2, 2], [13, 5, 12]),
    Seq2SeqPair([9], [1], [4]),
    Seq2SeqPair([], [], [5, 6]),
    Seq2SeqPair([12, 12, 7], [0, 0, 2], []),
    Seq2SeqPair([5, 6, 7, 8, 9, 10, 11], [2] * 7, [6, 1, 12]),
]
WAYS = (SamplingConfig(search="greedy"), SamplingConfig(), SamplingConfig(search="nucleus"))


@pytest.fixture(params=[True, False], ids=["copies", "does not copy"])
def model(request: pytest.FixtureRequest) -> CopyTransformer:
    return new_generator(msgspec.structs.replace(SIZE, copy=request.param), 3).eval()


def test_each_row_has_one_loss_that_neither_padding_nor_batch_changes(model: CopyTransformer) -> None:
    together = model(collate_seq2seq(PAIRS))
    assert together.shape == (5,)
    alone = [model(collate_seq2seq([pair])).item() for pair in PAIRS]
    assert together.tolist() == pytest.approx(alone, abs=1e-5)


def test_step_by_step_with_a_cache_gives_the_loss_of_the_whole(model: CopyTransformer) -> None:
    batch = collate_seq2seq(PAIRS[:1])
    said = model.start(model.encode(batch.source, batch.kinds))
    total, last = 0.0, BEGIN
    for word in (*PAIRS[0].target, END):
        log_p, said = model.step(said, torch.tensor([last]))
        assert log_p.exp().sum().item() == pytest.approx(1.0, abs=1e-5)
        shown = word if word < log_p.shape[1] else 1
        total += log_p[0, shown].item()
        last = word
    assert -total == pytest.approx(model(batch).item(), abs=1e-4)


def test_a_cache_says_what_reading_all_again_says(model: CopyTransformer) -> None:
    """Greedy once more, without a cache: every word from the loss of all that could come next."""
    with torch.inference_mode():
        batch = collate_seq2seq(PAIRS[:1])
        memory = model.encode(batch.source, batch.kinds)
        words: list[int] = []
        for _ in range(5):
            choices = list(range(4, model.size.vocabulary + memory.extra))
            targets = torch.tensor([[*words, word] for word in choices])
            losses = model.nll(memory.pick(torch.zeros(len(choices), dtype=torch.long)), targets)
            words.append(choices[int(losses.argmin())])
        cached = greedy(model, model.start(memory), 1, DecodingLimits(longest=5, shortest=6))
    assert cached[0].words == words


def test_words_that_only_the_source_knows_differ_in_their_place_alone() -> None:
    model = new_generator(SIZE, 3).eval()
    one, other = Seq2SeqPair([12, 5], [0, 0], [12]), Seq2SeqPair([12, 5], [0, 0], [13])
    likely, impossible = (-model(collate_seq2seq([one, other]))).tolist()
    assert likely > -15
    assert impossible < -40


def test_without_copying_unknown_words_are_the_unknown_word() -> None:
    model = new_generator(msgspec.structs.replace(SIZE, copy=False), 3).eval()
    unknown, copied = model(collate_seq2seq([PAIRS[0]._replace(target=[number]) for number in (1, 12)])).tolist()
    assert copied == pytest.approx(unknown, abs=1e-5)


def test_picked_rows_go_on_as_they_were(model: CopyTransformer) -> None:
    batch = collate_seq2seq(PAIRS[:3])
    said = model.start(model.encode(batch.source, batch.kinds))
    _, said = model.step(said, torch.tensor([BEGIN] * 3))
    whole, _ = model.step(said, torch.tensor([5, 6, 7]))
    picked, _ = model.step(model.pick(said, torch.tensor([2, 0, 0])), torch.tensor([7, 5, 5]))
    assert torch.allclose(picked, whole[[2, 0, 0]], atol=1e-6)


@pytest.mark.parametrize("sampling", WAYS, ids=[way.search for way in WAYS])
def test_replies_do_not_depend_on_the_batch(model: CopyTransformer, sampling: SamplingConfig) -> None:
    seeds = [11, 12, 13, 14, 15]
    together = replies(model, PAIRS, sampling, DecodingLimits(longest=6), seeds=seeds)
    for place, pair in enumerate(PAIRS):
        alone = replies(model, [pair], sampling, DecodingLimits(longest=6), seeds=seeds[place : place + 1])[0]
        assert [one.words for one in together[place]] == [one.words for one in alone]
        assert [one.score for one in together[place]] == pytest.approx([one.score for one in alone], abs=1e-5)
    in_twos = replies(model, PAIRS, sampling, DecodingLimits(longest=6), seeds=seeds, batch=2)
    assert [[one.words for one in row] for row in in_twos] == [[one.words for one in row] for row in together]


def test_a_beam_of_width_one_is_greedy(model: CopyTransformer) -> None:
    limits = DecodingLimits(longest=6)
    one = replies(model, PAIRS, SamplingConfig(width=1, length_power=0.0), limits)
    other = replies(model, PAIRS, SamplingConfig(search="greedy"), limits)
    assert [[reply.words for reply in row] for row in one] == [[reply.words for reply in row] for row in other]


def test_each_token_of_a_source_has_a_kind() -> None:
    with pytest.raises(UsageError, match="2 tokens and 1 kinds"):
        collate_seq2seq([Seq2SeqPair([4, 5], [0], [])])


def test_word_dropout_reads_unknown_words_in_training_only() -> None:
    model = new_generator(msgspec.structs.replace(SIZE, word_dropout=1.0), 3)
    other = PAIRS[4]._replace(source=[11, 10, 9, 8, 7, 6, 5], target=[7, 1, 12])
    torch.manual_seed(1)
    first, second = (model.train().encode(*collate_seq2seq([pair])[:2]).states for pair in (PAIRS[4], other))
    assert torch.equal(first, second)
    first, second = (model.eval().encode(*collate_seq2seq([pair])[:2]).states for pair in (PAIRS[4], other))
    assert not torch.equal(first, second)


def test_first_weights_follow_the_seed_and_leave_chance_alone() -> None:
    state = torch.get_rng_state()
    first, second, third = (new_generator(SIZE, seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not all(torch.equal(first[name], third[name]) for name in first)
    assert torch.equal(state, torch.get_rng_state())


def marked(chance: Random) -> Seq2SeqPair:
    """A source of known and unknown words of which one is marked by its kind; the reply says that one."""
    unknown: dict[int, int] = {}
    count = chance.randrange(4, 9)
    words = [chance.randrange(4, 20) for _ in range(count)]
    source = [word if word < 12 else 12 + unknown.setdefault(word, len(unknown)) for word in words]
    place = chance.randrange(count)
    return Seq2SeqPair(source, [1 + (n == place) for n in range(count)], [4, source[place], 5])


@pytest.mark.slow
def test_it_learns_to_copy_the_marked_word_whatever_it_is(tmp_path: Path) -> None:
    chance = Random(1)
    pairs, others = [marked(chance) for _ in range(2500)], [marked(chance) for _ in range(60)]
    model = new_generator(msgspec.structs.replace(SIZE, decoder_layers=1), 1)
    plan = TrainConfig(epochs=2, batch=32, learning_rate=0.01, choose="loss", threads=1)
    train(generator_learner(model), pairs, others, plan, Run(folder=tmp_path, seed=1))
    said = replies(model, others, SamplingConfig(search="greedy"), DecodingLimits(longest=5))
    assert sum(of_row[0].words == pair.target for of_row, pair in zip(said, others, strict=True)) >= 57
    assert sum(word >= 12 for pair in others for word in pair.target) > 20


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_it_overfits_eight_examples_and_says_words_that_it_does_not_know(tmp_path: Path, precision: str) -> None:
    pairs = [Seq2SeqPair([4 + n, 12, 5 + n % 3, 13], [0, 1, 2, 1], [5 + n % 4, 12 + n % 2]) for n in range(8)]
    model = new_generator(SIZE, 1)
    plan = msgspec.convert(
        {"epochs": 8, "batch": 8, "learning_rate": 0.02, "choose": "loss", "threads": 1, "precision": precision},
        TrainConfig,
    )
    outcome = train(generator_learner(model), pairs * 12, pairs, plan, Run(folder=tmp_path, seed=1))
    assert outcome.loss < 0.1
    said = replies(model, pairs, SamplingConfig(search="greedy"), DecodingLimits(longest=5))
    assert [of_row[0].words for of_row in said] == [pair.target for pair in pairs]
