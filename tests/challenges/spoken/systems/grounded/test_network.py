from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from duologue.challenges.spoken.systems.grounded.network import learner, log_shares, shares
from duologue.core.protocols import Run
from duologue.models.choices import Choice, UtilitySize
from duologue.models.train import TrainConfig, train
from duologue.models.utility import Collator, new_utility

if TYPE_CHECKING:
    from pathlib import Path

SIZE = UtilitySize(words=6, template_words=6, features=2, width=8, hidden=8, dropout=0.0, word_dropout=0.0)
COLLATE = Collator(np.array([[2, 0], [3, 4], [5, 0]], dtype=np.int32))


def row(word: int, templates: list[int], wanted: list[float]) -> Choice:
    features = np.zeros((len(templates), 2), dtype=np.float16)
    return Choice(
        np.array([word], np.int32), np.array(templates, np.int32), features, np.array(wanted, np.float32)[:, None]
    )


ROWS = [row(2, [0, 1, 2], [1, 0, 0]), row(3, [0, 1], [0, 1]), row(4, [2, 0, 1], [0.5, 0, 0.5])]


def test_shares_of_each_list_add_up_to_one() -> None:
    models = [new_utility(SIZE, seed) for seed in (1, 2)]
    found = shares(models, ROWS, COLLATE)
    assert [len(one) for one in found] == [3, 2, 3]
    assert [float(one.sum()) for one in found] == pytest.approx([1, 1, 1], abs=1e-5)


def test_padding_has_no_share() -> None:
    overlaps = log_shares(new_utility(SIZE, 1).eval(), COLLATE(ROWS)).exp()
    assert float(overlaps[1, 2].detach()) == 0


def test_the_loss_is_the_cross_entropy_of_the_wanted_shares() -> None:
    model = new_utility(SIZE, 1).eval()
    subject = learner(model, COLLATE)
    batch = COLLATE(ROWS)
    overlaps = log_shares(model, batch).detach()
    by_hand = -(overlaps[0, 0] + overlaps[1, 1] + 0.5 * (overlaps[2, 0] + overlaps[2, 2])) / 3
    assert float(subject.loss(batch).detach()) == pytest.approx(float(by_hand), abs=1e-5)


def test_it_learns_which_candidates_belong_to_a_word(tmp_path: Path) -> None:
    model = new_utility(SIZE, 1)
    plan = TrainConfig(epochs=20, batch=3, learning_rate=4e-2, threads=1, patience=20, choose="loss")
    train(learner(model, COLLATE), ROWS * 4, ROWS, plan, Run(folder=tmp_path, seed=1))
    one, other, both = shares([model], ROWS, COLLATE)
    assert one.argmax() == 0
    assert other.argmax() == 1
    assert set(np.argsort(-both)[:2].tolist()) == {0, 2}
    with torch.inference_mode():
        hits = learner(model.eval(), COLLATE).hits
        assert hits is not None
        assert hits(COLLATE(ROWS)).tolist() == [1, 1, 1]
