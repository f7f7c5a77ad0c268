"""Options of decoding and of adapters, as recipes of pre-trained models have them; nothing here imports torch."""

from __future__ import annotations

from typing import Literal

from duologue.core.bounds import Count, Dropout, Positive, PositiveFloat, Probability
from duologue.models.training_recipe import RecipeEntries


class TextDecoding(RecipeEntries, frozen=True, kw_only=True):
    """How a pre-trained model writes a text."""

    search: Literal["greedy", "beam", "sample"] = "greedy"
    beam: Positive = 4
    length_penalty: float = 1.0
    top_k: Count = 0
    top_p: Probability = 1.0
    temperature: PositiveFloat = 1.0
    longest: Positive = 128


class LoraOptions(RecipeEntries, frozen=True, kw_only=True):
    """Size of low-rank adapters (Hu et al. 2022, LoRA)."""

    rank: Positive = 16
    alpha: PositiveFloat = 32.0
    lora_dropout: Dropout = 0.05
    targets: tuple[str, ...] = ()
