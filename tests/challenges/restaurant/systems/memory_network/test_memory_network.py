from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.restaurant.systems.memory_network.memory_network import (
    MemoryNetworkRanker,
    MemoryNetworkRecipe,
)
from duologue.challenges.restaurant.task import RestaurantTask
from duologue.core.errors import StorageError
from duologue.core.protocols import Run

if TYPE_CHECKING:
    from pathlib import Path


def test_a_network_of_another_size_is_refused(tmp_path: Path) -> None:
    recipe = MemoryNetworkRecipe(dialogues=5, held_out=2, epochs=1, width=8)
    system = MemoryNetworkRanker(recipe)
    examples, held_out = system.make_training_data(RestaurantTask(), 1, None)
    system.fit(examples, held_out, [], Run(folder=tmp_path, seed=1))
    system.save(tmp_path)
    with pytest.raises(StorageError, match="train it again"):
        MemoryNetworkRanker(MemoryNetworkRecipe(width=4)).load(tmp_path)


@pytest.mark.slow
def test_a_small_training_finds_calls_and_fixed_sentences(tmp_path: Path) -> None:
    """By chance one of some fourteen candidates is right."""
    system = MemoryNetworkRanker(MemoryNetworkRecipe(dialogues=300, held_out=40, epochs=3, batch=32))
    examples, held_out = system.make_training_data(RestaurantTask(), 1, None)
    system.fit(examples, held_out, [], Run(folder=tmp_path, seed=1))
    answers = system.answer([one.sample for one in held_out])
    right = [
        (answer.ranking or ("",))[0] == (one.references[0].ranking or ("?",))[0]
        for answer, one in zip(answers, held_out, strict=True)
    ]
    assert sum(right) / len(right) > 0.6
