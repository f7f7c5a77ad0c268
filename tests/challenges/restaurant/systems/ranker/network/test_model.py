from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from torch.nn import functional

from duologue.challenges.restaurant.systems.ranker.network.batches import RankerRow, collate, collator
from duologue.challenges.restaurant.systems.ranker.network.model import (
    BeliefTracker,
    DialogueRanker,
    EncodedUtterances,
    RankerSize,
    UtteranceEncoder,
)
from duologue.challenges.restaurant.systems.trained_ranker.network import ranking_task, scores
from duologue.core.protocols import Run
from duologue.models.train import TrainConfig, train
from duologue.models.weights import first_weights

SIZE = RankerSize(vocabulary=20, categories=(3, 4), rankings=(5,), width=8, hidden=8, dropout=0.0, word_dropout=0.0)
UTTERANCES = [(2,), (3, 4, 5), (6, 4, 7, 4), (8, 9, 10, 11, 12), (13, 4)]
NAMES = [14, 15]

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def ints(rows: Sequence[tuple[int, ...]], columns: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return np.array(rows, np.int32).reshape(-1, columns)


def new_ranker(size: RankerSize, seed: int) -> DialogueRanker:
    with first_weights(seed):
        return DialogueRanker(size)


def row(number: int, target: int = 0) -> RankerRow:
    """A row that differs with its number in every part."""
    turns = [(0, 0), *[(place % 2, 1 + (place + number) % 4) for place in range(1 + number % 5)]]
    candidates = [(1 + (place + number) % 4, 0, place % 3, (number + place) % 4) for place in range(2 + number % 3)]
    return RankerRow(
        turns=ints(turns, 2),
        mentions=ints([(1, 1, 0, number % 3)] if number % 2 else [], 4),
        fields=np.array([0, 1], np.int32),
        candidates=ints(candidates, 4),
        values=ints([(1, 0, number % 3)], 3),
        links=ints([(0, 1)] if number % 3 else [], 2),
        numeric=ints([(0, 1, number % 5)], 3),
        target=target,
    )


def test_scores_have_one_number_per_candidate_and_padding_is_never_preferred() -> None:
    rows = [row(number) for number in range(6)]
    model = new_ranker(SIZE, 1).eval()
    scored = model(collate(rows, UTTERANCES, NAMES))
    assert scored.shape == (6, 4)
    for of_row, one in zip(scored.tolist(), rows, strict=True):
        assert all(score < -1e8 for score in of_row[len(one.candidates) :])
        assert all(abs(score) < 1e3 for score in of_row[: len(one.candidates)])


def test_the_score_of_a_row_does_not_depend_on_its_batch() -> None:
    rows = [row(number) for number in range(12)]
    model = new_ranker(SIZE, 2)
    together = scores(model, collate(rows, UTTERANCES, NAMES), [len(one.candidates) for one in rows])
    alone = [scores(model, collate([one], UTTERANCES, NAMES), [len(one.candidates)])[0] for one in rows]
    for first, second in zip(together, alone, strict=True):
        assert first == pytest.approx(second, abs=1e-5)


def test_first_weights_follow_the_seed_and_leave_chance_alone() -> None:
    state = torch.get_rng_state()
    first, second, third = (new_ranker(SIZE, seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not all(torch.equal(first[name], third[name]) for name in first)
    assert torch.equal(state, torch.get_rng_state())


@pytest.mark.slow
def test_it_overfits_eight_examples(tmp_path: Path) -> None:
    rows = [row(number, target=number % 2) for number in range(8)]
    model = new_ranker(SIZE, 1)
    plan = TrainConfig(epochs=6, batch=8, learning_rate=0.03, patience=6, threads=1)
    outcome = train(
        ranking_task(model, collator(UTTERANCES, NAMES)), rows * 15, rows, plan, Run(folder=tmp_path, seed=1)
    )
    assert outcome.held_out == 1.0


class _Gates(torch.nn.Module):
    """Gates that are told."""

    def __init__(self, gates: list[float]) -> None:
        super().__init__()
        self.logits = torch.tensor([math.log(gate / (1 - gate)) for gate in gates]).view(1, -1, 1)

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        return self.logits.expand(*seen.shape[:2], 1)


def test_belief_is_what_the_latest_accepted_mention_leaves() -> None:
    """Field 0: value 5 accepted by 0.9, then value 6 by 0.25; field 1: value 7 by 0.5."""
    one = row(0)._replace(
        turns=ints([(0, 0), (0, 2), (0, 1)], 2),
        mentions=ints([(1, 1, 0, 5), (1, 3, 0, 6), (2, 1, 1, 7)], 4),
        values=ints([(0, 0, 5), (0, 0, 6), (1, 1, 7), (1, 1, 8)], 3),
    )
    batch = collate([one], UTTERANCES, NAMES)
    belief = BeliefTracker(SIZE)
    belief.gate = _Gates([0.9, 0.25, 0.5])  # type: ignore[assignment]  # stands in for the learned gates
    starts, vectors = torch.zeros(len(batch.tokens), dtype=torch.int64), torch.zeros(len(batch.tokens), SIZE.width)
    named, unfilled = belief(batch, EncodedUtterances(torch.zeros(99, SIZE.width), starts, vectors))
    assert named.tolist()[0] == pytest.approx([0.9 * 0.75, 0.25, 0.5, 0.0], abs=1e-6)
    assert unfilled.tolist()[0] == pytest.approx([0.1 * 0.75, 0.5], abs=1e-6)


def test_an_utterance_is_the_greatest_and_the_mean_of_its_own_tokens() -> None:
    """Tokens of the neighbours and padding are no part of it; an empty utterance has a vector too."""
    encoder = UtteranceEncoder(SIZE).eval()
    tokens = torch.tensor([[3, 4, 5], [0, 0, 0], [7, 0, 0], [8, 9, 0]])
    together = encoder(tokens)
    assert together.starts.tolist() == [0, 3, 3, 4]
    assert together.states.shape == (6, SIZE.width)
    assert together.vectors.isfinite().all()
    for place, length in ((0, 3), (2, 1), (3, 2)):
        alone = encoder(tokens[place : place + 1, :length])
        states = together.states[together.starts[place] :][:length]
        assert torch.allclose(alone.states, states, atol=1e-6)
        joined = torch.cat([states.amax(0), states.mean(0)])
        assert torch.allclose(together.vectors[place], torch.relu(encoder.out(joined)), atol=1e-6)


def test_categories_and_rankings_are_sums_of_their_embeddings() -> None:
    model, batch = new_ranker(SIZE, 3), collate([row(1), row(4)], UTTERANCES, NAMES)
    plain = functional.embedding(batch.codes + model.category_starts, model.categories.weight).sum(2)
    assert torch.allclose(model._categories(batch), plain, atol=1e-6)
    ranked = model._numeric(batch)  # one numeric entry, of the first candidate: its weight is 1
    assert torch.allclose(ranked[:, 0], model.rankings.weight[batch.numeric[:, 0, 2]], atol=1e-6)
    assert not ranked[:, 1:].any()


def test_values_of_a_candidate_cost_their_doubt() -> None:
    model = DialogueRanker(SIZE)
    batch = collate([row(1)], UTTERANCES, NAMES)
    named = torch.full(batch.values.shape[:2], 0.5)
    parts = model._value(batch, named, torch.ones(batch.fields.shape))
    assert parts[0, 1, 0].item() == pytest.approx(math.log(0.501), abs=1e-6)
    assert parts[0, 0].tolist() == [0.0, 0.0, 0.0, 0.0]


def test_a_row_without_mentions_figures_or_links_has_finite_gradients() -> None:
    one = row(0)._replace(mentions=ints([], 4), values=ints([], 3), links=ints([], 2), numeric=ints([], 3))
    model = new_ranker(SIZE, 1)
    ranking_task(model, collator(UTTERANCES, NAMES)).loss(collate([one], UTTERANCES, NAMES)).backward()  # type: ignore[no-untyped-call]  # untyped in torch
    assert all(value.grad is None or value.grad.isfinite().all() for value in model.parameters())
