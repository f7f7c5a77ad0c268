from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.challenges.conversation.systems.lstm import lstm
from duologue.challenges.conversation.systems.lstm.lstm import LstmBaseline, LstmRecipe
from duologue.core.protocols import Run
from duologue.core.recipe import resolve

if TYPE_CHECKING:
    from tests.challenges.conversation.systems.conftest import Talks

RECIPES = Path(lstm.__file__).parent / "recipes"


def test_the_small_recipe_is_the_default_and_the_published_one_has_the_published_figures() -> None:
    small, published = (resolve(LstmRecipe, file=RECIPES / f"lstm-{name}.toml") for name in ("small", "published"))
    assert small == LstmRecipe()
    assert (published.embedding, published.hidden, published.layers, published.dropout) == (100, 512, 2, 0.5)
    assert (published.carry_training, published.carry_answering) == ("encoder", "decoder")
    assert (published.beams, published.longest_reply, published.bonus) == (5, 30, 1.0)


@pytest.mark.slow
def test_the_published_size_makes_a_step_of_training(talks: Talks, tmp_path: Path) -> None:
    published = resolve(LstmRecipe, file=RECIPES / "lstm-published.toml", overrides=["epochs=1"])
    system = LstmBaseline(published)
    system.fit(talks(100), [], [], Run(folder=tmp_path, seed=1))
    assert (tmp_path / "training.jsonl").read_text().count("\n") == 1


@pytest.mark.slow
def test_replies_are_learned_by_heart(talks: Talks, tmp_path: Path) -> None:
    recipe = msgspec.structs.replace(LstmRecipe.tiny(), embedding=16, hidden=32, epochs=40, learning_rate=0.02)
    system = LstmBaseline(msgspec.structs.replace(recipe, dropout=0.0, longest_reply=12, patience=40, batch=2))
    many = talks(8)
    system.fit(many, many, [], Run(folder=tmp_path, seed=1))
    second = [one.sample for one in many]
    first = [msgspec.structs.replace(one, history=one.history[:1]) for one in second]
    assert {answer.text for answer in system.answer(first)} == {"oh no , which number does it have ?"}
    assert all(str(answer.text).startswith("thanks , we look for") for answer in system.answer(second))


def test_one_seed_gives_the_same_weights_with_bfloat16(talks: Talks, tmp_path: Path) -> None:
    recipe = msgspec.structs.replace(LstmRecipe.tiny(), precision="bfloat16", hidden=24)
    told = []
    for name in ("first", "second"):
        system = LstmBaseline(recipe)
        system.fit(talks(8), [], [], Run(folder=tmp_path / name, seed=1))
        system.save(tmp_path / name / "model")
        told.append(next((tmp_path / name / "model").glob("*.safetensors")).read_bytes())
    assert told[0] == told[1]
    plain = LstmBaseline(msgspec.structs.replace(recipe, precision="float32"))
    plain.fit(talks(8), [], [], Run(folder=tmp_path / "plain", seed=1))
    logs = [
        json.loads((tmp_path / name / "training.jsonl").read_text().splitlines()[-1]) for name in ("first", "plain")
    ]
    assert logs[0]["held_out_loss"] == pytest.approx(logs[1]["held_out_loss"], rel=0.02)
    assert logs[0]["held_out_loss"] != logs[1]["held_out_loss"]


def test_long_talks_are_learned_in_parts_and_of_open_ones_the_end_is_read(talks: Talks, tmp_path: Path) -> None:
    recipe = msgspec.structs.replace(LstmRecipe.tiny(), longest_talk=1)
    system = LstmBaseline(recipe)
    many = talks(6)
    system.fit(many, [], [], Run(folder=tmp_path, seed=1))
    whole = [one.sample for one in many]
    last = [msgspec.structs.replace(one, history=one.history[-1:]) for one in whole]
    assert system.answer(whole) == system.answer(last)
    assert system.seen == "12 replies of 6 training dialogues"
