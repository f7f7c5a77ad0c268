"""Step by step against the official program: golden/proactive/official/postks, made by it from invented dialogues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from duologue.challenges.proactive.systems.postks.network.batch import PostksRow, collate
from duologue.challenges.proactive.systems.postks.network.model import Postks, PostksSize
from duologue.challenges.proactive.systems.postks.network.search import search
from duologue.models.vocabulary import END, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from torch import Tensor

    from duologue.challenges.proactive.systems.postks.network.batch import PostksBatch
    from duologue.challenges.proactive.systems.postks.network.model import PostksLosses

NAMES = {
    "embedding": "embedding.weight",
    "bridge.": "bridge.",
    "decoder_word_gru.": "decoder.word_gru.",
    "decoder_knowledge_gru.": "decoder.knowledge_gru.",
    "fusion_word.": "decoder.fuse_word.",
    "fusion_knowledge.": "decoder.fuse_knowledge.",
    "fusion_gate.": "decoder.gate.",
    "context_gru.forward.": "context_gru.forward_gru.",
    "context_gru.backward.": "context_gru.backward_gru.",
    "knowledge_gru.forward.": "knowledge_gru.forward_gru.",
    "knowledge_gru.backward.": "knowledge_gru.backward_gru.",
}
"""Beginnings of official names and ours."""


@pytest.fixture(scope="module")
def golden(golden: Path) -> Path:
    return golden / "postks"


def our_name(name: str) -> str:
    start = next((start for start in NAMES if name.startswith(start)), "")
    name = NAMES.get(start, "") + name.removeprefix(start)
    return (
        name.replace(".w", ".weight")
        if name.endswith(".w")
        else name.replace(".b", ".bias")
        if name.endswith(".b")
        else name
    )


def arrays(path: Path) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    with np.load(path) as stored:
        return {name: stored[name] for name in stored.files}


def model_of(path: Path) -> Postks:
    stored = {our_name(name): torch.from_numpy(value) for name, value in arrays(path).items()}
    model = Postks(PostksSize(vocabulary=184, words=12, hidden=16, dropout=0.0))
    model.load_state_dict(stored)
    return model


def batch_of(golden: Path, name: str) -> PostksBatch:
    stored = arrays(golden / "batches.npz")

    def inner(kind: str, *place: int) -> tuple[int, ...]:
        length = int(stored[f"{name}.{kind}.lengths"][place])
        return tuple(int(token) for token in stored[f"{name}.{kind}.ids"][place][1 : max(1, length - 1)])

    rows = []
    for place in range(len(stored[f"{name}.sample_rows"])):
        triples = [inner("triples", place, slot) for slot in range(stored[f"{name}.triples.lengths"].shape[1])]
        rows.append(PostksRow(inner("source", place), inner("reply", place), tuple(one for one in triples if one)))
    return collate(rows)


def steps_of(golden: Path, trace: str, model: Postks) -> Iterator[tuple[int, PostksLosses, dict[str, Tensor], float]]:
    """Yield step, losses, gradients before clipping and their norm, and then do the step."""
    told = arrays(golden / trace)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-4)
    model.train()
    for place, stage in enumerate(told["stage"]):
        batch = batch_of(golden, f"train{told['batch'][place]}")
        optimiser.zero_grad(set_to_none=True)
        losses = model.losses(batch)
        total = losses.total if stage else model.losses(batch, bow_only=True).total
        total.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        gradients = {name: one.grad.clone() for name, one in model.named_parameters() if one.grad is not None}
        norm = float(torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0))
        yield place, losses, gradients, norm
        optimiser.step()


def expect_equal(model: Postks, path: Path) -> None:
    own = model.state_dict()
    for name, value in arrays(path).items():
        assert np.abs(own[our_name(name)].numpy() - value).max() <= 1e-5, name


@pytest.mark.parametrize("trace", ["trace.npz", "trace_clip.npz"])
def test_every_step_of_training_is_that_of_the_official_program(golden: Path, trace: str) -> None:
    told = arrays(golden / trace)
    clipped = "clip" in trace
    model = model_of(golden / ("params_decoding.npz" if clipped else "params_initial.npz"))
    stored = {0: "gradients_clip_step01"} if clipped else {0: "gradients_step01_bow", 10: "gradients_step11_full"}
    for place, losses, gradients, norm in steps_of(golden, trace, model):
        if not clipped and place in {1, 10, 11}:
            expect_equal(model, golden / f"params_after_step{place:02d}.npz")
        for name in ("bow", "nll", "kl"):
            assert getattr(losses, name).item() == pytest.approx(told[name][place], rel=5e-6), (place, name)
        total = losses.total if told["stage"][place] else losses.bow
        assert total.item() == pytest.approx(told["total"][place], rel=5e-6)
        assert losses.right.mean().item() == pytest.approx(told["accuracy"][place], rel=5e-6)
        assert norm == pytest.approx(told["gradient_norm"][place], rel=5e-6)
        if place in stored:
            wanted = {our_name(name): value for name, value in arrays(golden / f"{stored[place]}.npz").items()}
            assert set(wanted) == set(gradients)
            assert len(wanted) == (41 if told["stage"][place] else 13)
            assert all(np.abs(gradients[name].numpy() - value).max() <= 5e-6 for name, value in wanted.items())
    expect_equal(model, golden / ("params_clip_after10.npz" if clipped else "params_after_step30.npz"))


@pytest.mark.parametrize(
    ("name", "weights"), [("before", "initial"), ("after30", "after_step30"), ("decoding", "decoding")]
)
def test_every_value_of_a_forward_pass_is_that_of_the_official_program(golden: Path, name: str, weights: str) -> None:
    told = {key.removeprefix(f"{name}."): value for key, value in arrays(golden / "probe.npz").items() if name in key}
    model = model_of(golden / f"params_{weights}.npz").eval()
    batch = batch_of(golden, "probe")
    with torch.inference_mode():
        source = model.read(batch.source, torch.float32)
        posterior = model.choose(batch, source.query, torch.float32, posterior=True)
        losses = model.losses(batch)
        memory = source.memory.masked_fill(~source.real.unsqueeze(2), 0.0)
    found = {
        "context_memory": memory,
        "context_vector": source.query,
        "prior": posterior.prior,
        "posterior": posterior.weights,
        "knowledge_vector_posterior": posterior.chosen,
        "loss_nll": losses.nll,
        "loss_bow": losses.bow,
        "loss_kl": losses.kl,
        "loss_total": losses.total,
        "accuracy": losses.right.mean(),
        "per_sample_log_probability": -losses.costs,
    }
    for key, value in found.items():
        assert value is not None
        assert np.abs(value.numpy() - told[key]).max() <= 5e-5, key


@pytest.mark.parametrize("weights", ["before", "after30", "decoding", "unknown_raised"])
@pytest.mark.parametrize("knowledge", ["prior", "posterior"])
@pytest.mark.parametrize("width", [1, 4])
def test_every_decoded_token_is_that_of_the_official_program(
    golden: Path, weights: str, knowledge: str, width: int
) -> None:
    told = arrays(golden / "decoded.npz")
    files = {"before": "initial", "after30": "after_step30"}
    model = model_of(golden / f"params_{files.get(weights, 'decoding')}.npz")
    if weights == "unknown_raised":
        with torch.no_grad():
            model.output_second.bias[UNKNOWN] += float(told["unknown_raised.bias_added"])
    found = search(model, batch_of(golden, "probe"), width=width, knowledge=knowledge)  # type: ignore[arg-type]  # parameters are texts
    key = f"{weights}.{knowledge}.beam{width}"
    for place, (tokens, score) in enumerate(found):
        wanted = told[f"{key}.ids"][place][: int(told[f"{key}.lengths"][place])].tolist()
        if UNKNOWN in tokens:  # what follows the unknown word is chance in the official program
            assert score == -np.inf or width > 1
            wanted = wanted[: wanted.index(UNKNOWN) + 1]
        else:
            assert score == pytest.approx(told[f"{key}.scores"][place], abs=1e-5)
        assert list(tokens) == wanted
        assert END not in tokens[:-1]
