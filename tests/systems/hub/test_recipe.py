from __future__ import annotations

from pathlib import Path

import pytest
import torch

from duologue.cli.main import cli
from duologue.core.errors import UsageError
from duologue.core.plugins import load_task, names
from duologue.run.systems import named_recipes, recipe_of
from duologue.systems.hub.hub import HubSystem
from duologue.systems.hub.recipe import HubRecipe

MODEL = ("model=folder",)


@pytest.mark.parametrize("name", sorted(named_recipes("hub")))
def test_recipes_of_published_systems_are_whole_and_name_no_model(name: str) -> None:
    recipe = recipe_of("hub", Path(name), MODEL)
    assert isinstance(recipe, HubRecipe)
    assert recipe.model == "folder"
    assert recipe.linearization in names("linearizations")
    assert recipe.tuning == "full"
    with pytest.raises(UsageError, match="'model' is missing"):
        recipe_of("hub", Path(name), ())
    text = named_recipes("hub")[name].read_text(encoding="utf-8")
    assert "Published" in text  # what of it is published, and what is ours
    assert f"--recipe {name} " in text


def test_the_published_figures_are_kept() -> None:
    gpt2 = recipe_of("hub", Path("seretod-gpt2"), MODEL)
    assert isinstance(gpt2, HubRecipe)
    assert (gpt2.batch, gpt2.accumulate, gpt2.learning_rate, gpt2.warm_up, gpt2.epochs) == (32, 4, 2e-5, 0.2, 30)
    s2kg = recipe_of("hub", Path("s2kg"), MODEL)
    assert isinstance(s2kg, HubRecipe)
    assert (s2kg.search, s2kg.beam, s2kg.longest) == ("beam", 7, 150)
    spoken = recipe_of("hub", Path("spoken-gpt2"), MODEL)
    assert isinstance(spoken, HubRecipe)
    assert (spoken.temperature, spoken.top_k, spoken.top_p, spoken.longest) == (0.7, 50, 0.6, 40)


def test_a_file_names_no_model_and_an_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('model = "owner/name"\n', encoding="utf-8")
    with pytest.raises(UsageError, match="not taken from a file"):
        recipe_of("hub", file, ())
    with pytest.raises(UsageError, match=r"those of 'hub' are s2kg, seretod-gpt2, spoken-bart, spoken-gpt2"):
        recipe_of("hub", Path("gpt5"), MODEL)
    with pytest.raises(UsageError, match=r"no recipe of that name$"):
        recipe_of("ranker", Path("s2kg"), ())


def test_recipes_that_lie_beside_a_system_have_names_too() -> None:
    assert sorted(named_recipes("postks")) == ["postks-document", "postks-published", "postks-small"]
    assert sorted(named_recipes("lstm")) == ["lstm-published", "lstm-small"]
    assert getattr(recipe_of("lstm", Path("lstm-published"), ("epochs=1",)), "epochs", 0) == 1


def test_a_named_recipe_is_given_on_the_command_line(tmp_path: Path) -> None:
    from click.testing import CliRunner

    words = ["train", "mobilecs/dialogue", "--system", "hub", "--recipe", "s2kg", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(cli, words)
    assert isinstance(done.exception, UsageError)
    assert "'model' is missing" in str(done.exception)


def test_a_gpu_that_is_not_there_is_told_before_a_model_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(UsageError, match="device=cuda: expected a GPU, found none"):
        HubSystem(HubRecipe(model="nowhere", device="cuda")).prepare(load_task("conversation").info, 1, {})
