from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.network import (
    BareRow,
    all_probabilities,
    bare_learner,
    collate,
    label_shares,
    learner,
    new_network,
    probabilities,
)
from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
from duologue.challenges.mobilecs.systems.agent.slot_cues import SlotCues
from duologue.challenges.mobilecs.systems.agent.trainer import size_of
from duologue.challenges.mobilecs.systems.agent.turn_encoder import TurnEncoder, TurnTruth, told_summary, vocabulary_of
from duologue.core.protocols import Run
from duologue.models.train import TrainConfig, train

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.challenges.mobilecs.systems.agent.turn_encoder import TurnRow

BASE = {
    "ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元", "业务规则": "次月生效"},
    "NA": {"账户余额": "三十块"},
}
SAID = [("彩铃多少钱", 1, ("通知",)), ("话费还剩多少", 3, ("被动确认", "通知")), ("什么时候生效", 2, ("通知",))]
TURNS = [
    (
        str(place),
        CallView([("彩铃", "嗯")], text, BASE),
        TurnTruth(frozenset({"询问"}), frozenset({piece}), frozenset({piece}), labels, frozenset({piece})),
    )
    for place, (text, piece, labels) in enumerate(SAID)
]
RECIPE = AgentRecipe(width=16, hidden=16, dropout=0.0, gram_dropout=0.0, rare=1)
VOCABULARY = vocabulary_of(TURNS, rare=1, label_sets=9)
ENCODER = TurnEncoder(VOCABULARY, SlotCues([]))
ROWS = [ENCODER.row(view, truth) for _, view, truth in TURNS]


def test_shapes_and_padding() -> None:
    network = new_network(size_of(VOCABULARY, RECIPE), 1).eval()
    empty = ENCODER.row(CallView([], "喂", {}))
    batch = collate([*ROWS, empty])
    out = network(batch)
    assert out.user_labels.shape == (4, 14)
    assert out.pieces.shape == (4, batch.slots.shape[1], 3)
    assert network.staff(out.state, batch.summary).shape == (4, 2)
    assert probabilities([network], empty).told.shape == (0,)
    assert torch.isfinite(learner(network).loss(batch))
    alone = probabilities([network], ROWS[0])
    assert torch.allclose(torch.from_numpy(alone.told), out.pieces[0, : len(alone.told), 2].sigmoid(), atol=1e-5)


def test_targets_that_are_no_numbers_teach_nothing() -> None:
    network = new_network(size_of(VOCABULARY, RECIPE), 1).eval()
    nothing = [np.full_like(one, np.nan) for one in (ROWS[1].user_labels, ROWS[1].asked, ROWS[1].wanted)]
    bare = ROWS[1]._replace(user_labels=nothing[0], asked=nothing[1], wanted=nothing[2], label_set=-1)
    loss = learner(network).loss

    def gradient(row: TurnRow) -> float:
        found = torch.autograd.grad(loss(collate([row])), network.user_head.weight, allow_unused=True)[0]
        return 0.0 if found is None else float(found.abs().sum())

    assert gradient(ROWS[1]) > 0
    assert gradient(bare) == 0
    told = loss(collate([bare]))
    assert torch.isfinite(told)
    assert told < loss(collate([ROWS[1]]))


def test_what_a_reply_tells_and_says_is_learned_from_bare_turns(tmp_path: Path) -> None:
    network = new_network(size_of(VOCABULARY, RECIPE), 1)
    rows = [BareRow(row, np.array([place], dtype=np.int32)) for place, row in enumerate(ROWS)]
    config = TrainConfig(epochs=60, batch=3, learning_rate=1e-2, patience=60, choose="loss")
    train(bare_learner(network, len(rows), 1), rows, rows, config, Run(folder=tmp_path, seed=1))
    for row, read in zip(ROWS, all_probabilities([network.eval()], ROWS), strict=True):
        assert read.told.argmax() == row.told.argmax()


def test_bare_turns_whose_replies_have_no_terms_teach_what_they_tell(tmp_path: Path) -> None:
    network = new_network(size_of(VOCABULARY, RECIPE), 1)
    rows = [BareRow(row, np.array([], dtype=np.int32)) for row in ROWS]
    config = TrainConfig(epochs=2, batch=3, choose="loss")
    result = train(bare_learner(network, 0, 1), rows, rows, config, Run(folder=tmp_path, seed=1))
    assert np.isfinite(result.loss)


def test_many_turns_are_read_as_one_is() -> None:
    network = new_network(size_of(VOCABULARY, RECIPE), 1).eval()
    for row, read in zip(ROWS, all_probabilities([network], ROWS), strict=True):
        assert np.allclose(read.told, probabilities([network], row).told, atol=1e-6)


def test_it_overfits_a_few_turns(tmp_path: Path) -> None:
    network = new_network(size_of(VOCABULARY, RECIPE), 1)
    config = TrainConfig(epochs=80, batch=3, learning_rate=1e-2, patience=80, choose="loss")
    train(learner(network), ROWS, ROWS, config, Run(folder=tmp_path, seed=1))
    network.eval()
    for row, (_, piece, labels) in zip(ROWS, SAID, strict=True):
        read = probabilities([network, network], row)
        assert read.wanted.argmax() == piece
        assert read.told[piece] > 0.8
        view = TURNS[[one[1] for one in SAID].index(piece)][1]
        shares = label_shares([network, network], read.states, told_summary(view, [piece])[None])
        assert VOCABULARY.label_sets[int(shares[0].argmax())] == labels
