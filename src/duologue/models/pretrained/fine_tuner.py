"""Fine-tuning of a pre-trained model by the training loop of all networks: whole, or by low-rank adapters.

The loop is ours and not transformers' Trainer: a stopped training ends in the same bits, its checkpoints are bound to
what they belong to, and several devices, early stopping and metrics work as for every other system.
"""

from __future__ import annotations

import functools
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import peft
import safetensors.torch
from torch import nn

from duologue.core.disk import write_bytes
from duologue.core.errors import UsageError
from duologue.models.pretrained.language_model import LanguageModel, mean_loss
from duologue.models.train import TrainConfig, TrainingTask, train
from duologue.models.weights import first_weights, saving

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from torch import Tensor

    from duologue.core.protocols import Run
    from duologue.models.pretrained.options import LoraOptions

    TokenPair = tuple[list[int], list[int]]
    """Tokens of a source and of its target."""


class TunedModel(nn.Module):
    """A model whose checkpoints hold what is trained of it and nothing else."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        hooked: Any = self  # torch leaves both untyped
        hooked.register_state_dict_post_hook(_keep_trained)
        hooked.register_load_state_dict_post_hook(_need_trained)

    def forward(self, batch: Mapping[str, Tensor]) -> Tensor:
        """Return the mean negative log-likelihood of the tokens to learn."""
        return mean_loss(self.model, batch)


def _trained_names(module: nn.Module) -> set[str]:
    """Return the names of weights that are trained; of weights under several names the first."""
    return {name for name, one in module.named_parameters() if one.requires_grad}


def _keep_trained(module: nn.Module, weights: dict[str, Any], prefix: str, _: Any) -> None:
    kept = _trained_names(module)
    for name in [one for one in weights if one.removeprefix(prefix) not in kept]:
        del weights[name]


def _need_trained(module: nn.Module, problems: Any) -> None:
    """Let weights be missing that are not trained, or that are trained under another name."""
    kept = _trained_names(module)
    problems.missing_keys[:] = [name for name in problems.missing_keys if name in kept]


class Adapter(NamedTuple):
    """Trained adapters, to be used with the model that they were trained for."""

    options: peft.PeftConfig
    weights: Mapping[str, Tensor]

    def save(self, folder: Path) -> None:
        """Write them in the form of peft, without the path of the model that they belong to."""
        with saving(folder) as made:
            self.options.save_pretrained(made)
            data = safetensors.torch.save({name: self.weights[name] for name in sorted(self.weights)})
            write_bytes(made / "adapter_model.safetensors", data)


def fine_tune(
    model: LanguageModel,
    pairs: Sequence[TokenPair],
    held_out: Sequence[TokenPair],
    config: TrainConfig,
    run: Run,
    *,
    learn_source: bool = False,
    lora: LoraOptions | None = None,
) -> Adapter | None:
    """Train a model in place on pairs of source and target; the weights that are best on the held-out pairs stay.

    With `lora` only adapters are trained; they are merged into the model in the end, and returned. `learn_source`: a
    causal model learns to write the source, too. Raises as `train` does.
    """
    inner = model.model.float() if lora is None else _with_adapters(model, lora, run.seed)
    with_tokenizer = LanguageModel(inner, model.tokenizer)
    task = TrainingTask(
        module=(module := TunedModel(inner)),
        collate=functools.partial(with_tokenizer.batch, learn_source=learn_source),
        loss=module,
        hits=None,
        length=_tokens,
        weight=functools.partial(_learned, learn_source=learn_source and not model.seq2seq),
        tokens=_tokens,
    )
    train(task, pairs, held_out, config, run)
    adapter = None
    if lora is not None:
        adapter = _adapter_of(inner)
        inner = inner.merge_and_unload()
    model.model = inner.eval()
    return adapter


def _with_adapters(model: LanguageModel, lora: LoraOptions, seed: int) -> Any:
    """Return the model with untrained adapters, all other weights frozen. Raises `UsageError` for unknown targets."""
    options = peft.LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.lora_dropout,
        target_modules=list(lora.targets) or "all-linear",
        task_type="SEQ_2_SEQ_LM" if model.seq2seq else "CAUSAL_LM",
    )
    with first_weights(seed), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of layers that keep their weights transposed, which it handles itself
        try:
            return peft.get_peft_model(model.model, options)
        except ValueError as error:
            raise UsageError(f"--set targets={list(lora.targets)}: {str(error).splitlines()[0]}") from error


def _adapter_of(model: Any) -> Adapter:
    options = model.active_peft_config
    options.base_model_name_or_path = None
    options.inference_mode = True
    weights = peft.get_peft_model_state_dict(model)
    return Adapter(options, {name: one.detach().cpu().contiguous().clone() for name, one in weights.items()})


def _tokens(pair: TokenPair) -> int:
    return len(pair[0]) + len(pair[1])


def _learned(pair: TokenPair, *, learn_source: bool) -> float:
    """Return how many tokens of a pair are learned, by which its loss counts in the mean of a batch."""
    return float(len(pair[1]) + (len(pair[0]) - 1 if learn_source else 0))
