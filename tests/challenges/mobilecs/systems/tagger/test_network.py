from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
import torch
from torch.nn import functional

from duologue.challenges.mobilecs.systems.tagger.char_features import encoded
from duologue.challenges.mobilecs.systems.tagger.label_layer import KindSpan, LabelLayer, loose_spans
from duologue.challenges.mobilecs.systems.tagger.network import (
    GAP,
    IGNORED,
    TAUGHT_ROWS,
    DocumentBatch,
    TaggedDocument,
    agreement,
    collate,
    convolved,
    new_tagger,
    tag,
    tagger_task,
)
from duologue.challenges.mobilecs.systems.tagger.recipe import CharTaggerRecipe
from duologue.core.protocols import Run
from duologue.models.blocks import Dropout
from duologue.models.train import TrainConfig, train

if TYPE_CHECKING:
    from pathlib import Path

LAYER = LabelLayer("x", ("a",))
RECIPE = CharTaggerRecipe(
    embedding=8, width=16, epochs=30, batch=4, dropout=0.0, feature_dropout=0.0, learning_rate=0.02
)


def row(text: str) -> TaggedDocument:
    start = text.find("彩铃")
    spans = [KindSpan(start, start + 2, 0)] if start >= 0 else []
    return TaggedDocument(encoded(text), np.array([LAYER.labels(len(text), spans)]))


def test_a_tagger_learns_where_spans_are(tmp_path: Path) -> None:
    rows = [
        row(text)
        for text in ("我要彩铃啊", "彩铃多少钱", "多少钱啊", "那个彩铃", "你好啊我要", "是彩铃吗", "那你多少钱")
    ]
    tagger = new_tagger([LAYER.size], RECIPE, 1)
    train(tagger_task(tagger), rows, rows, TrainConfig.of(RECIPE, choose="loss"), Run(folder=tmp_path, seed=1))
    said = tag(tagger, [encoded("那我要彩铃")])[0].layers[0]
    assert loose_spans(said.argmax(1).tolist()) == [KindSpan(3, 5, 0)]


def test_agreement_is_the_share_of_equal_labels_in_spans_of_each_document() -> None:
    documents = [row(text) for text in ("我要彩铃啊", "多少钱啊", "彩铃多少钱", "你好")]
    documents[3].labels[:] = IGNORED
    batch = collate(documents)
    assert agreement(batch, batch.labels).tolist() == [1, 0, 1, 0]
    said = torch.zeros_like(batch.labels)
    start = GAP + len("我要")
    said[0, start : start + 3] = torch.tensor([1, 2, 2])  # a character too many: two of three
    said[0, 2 * GAP + 5] = 1  # where nothing is
    assert agreement(batch, said).tolist() == pytest.approx([2 / 3, 0, 0, 0])


def test_no_document_sees_another() -> None:
    tagger = new_tagger([LAYER.size, 5], RECIPE, 1)
    texts = [encoded(text) for text in ("我要彩铃啊", "", "多少钱")]
    together, alone = tag(tagger, texts), [tag(tagger, [text])[0] for text in texts]
    for one, other in zip(together, alone, strict=True):
        assert one.vectors == pytest.approx(other.vectors, abs=1e-6)
        assert [layer.shape[1] for layer in one.layers] == [3, 5]
        for layer, single in zip(one.layers, other.layers, strict=True):
            assert layer == pytest.approx(single, abs=1e-5)
            assert np.exp(layer).sum(1) == pytest.approx(1, abs=1e-5)


def test_with_a_memory_a_name_is_told_by_what_stands_around_it_elsewhere() -> None:
    far = "好" * GAP
    texts = [encoded(f"我要彩铃啊{far}彩铃{last}") for last in ("多少钱", "停机了")]
    place = slice(2, 4)  # the first 彩铃, out of reach of what is said at the end
    for memory, alike in ((0, True), (4, False)):
        tagger = new_tagger([LAYER.size], msgspec.structs.replace(RECIPE, memory=memory), 1)
        torch.nn.init.normal_(tagger.encoder.embedding.weight, generator=torch.Generator().manual_seed(1))
        one, other = (said.vectors[place] for said in tag(tagger, texts))
        assert np.allclose(one, other, atol=1e-6) == alike


