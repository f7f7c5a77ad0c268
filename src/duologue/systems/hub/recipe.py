"""Recipe of the system `hub`."""

from __future__ import annotations

from typing import Literal

from duologue.core.bounds import Count, Dropout, NonNegative, Positive, PositiveFloat, Probability, ProperFraction
from duologue.models.training_recipe import ParallelTrainingRecipe

SEEN = "not declared: a model trained elsewhere (--set seen=... says what it learned from)"


class HubRecipe(ParallelTrainingRecipe, frozen=True, kw_only=True):
    """Which model, how a sample is written for it, what is trained of it, and how it answers."""

    model: str
    """Folder of a model in Hugging Face's form, or a name of the hub, which is fetched. From `--set` alone, as are
    `revision` and `facts_from`."""
    revision: str = ""
    """Revision of a model of the hub: a branch, tag or commit; empty: the newest."""
    linearization: str = "plain"
    """How a sample becomes one text: `plain` lines, the `prompt` for chat models, or the form of a published system."""
    facts_from: str = ""
    """Folder of a trained system of the task whose facts are taken, for forms in which the model writes only the text;
    it is copied into the folder of the model."""
    turns: Count = 0
    """Last turns of the history that are told; 0: all."""
    facts: Positive = 60
    """Facts that are told at most."""
    source_tokens: Positive = 512
    """Tokens of the text before the answer, the last ones; never more than the model has places for."""
    target_tokens: Positive = 256
    """Tokens of an answer to learn, and of a candidate, the first ones."""
    tuning: Literal["none", "lora", "full"] = "none"
    """What `train` trains: low-rank adapters, which are merged in the end, or all weights."""
    learn_source: bool = False
    """Whether a causal model learns to write the text before the answer, too."""
    rank: Positive = 16
    """Of the adapters (lora)."""
    alpha: PositiveFloat = 32.0
    """Scale of the adapters (lora), divided by `rank`."""
    lora_dropout: Dropout = 0.05
    """Dropout before the adapters."""
    targets: tuple[str, ...] = ()
    """Names of the layers that get adapters; empty: all linear ones but the last."""
    dtype: Literal["float32", "bfloat16"] = "float32"
    """Of the weights as they are loaded; what is trained is always float32."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """Of matrix products in training."""
    epochs: Positive = 3
    batch: Positive = 16
    """Samples per step."""
    accumulate: Positive = 1
    """Parts into which the samples of a step are split, one after the other, where memory is short."""
    learning_rate: PositiveFloat = 5e-5
    warm_up: Probability = 0.1
    """Share of all steps in which the learning rate rises."""
    schedule: Literal["linear", "cosine", "constant", "inverse-root"] = "linear"
    """What the learning rate does after the warm-up."""
    optimiser: Literal["adamw", "adam"] = "adamw"
    weight_decay: NonNegative = 0.01
    clip: PositiveFloat = 1.0
    """Largest norm of the gradient."""
    patience: Positive = 3
    checkpoint_seconds: NonNegative = 300.0
    """Seconds between checkpoints; those of a fine-tuned model take three times its size."""
    held_out: ProperFraction = 0.1
    """Share of the training dialogues that decides which weights are best, where no others are given."""
    search: Literal["greedy", "beam", "sample"] = "greedy"
    beam: Positive = 4
    """Hypotheses of beam search."""
    length_penalty: float = 1.0
    """Exponent of the length by which beam search divides; above 1 longer texts win."""
    top_k: Count = 0
    """Of sampling: the most probable tokens to draw from; 0: all."""
    top_p: Probability = 1.0
    """Of sampling: tokens are drawn from the most probable ones whose probabilities sum to this."""
    temperature: PositiveFloat = 1.0
    """Of sampling."""
    device: Literal["cpu", "cuda"] = "cpu"
    """Of the training and of the answers; a trained model answers on the CPU where there is no GPU."""
    longest: Positive = 128
    """Tokens of an answer at most."""
    ranking: Literal["mean", "sum"] = "mean"
    """How candidates are ranked: by the mean log-likelihood of their tokens, or by its sum."""
    answer_batch: Positive = 1
    """Samples answered at once; more are faster on a GPU, and may change the last bits of a probability."""
    seen: str = SEEN
    """What data the model learned from before, as you declare it; said beside every score."""

    @classmethod
    def tiny(cls) -> HubRecipe:
        """Return a recipe for tests of what no model is needed for."""
        return cls(model="tiny")


PATIENCE = ("checkpoint_seconds",)
"""Entries that no answer depends on."""
