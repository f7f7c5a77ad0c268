from __future__ import annotations

import msgspec

from duologue.models.pretrained.options import LoraOptions, TextDecoding
from duologue.models.train import TrainConfig
from duologue.systems.hub.recipe import HubRecipe


def test_a_recipe_has_every_option_under_its_name() -> None:
    names = set(HubRecipe.__struct_fields__)
    for options in (TextDecoding, LoraOptions):
        assert {one.name for one in msgspec.structs.fields(options)} <= names
    recipe = HubRecipe(
        model="m", beam=7, longest=9, rank=3, targets=("q",), schedule="linear", warm_up=0.2, accumulate=4
    )
    assert TextDecoding.of(recipe, longest=2) == TextDecoding(beam=7, longest=2)
    assert LoraOptions.of(recipe) == LoraOptions(rank=3, targets=("q",))
    plan = TrainConfig.of(recipe, choose="loss")
    assert (plan.schedule, plan.warm_up, plan.accumulate, plan.learning_rate) == ("linear", 0.2, 4, 5e-5)
