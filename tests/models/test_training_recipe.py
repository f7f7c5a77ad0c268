from __future__ import annotations

import pytest

from duologue.core.errors import UsageError
from duologue.core.recipe import resolve
from duologue.models.train import TrainConfig
from duologue.models.training_recipe import CheckpointedRecipe, ParallelTrainingRecipe, TrainingRecipe


class Own(TrainingRecipe, frozen=True):
    """A recipe with an entry of the training loop, another default and an entry of its own."""

    batch: int = 5
    clip: float = 2.0
    heads: int = 3


def test_the_training_loop_takes_the_entries_that_it_knows() -> None:
    config = TrainConfig.of(resolve(Own, overrides=["epochs=9", "threads=3"]), choose="loss")
    assert config == TrainConfig(epochs=9, threads=3, batch=5, clip=2.0, choose="loss")


def test_what_is_given_comes_before_recipes_and_a_later_recipe_before_an_earlier_one() -> None:
    config = TrainConfig.of(CheckpointedRecipe(checkpoint_seconds=7), Own(epochs=2), Own(epochs=3), batch=1)
    assert (config.checkpoint_seconds, config.epochs, config.batch) == (20.0, 3, 1)


@pytest.mark.parametrize("entry", ["threads=0", "checkpoint_seconds=-1", "epochs=0", "devices=0", "device=tpu"])
def test_entries_out_of_their_bounds_are_refused(entry: str) -> None:
    with pytest.raises(UsageError, match=entry.partition("=")[0]):
        resolve(ParallelTrainingRecipe, overrides=[entry])
