from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

from duologue.challenges.proactive.systems.matcher.network.batch import MatcherRow, collate
from duologue.challenges.proactive.systems.matcher.network.model import (
    _NAMES,
    KnowledgeReader,
    MatcherNetwork,
    MatcherSize,
    ReluGru,
    hits,
    learner,
    loss,
    new_matcher,
    scores,
)
from duologue.core.identity import LOG
from duologue.core.protocols import Run
from duologue.models.blocks import Dropout
from duologue.models.recurrent import TwoWayGru
from duologue.models.train import TrainConfig, train

if TYPE_CHECKING:
    from pathlib import Path

FORMS = ["pytorch", "paddle"]
SMALL: dict[str, Any] = {
    "vocabulary": 20,
    "width": 16,
    "layers": 2,
    "heads": 2,
    "inner": 32,
    "longest": 24,
    "dropout": 0.0,
}


def small(**changes: Any) -> MatcherNetwork:
    return new_matcher(MatcherSize(**SMALL | changes), 1).eval()


def row(history: list[int], replies: list[list[int]], background: list[int], target: int = -1) -> MatcherRow:
    return MatcherRow(
        array("i", history), tuple(array("i", reply) for reply in replies), array("i", background), target
    )


SHORT = row([5], [[6], [7, 8]], [9, 3, 10], 1)
LONG = row([5, 6, 7, 8, 9, 10, 11], [[12, 13, 14], [6], [7]], [4, 5, 3, 6, 7, 8, 9, 10, 11], 0)
EIGHT = [row([4 + at, 5], [[6 + at % 4], [12 + at], [4]], [5 + at, 3, 6], at % 3) for at in range(8)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("reads", ["knowledge", "nothing"])
def test_a_line_has_two_logits_and_every_weight_gets_a_gradient(form: str, reads: str) -> None:
    model = small(form=form, knowledge=reads == "knowledge").train()
    batch = collate([SHORT, LONG], 24)
    assert model(batch).shape == (5, 2)
    loss(model, batch).backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    idle = [name for name, weight in model.named_parameters() if weight.grad is None or not weight.grad.any()]
    assert idle == []


def test_the_published_form_has_the_published_sizes() -> None:
    model = MatcherNetwork(MatcherSize(vocabulary=100))
    assert len(model.blocks) == 4
    assert model.words.weight.shape == (100, 256)
    assert model.places.weight.shape == (256, 256)
    assert isinstance(model.knowledge, KnowledgeReader)
    assert isinstance(model.knowledge.gru, TwoWayGru)
    assert model.knowledge.gru.backward_gru.w_hidden.shape == (3 * 128, 128)
    assert model.knowledge.words.weight is not model.words.weight


@pytest.mark.parametrize("form", FORMS)
def test_padding_changes_no_logit(form: str) -> None:
    model = small(form=form)
    alone = [model(collate([one], 24)) for one in (SHORT, LONG)]
    torch.testing.assert_close(model(collate([SHORT, LONG], 24)), torch.cat(alone), rtol=0, atol=1e-5)


def test_the_gru_with_relu_computes_what_its_equations_say() -> None:
    torch.manual_seed(3)
    gru = ReluGru(3, 2)
    x = torch.randn(1, 2, 3)
    real = torch.tensor([[True, True]])
    out = gru(x, real)
    for way, order in ((0, [0, 1]), (1, [1, 0])):
        state = torch.zeros(2)
        for at in order:
            now = x[0, at] @ gru.read[way] + gru.bias[way, 0, 0]
            update, reset = torch.sigmoid(now[:4] + state @ gru.gates[way]).chunk(2)
            new = torch.relu(now[4:] + (reset * state) @ gru.carry[way])
            state = (1 - update) * state + update * new
            torch.testing.assert_close(out[0, at, 2 * way : 2 * way + 2], state)


def test_the_gru_with_relu_does_not_see_padding() -> None:
    torch.manual_seed(3)
    gru = ReluGru(3, 2)
    x = torch.randn(1, 5, 3)
    real = torch.tensor([[True, True, True, False, False]])
    torch.testing.assert_close(gru(x, real)[:, :3], gru(x[:, :3], real[:, :3]))


def test_the_states_of_knowledge_are_those_of_the_library() -> None:
    model = small()
    assert isinstance(model.knowledge, KnowledgeReader)
    gru = model.knowledge.gru
    assert isinstance(gru, TwoWayGru)
    library = nn.GRU(16, 8, batch_first=True, bidirectional=True)
    for suffix, way in (("", gru.forward_gru), ("_reverse", gru.backward_gru)):
        for name, weight in zip(("weight_ih", "weight_hh", "bias_ih", "bias_hh"), way.parameters(), strict=True):
            getattr(library, f"{name}_l0{suffix}").data.copy_(weight)
    x, lengths = torch.randn(3, 5, 16), [2, 5, 3]
    real = torch.arange(5) < torch.tensor(lengths).unsqueeze(1)
    states = model.knowledge._states(x, real)
    for at, length in enumerate(lengths):
        torch.testing.assert_close(states[at, :length], library(x[at : at + 1, :length])[0][0])


@pytest.mark.parametrize("form", FORMS)
def test_knowledge_decides_between_equal_lines(form: str) -> None:
    model = small(form=form)
    others = SHORT._replace(background=array("i", [11, 3, 12]))
    assert not torch.allclose(model(collate([SHORT], 24)), model(collate([others], 24)))
    blind = small(form=form, knowledge=False)
    torch.testing.assert_close(blind(collate([SHORT], 24)), blind(collate([others], 24)))


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_eight_samples_are_learned_by_heart(form: str, tmp_path: Path) -> None:
    model = small(form=form)
    plan = TrainConfig(
        epochs=60,
        batch=8,
        learning_rate=1e-2,
        warm_up=0.2,
        weight_decay=0.0,
        clip=5.0,
        patience=60,
        optimiser="adam",
        schedule="inverse-root",
        threads=1,
    )
    train(learner(model), EIGHT, EIGHT, plan, Run(folder=tmp_path, seed=1))
    scored = [scores(model, one, 24) for one in EIGHT]
    assert [of.index(max(of)) for of in scored] == [one.target for one in EIGHT]
    assert (tmp_path / LOG).is_file()


def test_a_row_is_right_when_its_reply_is_the_first_of_the_best() -> None:
    model = small(knowledge=False)
    twins = row([5], [[6], [6]], [], 0)  # equal replies have equal scores
    second = twins._replace(target=1)
    assert hits(model, collate([twins, second, twins], 24)).tolist() == [1.0, 0.0, 1.0]


def test_training_twice_gives_the_same_weights(tmp_path: Path) -> None:
    plan = TrainConfig(epochs=2, batch=4, threads=1)
    states = []
    for name in ("one", "two"):
        model = small(dropout=0.3)
        train(learner(model), EIGHT, EIGHT[:4], plan, Run(folder=tmp_path / name, seed=5))
        states.append(model.state_dict())
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def test_scores_with_dropout_depend_on_the_seed_and_leave_the_model_as_it_was() -> None:
    model = small(dropout=0.3)
    plain = scores(model, LONG, 24)
    assert scores(model, LONG, 24, seed=2) == plain
    noisy = scores(model, LONG, 24, dropout=0.1, seed=1)
    assert noisy == scores(model, LONG, 24, dropout=0.1, seed=1)
    assert noisy != scores(model, LONG, 24, dropout=0.1, seed=2)
    assert noisy != plain
    assert scores(model, LONG, 24) == plain
    assert {module.rate for module in model.modules() if isinstance(module, Dropout)} == {0.3}
    assert all(0 <= score <= 1 for score in plain)


@pytest.mark.parametrize("form", FORMS)
def test_weights_saved_under_the_names_of_old_are_loaded(form: str) -> None:
    model, blank = small(form=form), new_matcher(MatcherSize(**SMALL | {"form": form}), 2).eval()
    before = {now: before for before, now in _NAMES.items()}
    old = {
        ".".join(before.get(part, part) for part in name.split(".")): value
        for name, value in model.state_dict().items()
    }
    assert ("blocks.0.after.1.bias" in old) == (form == "paddle")
    assert "blocks.1.inner.0.weight" in old
    blank.load_state_dict(old)
    torch.testing.assert_close(blank(collate([SHORT, LONG], 24)), model(collate([SHORT, LONG], 24)), rtol=0, atol=0)
