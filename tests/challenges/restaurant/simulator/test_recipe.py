from __future__ import annotations

from pathlib import Path

import pytest

import duologue.challenges.restaurant.simulator.recipe as recipe_module
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.core.errors import UsageError
from duologue.core.recipe import dump, resolve

RECIPES = Path(recipe_module.__file__).parent / "recipes"


def test_the_default_recipe_file_says_the_defaults() -> None:
    assert resolve(Generation, file=RECIPES / "default.toml") == Generation()


def test_every_recipe_file_can_be_used() -> None:
    files = sorted(RECIPES.glob("*.toml"))
    assert [file.name for file in files] == ["default.toml", "release-b.toml", "small.toml"]
    assert resolve(Generation, file=RECIPES / "release-b.toml").release == "b"
    assert resolve(Generation, file=RECIPES / "small.toml").train_dialogs == 500


def test_a_recipe_survives_being_saved(tmp_path: Path) -> None:
    recipe = Generation(part="tst3", hedge_info=0.25, info_weights=(1, 0, 2, 0), cut_weights={"3/look": 0.5})
    (tmp_path / "r.toml").write_text(dump(recipe))
    # a table is merged key by key, so the weights of the defaults stand beside the one that was set
    again = resolve(Generation, file=tmp_path / "r.toml")
    assert (again.part, again.hedge_info, again.info_weights) == ("tst3", 0.25, (1, 0, 2, 0))
    assert again.cut_weights == Generation().cut_weights | {"3/look": 0.5}


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("part=tst5", "'tst4'"),
        ("hedge_answer=1.5", "hedge_answer"),
        ("subtask=6", "subtask"),
        ("hedge_anser=0.1", "did you mean 'hedge_answer'"),
        ("cut_weights.loook=1", "did you mean 'look'"),
        ('cut_weights={"7/look"=1}', "names no subtask"),
        ("info_weights=[0,0,0,0]", "must not all be 0"),
        ("info_weights=[1e308,1e308,0,0]", "info_weights[0]: Expected float <= 1000000000.0"),
        ("cut_weights.look=1e308", "cut_weights.look"),
        ("n=1000000000000000000", "n: expected int <= 1000000000000"),
    ],
)
def test_what_no_recipe_can_mean_is_said(override: str, said: str) -> None:
    with pytest.raises(UsageError, match=said.replace("[", r"\[")):
        resolve(Generation, overrides=[override])


def test_all_that_cannot_be_meant_is_said_at_once() -> None:
    with pytest.raises(ValueError, match=r"'x' is no kind.*take_repeated.*info_weights"):
        Generation(cut_weights={"x": 1}, take_repeated=0, take_newest=0, reject_again=0, info_weights=(0, 0, 0, 0))
