from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.restaurant.systems.hybrid_code.hybrid_code import HybridCodeRanker, HybridCodeRecipe
from duologue.challenges.restaurant.task import RestaurantTask
from duologue.core.errors import StorageError
from duologue.core.protocols import Run

if TYPE_CHECKING:
    from pathlib import Path


def test_a_saved_network_keeps_its_action_templates_and_a_damaged_card_is_refused(tmp_path: Path) -> None:
    system = HybridCodeRanker(HybridCodeRecipe(dialogues=5, held_out=2, epochs=1, width=8, hidden=8))
    examples, held_out = system.make_training_data(RestaurantTask(), 1, None)
    system.fit(examples, held_out, [], Run(folder=tmp_path, seed=1))
    system.save(tmp_path)
    again = HybridCodeRanker(system.recipe)
    again.load(tmp_path)
    assert again._trained().actions == system._trained().actions
    assert {"api_call <value>", "what do you think of this option : <name>"} <= set(again._trained().actions)
    (tmp_path / HybridCodeRanker.card_file).write_text('{"words": []}', encoding="utf-8")
    with pytest.raises(StorageError, match=r"hybrid_code\.json is no part of a saved model"):
        again.load(tmp_path)


@pytest.mark.slow
def test_a_small_training_finds_calls_and_options(tmp_path: Path) -> None:
    """By chance one of some fourteen candidates is right."""
    system = HybridCodeRanker(HybridCodeRecipe(dialogues=300, held_out=40, epochs=4, batch=16))
    examples, held_out = system.make_training_data(RestaurantTask(), 1, None)
    system.fit(examples, held_out, [], Run(folder=tmp_path, seed=1))
    answers = system.answer([one.sample for one in held_out])
    right = [
        (answer.ranking or ("",))[0] == (one.references[0].ranking or ("?",))[0]
        for answer, one in zip(answers, held_out, strict=True)
    ]
    assert sum(right) / len(right) > 0.6
