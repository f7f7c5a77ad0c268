"""Entries that the recipes of trained systems share, under the names that the training loop knows them by.

A recipe inherits those that its system has; `duologue.models.train.TrainConfig.of` takes them from it.
"""

from __future__ import annotations

from math import ceil
from typing import Any, Literal, Self, TypeVar

from duologue.core.bounds import Count, NonNegative, Positive, PositiveFloat, Processes, Threads
from duologue.core.records import Record

Kind = TypeVar("Kind", bound=Record)


class CheckpointedRecipe(Record, frozen=True):
    """Entries of every training: checkpoints and threads."""

    checkpoint_seconds: NonNegative = 20.0
    """Seconds between checkpoints; 0: one after every step."""
    threads: Threads = 1
    """CPU threads in training, of each process; another number changes the last bits of the weights."""


class TrainingRecipe(CheckpointedRecipe, frozen=True):
    """Entries of the training of one network."""

    epochs: Positive = 4
    batch: Positive = 64
    """Samples per step, each with all its candidates where it has some."""
    learning_rate: PositiveFloat = 2e-3
    """At its highest, after the warm-up."""


class ParallelTrainingRecipe(TrainingRecipe, frozen=True):
    """Entries of a long training: early stopping, several devices."""

    patience: Positive = 3
    """Early stopping: evaluations on held-out data without improvement."""
    check_every: Count = 0
    """Steps between evaluations on held-out data; 0: one after each epoch."""
    devices: Processes = 1
    """Data-parallel processes in training, which share the samples of each step."""
    device: Literal["cpu", "cuda"] = "cpu"
    """Device of the training."""


class RecipeEntries(Record, frozen=True):
    """Sizes or options that are entries of a recipe, under the same names."""

    @classmethod
    def of(cls, *recipes: object, **given: Any) -> Self:
        """Return the entries that recipes have, later ones first, and those `given`."""
        return entries_of(cls, *recipes, **given)


def entries_of(kind: type[Kind], *recipes: object, **given: Any) -> Kind:
    """Return a record of the entries that recipes have under the same names, later ones first, and those `given`."""
    names = kind.__struct_fields__
    return kind(**{**{name: getattr(one, name) for one in recipes for name in names if hasattr(one, name)}, **given})


def epochs_for(rows: int, batch: int, epochs: int, least_steps: int) -> int:
    """Return the epochs of a training on so many rows: more than those asked for where they were too few steps.

    >>> epochs_for(40, 16, 6, 300), epochs_for(40_000, 16, 6, 300)
    (100, 6)
    """
    return max(epochs, ceil(least_steps / max(1, ceil(rows / batch))))
