from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from duologue.core.protocols import Run
from duologue.models.choices import Choice, UtilitySize
from duologue.models.train import TrainConfig, train
from duologue.models.utility import SCALE, Collator, centred, learner, new_utility, scores

if TYPE_CHECKING:
    from pathlib import Path

SIZE = UtilitySize(
    words=12, template_words=9, features=3, targets=2, members=2, width=8, hidden=16, dropout=0.0, word_dropout=0.0
)


def lists(n: int, seed: int = 0) -> tuple[list[Choice], Collator]:
    """Return n lists of two to five candidates with utilities, by two targets, in their features; and the templates."""
    chance = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        size = int(chance.integers(2, 6))
        features = chance.normal(size=(size, 3)).astype(np.float16)
        utility = np.stack([0.5 + features[:, 0] / 10, 0.3 + features[:, 0] / 20], axis=1).astype(np.float32)
        words = chance.integers(1, 12, size=int(chance.integers(1, 6)), dtype=np.int32)
        rows.append(Choice(words, chance.integers(0, 7, size=size, dtype=np.int32), features, utility))
    return rows, Collator(chance.integers(0, 9, size=(7, 4), dtype=np.int32))


def test_batches_are_padded_and_masked() -> None:
    rows, collate = lists(6)
    batch = collate(rows)
    most = max(len(row.templates) for row in rows)
    assert batch.templates.shape == (6, most, 4)
    assert batch.mask.sum(1).tolist() == [len(row.templates) for row in rows]
    assert batch.utility.shape == (6, most, 2)
    assert batch.words.shape == (6, max(len(row.words) for row in rows))


def test_a_template_of_one_list_alone_is_read_as_one_of_the_table() -> None:
    rows, collate = lists(3)
    model = new_utility(SIZE, 1)
    table = collate(rows).templates  # (b, c, l)
    apart = []
    for row, templates in zip(rows, table, strict=True):
        kept = np.array([-1, *row.templates[1:-1], -2], dtype=np.int32)
        others = np.zeros((2, 6), dtype=np.int32)  # longer than the table's
        others[:, :4] = templates[[0, len(row.templates) - 1]].numpy()
        apart.append(row._replace(templates=kept, others=others))
    for one, other in zip(scores(model, rows, collate), scores(model, apart, collate), strict=True):
        np.testing.assert_allclose(other, one, atol=1e-6)
    mixed = collate([rows[0], apart[1]])
    assert mixed.templates.shape[2] == 6
    assert mixed.templates[0, : len(rows[0].templates), :4].equal(table[0, : len(rows[0].templates)])
    assert apart[0].some(np.array([0])).templates.tolist() == [-1]


def test_neither_padding_nor_the_batch_changes_a_score() -> None:
    rows, collate = lists(9)
    model = new_utility(SIZE, 1)
    together = scores(model, rows, collate)
    for row, score in zip(rows, together, strict=True):
        np.testing.assert_allclose(scores(model, [row], collate)[0], score, atol=1e-5)


def test_differences_from_the_mean_of_the_list_are_learned() -> None:
    values = torch.tensor([[[1.0, 4.0], [3.0, 2.0], [9.0, 9.0]]])
    mask = torch.tensor([[True, True, False]])
    assert centred(values, mask).tolist() == [[[-1.0, 1.0], [1.0, -1.0], [0.0, 0.0]]]
    assert not centred(values, torch.zeros_like(mask)).any()


def test_the_loss_is_the_mean_square_of_what_each_member_is_off() -> None:
    rows, collate = lists(3)
    batch = collate(rows)
    model = new_utility(SIZE, 1).eval()
    read = model.standardised(batch)
    wanted = SCALE * centred(batch.utility, batch.mask)
    squares = [((centred(member(read), batch.mask) - wanted) ** 2).sum() for member in model.members]
    loss = learner(model, collate).loss(batch).detach()
    assert float(loss) == pytest.approx(float(torch.stack(squares).detach().mean()) / int(batch.mask.sum()), rel=1e-5)


def test_a_step_reads_some_of_the_candidates_and_a_judgement_all() -> None:
    rows, collate = lists(5)
    model = new_utility(SIZE, 1)
    seen: list[int] = []
    for member in model.members:
        member.register_forward_hook(lambda module, given, told: seen.append(told.shape[1]))
    subject = learner(model, collate, sampled=2)
    most = len(collate(rows).mask[0])
    for training, expected in ((True, 2), (False, most)):
        seen.clear()
        model.train(training)
        assert torch.isfinite(subject.loss(collate(rows)))
        assert seen == [expected, expected], training


def test_the_members_differ_and_their_mean_is_what_is_told() -> None:
    rows, collate = lists(3)
    model = new_utility(SIZE, 1).eval()
    read = model.standardised(collate(rows))
    one, other = (member(read) for member in model.members)
    assert not torch.equal(one, other)
    torch.testing.assert_close(model(collate(rows)), (one + other) / 2)


@pytest.mark.slow
def test_eight_lists_are_learned_by_heart(tmp_path: Path) -> None:
    rows, collate = lists(8)
    model = new_utility(SIZE, 1)
    plan = TrainConfig(epochs=150, batch=8, learning_rate=1e-2, threads=1, patience=150, checkpoint_seconds=1e9)
    train(learner(model, collate), rows, rows, plan, Run(folder=tmp_path, seed=1))
    for row, score in zip(rows, scores(model, rows, collate), strict=True):
        assert row.utility[int(np.argmax(score)), 0] == row.utility[:, 0].max()


def test_features_are_scaled_by_what_training_saw() -> None:
    model = new_utility(SIZE, 1)
    model.scale(np.array([[0, 2, 4], [2, 2, 8]], dtype=np.float16))
    assert model.get_buffer("mean").tolist() == [1.0, 2.0, 6.0]


def test_without_words_the_features_alone_decide() -> None:
    rows, collate = lists(4)
    model = new_utility(UtilitySize(words=12, template_words=9, features=3, targets=2, hidden=8, text=False), 1)
    changed = [row._replace(words=row.words[:1]) for row in rows]
    for one, other in zip(scores(model, rows, collate), scores(model, changed, collate), strict=True):
        np.testing.assert_array_equal(one, other)
