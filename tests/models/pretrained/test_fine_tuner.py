from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING

import pytest
import torch
from tests.tiny_models import save_tiny

from duologue.core.errors import UsageError
from duologue.core.identity import CHECKPOINT, LOG
from duologue.core.protocols import Run
from duologue.models.checkpoint import load_checkpoint
from duologue.models.pretrained.fine_tuner import fine_tune
from duologue.models.pretrained.language_model import LanguageModel
from duologue.models.pretrained.options import LoraOptions, TextDecoding
from duologue.models.train import TrainConfig

if TYPE_CHECKING:
    from pathlib import Path

    from tests.tiny_models import Architecture

    from duologue.models.pretrained.fine_tuner import Adapter

TOY = {"sky ?": "blue .", "grass ?": "green .", "snow ?": "white .", "coal ?": "black .", "blood ?": "red ."}
LORA = LoraOptions(rank=8, alpha=32.0, lora_dropout=0.0)
QUICK = TrainConfig(epochs=2, batch=2, learning_rate=3e-3, choose="loss", checkpoint_seconds=0.0)


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Untrained models by architecture."""
    folder = tmp_path_factory.mktemp("bases")
    architectures: tuple[Architecture, ...] = ("gpt2", "t5", "bart")
    for one in architectures:
        save_tiny(folder / one, one, [*TOY, *TOY.values()])
    return folder


def tokens(model: LanguageModel) -> list[tuple[list[int], list[int]]]:
    return [(model.source_tokens(one, 32, room=8), model.target_tokens(other, 8)) for one, other in TOY.items()]


def tuned(
    folder: Path, run: Run, config: TrainConfig, lora: LoraOptions | None = None, *, learn_source: bool = False
) -> tuple[LanguageModel, Adapter | None]:
    model = LanguageModel.load(folder)
    run.folder.mkdir(exist_ok=True)
    rows = tokens(model)
    return model, fine_tune(model, rows, rows, config, run, lora=lora, learn_source=learn_source)


def answers(model: LanguageModel) -> list[str]:
    return model.write([source for source, _ in tokens(model)], TextDecoding(longest=8))


def weights(model: LanguageModel) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in model.model.state_dict().items()}


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("architecture", ["gpt2", "t5", "bart"])
def test_it_learns_the_answers_of_a_toy_task(bases: Path, tmp_path: Path, architecture: str) -> None:
    config = TrainConfig(epochs=40, batch=5, learning_rate=5e-3, choose="loss", patience=40, schedule="linear")
    model, _ = tuned(bases / architecture, Run(folder=tmp_path / "whole", seed=1), config)
    losses = [json.loads(line)["loss"] for line in (tmp_path / "whole" / LOG).read_text().splitlines()]
    assert losses[-1] < losses[0] / 5
    assert answers(model) == list(TOY.values())
    if architecture == "gpt2":  # adapters then teach a model that knows the answers to give others
        model.save(tmp_path / "base")
        others = [*list(TOY.values())[1:], "blue ."]
        rows = [
            (source, model.target_tokens(other, 8)) for (source, _), other in zip(tokens(model), others, strict=True)
        ]
        again = LanguageModel.load(tmp_path / "base")
        (tmp_path / "adapters").mkdir()
        fine_tune(again, rows, rows, config, Run(folder=tmp_path / "adapters", seed=1), lora=LORA)
        assert answers(again) == others


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("lora", [None, LORA])
def test_a_stopped_training_ends_in_the_same_bits(bases: Path, tmp_path: Path, lora: LoraOptions | None) -> None:
    whole, _ = tuned(bases / "gpt2", Run(folder=tmp_path / "whole", seed=3), QUICK, lora)
    seen = []

    def stop(folder: Path, step: int, metrics: object) -> None:
        seen.append(step)
        if len(seen) == 1:
            raise StoppedError

    config = QUICK
    run = Run(folder=tmp_path / "stopped", seed=3, on_metrics=stop)
    with pytest.raises(StoppedError):
        tuned(bases / "gpt2", run, config, lora)
    again, _ = tuned(bases / "gpt2", run, config, lora)
    assert seen[:2] == [
        3,
        3,
    ]  # the look at the end of the first epoch was made once more, from the checkpoint before it
    assert same(weights(again), weights(whole))


def test_adapters_alone_are_in_a_checkpoint_and_the_merged_model_is_base_and_adapter(
    bases: Path, tmp_path: Path
) -> None:
    import peft

    model, adapter = tuned(bases / "gpt2", Run(folder=tmp_path, seed=1), QUICK, LORA)
    saved = load_checkpoint(tmp_path / CHECKPOINT)["module"]
    assert saved
    assert all("lora_" in name for name in saved)
    assert adapter is not None
    adapter.save(tmp_path / "adapter")
    assert str(bases) not in (tmp_path / "adapter" / "adapter_config.json").read_text()
    base = LanguageModel.load(bases / "gpt2")
    untouched = weights(base)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of peft about transformers
        adapted = peft.PeftModel.from_pretrained(base.model, tmp_path / "adapter").eval()
    both = LanguageModel(adapted, base.tokenizer)
    given, target = tokens(model)[0]
    merged = model.log_likelihoods(given, [target])
    assert both.log_likelihoods(given, [target]) == pytest.approx(merged, rel=1e-4)
    assert LanguageModel.load(bases / "gpt2").log_likelihoods(given, [target]) != pytest.approx(merged, rel=1e-4)
    assert same(untouched, weights(LanguageModel.load(bases / "gpt2")))


def test_only_the_named_layers_get_adapters_and_unknown_ones_are_told(bases: Path, tmp_path: Path) -> None:
    _, adapter = tuned(bases / "t5", Run(folder=tmp_path, seed=1), QUICK, LoraOptions(rank=2, targets=("q", "v")))
    assert adapter is not None
    assert {name.split(".lora_")[0].rpartition(".")[2] for name in adapter.weights} == {"q", "v"}
    with pytest.raises(UsageError, match="--set targets"):
        tuned(bases / "t5", Run(folder=tmp_path / "b", seed=1), QUICK, LoraOptions(targets=("no_such_layer",)))


def test_a_step_in_parts_is_the_same_step(bases: Path, tmp_path: Path) -> None:
    at_once, _ = tuned(bases / "gpt2", Run(folder=tmp_path / "a", seed=1), QUICK)
    in_parts, _ = tuned(
        bases / "gpt2", Run(folder=tmp_path / "b", seed=1), TrainConfig.of(QUICK, accumulate=2, choose="loss")
    )
    one, other = weights(at_once), weights(in_parts)
    assert all(torch.allclose(one[name], other[name], atol=1e-5) for name in one)


def test_the_source_is_learned_where_that_is_asked(bases: Path, tmp_path: Path) -> None:
    model = LanguageModel.load(bases / "gpt2")
    given, target = tokens(model)[0]
    labels = model.batch([(given, target)], learn_source=True)["labels"][0].tolist()
    assert labels == [*given, *target]
    assert model.batch([(given, target)], learn_source=False)["labels"][0].tolist()[: len(given)] == [-100] * len(given)
    alone, _ = tuned(bases / "gpt2", Run(folder=tmp_path / "a", seed=1), QUICK)
    both, _ = tuned(bases / "gpt2", Run(folder=tmp_path / "b", seed=1), QUICK, learn_source=True)
    assert not same(weights(alone), weights(both))


@pytest.mark.slow
def test_two_devices_learn_what_one_learns(bases: Path, tmp_path: Path) -> None:
    one, _ = tuned(bases / "gpt2", Run(folder=tmp_path / "one", seed=1), QUICK)
    two, _ = tuned(bases / "gpt2", Run(folder=tmp_path / "two", seed=1), TrainConfig.of(QUICK, devices=2))
    first, second = weights(one), weights(two)
    assert all(torch.allclose(first[name], second[name], atol=1e-4) for name in first)
