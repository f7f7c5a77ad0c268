from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.spoken.systems.pipeline.network.tagger import (
    LabelledSpan,
    Tagged,
    TaggerSize,
    collate_tagged,
    new_tagger,
    spans_of,
    tag_learner,
    tags_of,
)
from duologue.core.errors import UsageError
from duologue.core.protocols import Run
from duologue.models.train import TrainConfig, train

if TYPE_CHECKING:
    from pathlib import Path

SIZE = TaggerSize(vocabulary=12, labels=2, width=16, heads=2, inner=32, layers=1, dropout=0.0)
ROWS = [
    Tagged([4, 5, 6, 7, 8], [LabelledSpan(1, 3, 0), LabelledSpan(3, 4, 0), LabelledSpan(4, 5, 1)]),
    Tagged([9]),
    Tagged([5, 5, 5], [LabelledSpan(0, 3, 1)]),
]


def test_tags_by_hand() -> None:
    assert tags_of(ROWS[0].spans, 5) == [0, 1, 2, 1, 3]
    assert spans_of([0, 1, 2, 1, 3]) == ROWS[0].spans


def test_a_tag_that_continues_nothing_begins_a_span() -> None:
    assert spans_of([2, 2, 4, 0, 2]) == [LabelledSpan(0, 2, 0), LabelledSpan(2, 3, 1), LabelledSpan(4, 5, 0)]


@given(st.lists(st.integers(0, 4), max_size=9))
def test_spans_come_back_from_their_tags(tags: list[int]) -> None:
    spans = spans_of(tags)
    assert spans_of(tags_of(spans, len(tags))) == spans


@pytest.mark.parametrize(
    "spans",
    [[LabelledSpan(1, 1, 0)], [LabelledSpan(0, 4, 0)], [LabelledSpan(0, 2, 0), LabelledSpan(1, 3, 0)]],
    ids=["empty", "outside", "overlap"],
)
def test_spans_that_cannot_be_tagged_are_refused(spans: list[LabelledSpan]) -> None:
    with pytest.raises(UsageError, match="LabelledSpan"):
        tags_of(spans, 3)


def test_a_sequence_without_tokens_is_refused() -> None:
    with pytest.raises(UsageError, match="no tokens"):
        collate_tagged([*ROWS, Tagged([])])


def test_each_row_has_one_loss_that_neither_padding_nor_batch_changes() -> None:
    model = new_tagger(SIZE, 2).eval()
    together = model(collate_tagged(ROWS))
    assert together.shape == (3,)
    alone = [model(collate_tagged([row])).item() for row in ROWS]
    assert together.tolist() == pytest.approx(alone, abs=1e-5)
    assert model.spans(ROWS) == [model.spans([row])[0] for row in ROWS]


def test_an_inside_tag_never_stands_alone() -> None:
    model = new_tagger(SIZE, 2)
    with torch.no_grad():
        model.emit.weight.zero_()
        model.emit.bias.copy_(torch.tensor([0.0, -9.0, 9.0, -9.0, 0.0]))
    tokens = collate_tagged(ROWS[:1]).tokens
    best = model.eval().crf.best(model.emissions(tokens), tokens != 0)[0]
    assert best == [1, 2, 2, 2, 2]


def test_it_overfits_eight_examples(tmp_path: Path) -> None:
    rows = [
        Tagged([4 + n, 5, 6 + n % 3, 7], [LabelledSpan(n % 3, n % 3 + 2, n % 2)] if n % 4 else []) for n in range(8)
    ]
    model = new_tagger(SIZE, 1)
    plan = TrainConfig(epochs=6, batch=8, learning_rate=0.02, threads=1)
    outcome = train(tag_learner(model), rows * 10, rows, plan, Run(folder=tmp_path, seed=1))
    assert outcome.held_out == 1.0
    assert model.spans(rows) == [list(row.spans) for row in rows]