def test_with_a_memory_no_document_sees_another_either() -> None:
    tagger = new_tagger([LAYER.size], msgspec.structs.replace(RECIPE, memory=4), 1)
    torch.nn.init.normal_(tagger.encoder.embedding.weight, generator=torch.Generator().manual_seed(1))
    texts = [encoded(text) for text in ("我要彩铃啊彩铃", "彩铃多少钱", "那个彩铃")]
    for one, text in zip(tag(tagger, texts), texts, strict=True):
        assert one.vectors == pytest.approx(tag(tagger, [text])[0].vectors, abs=1e-5)


def test_half_the_bits_train_and_judge_as_well(tmp_path: Path) -> None:
    recipe = msgspec.structs.replace(RECIPE, memory=4, epochs=2, precision="bfloat16", fused=True)
    tagger = new_tagger([LAYER.size], recipe, 1)
    rows = [row(text) for text in ("我要彩铃啊", "彩铃多少钱", "多少钱啊", "那个彩铃")]
    result = train(tagger_task(tagger), rows, rows, TrainConfig.of(recipe, choose="loss"), Run(folder=tmp_path, seed=1))
    assert result.loss < np.log(LAYER.size)


def test_few_documents_are_read_more_often() -> None:
    recipe = CharTaggerRecipe(epochs=2, batch=4, least_steps=10)
    assert [recipe.for_rows(rows).epochs for rows in (3, 8, 20, 400)] == [10, 5, 2, 2]


def test_gaps_do_not_count_in_training_nor_do_rows_that_make_sizes_alike() -> None:
    batch = collate([row("彩铃"), row("好")])
    assert batch.features.shape[0] == TAUGHT_ROWS
    assert (batch.labels != IGNORED).sum() == 3
    tagger = new_tagger([LAYER.size], msgspec.structs.replace(RECIPE, memory=4), 1)
    torch.nn.init.normal_(tagger.encoder.embedding.weight, generator=torch.Generator().manual_seed(1))
    more = DocumentBatch(
        functional.pad(batch.features, (0, 0, 0, 7)), functional.pad(batch.labels, (0, 7), value=IGNORED)
    )
    loss = tagger_task(tagger).loss
    assert loss(more).item() == pytest.approx(loss(batch).item())


def test_the_gradients_of_a_convolution_are_those_of_its_formula() -> None:
    """Beside a loop over the vectors, which autograd differentiates; in double precision."""
    chance = torch.Generator().manual_seed(1)
    x, weight, bias = (
        torch.randn(shape, generator=chance, dtype=torch.float64, requires_grad=True)
        for shape in ((9, 3), (3, 9), (3,))
    )
    gaps, none = torch.tensor([0, 8]), torch.zeros(3, dtype=torch.float64)
    for step in (1, 4):
        rows = []
        for place in range(9):
            around = [x[near] if 0 <= near < 9 else none for near in (place - step, place, place + step)]
            added = (weight @ torch.cat(around) + bias).relu()
            rows.append(x[place] if place in gaps else x[place] + added)
        expected = torch.stack(rows)
        found = convolved(x, weight, bias, gaps, step, Dropout(0.0), torch.float64)
        assert torch.allclose(found, expected)
        of_each = torch.randn(9, 3, generator=chance, dtype=torch.float64)
        ours, autograd = (torch.autograd.grad((one * of_each).sum(), (x, weight, bias)) for one in (found, expected))
        for one, other in zip(ours, autograd, strict=True):
            assert torch.allclose(one, other)


def test_dropped_numbers_of_a_convolution_have_no_gradient_and_the_others_more() -> None:
    x = torch.ones(400, 2, requires_grad=True)
    weight, bias = torch.zeros(2, 6, requires_grad=True), torch.ones(2, requires_grad=True)
    dropout = Dropout(0.25)
    added = convolved(x, weight, bias, torch.tensor([0]), 1, dropout, torch.float32) - x
    assert sorted(set(added.flatten().tolist())) == pytest.approx([0, 4 / 3])
    assert (added == 0).float().mean().item() == pytest.approx(0.25, abs=0.05)
    (of_bias,) = torch.autograd.grad(added.sum(), bias)
    assert of_bias.tolist() == pytest.approx(added.sum(0).tolist())
    dropout.eval()
    still = convolved(x, weight, bias, torch.tensor([0]), 1, dropout, torch.float32) - x
    assert still.flatten().tolist() == [0, 0, *[1] * 798]
