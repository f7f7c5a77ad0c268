from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.challenges.conversation.schema import INFO
from duologue.challenges.conversation.systems.copier.copier import Copier, CopyRecipe
from duologue.core.protocols import Run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.challenges.conversation.systems.conftest import Talks


@pytest.mark.slow
def test_numbers_that_no_training_talk_had_are_copied(talks: Talks, tmp_path: Path) -> None:
    many = talks(72)
    recipe = msgspec.structs.replace(CopyRecipe.tiny(), rare=3, width=32, inner=64, layers=2, epochs=14, patience=14)
    system = Copier(msgspec.structs.replace(recipe, learning_rate=0.006, batch=8, search="beam"))
    system.fit(many[:64], many[:8], [], Run(folder=tmp_path, seed=1))
    found = system.answer([one.sample for one in many[64:]])
    wanted = [str(one.references[0].text).split()[6] for one in many[64:]]
    assert wanted[0] == "#1064"
    assert sum(code in str(answer.text) for code, answer in zip(wanted, found, strict=True)) >= 6


@pytest.mark.slow
def test_a_nucleus_draws_by_seed_and_sample(talks: Talks, tmp_path: Path) -> None:
    system = Copier(msgspec.structs.replace(CopyRecipe.tiny(), search="nucleus", temperature=3.0, top_p=1.0))
    system.fit(talks(8), [], [], Run(folder=tmp_path, seed=1))
    asked = [one.sample for one in talks(4)]
    said = []
    for seed in (1, 1, 2):
        system.prepare(INFO, seed, {})
        said.append(system.answer(asked))
    assert said[0] == said[1] != said[2]


def test_of_several_drawn_replies_one_is_said_whatever_else_is_in_the_batch(talks: Talks, tmp_path: Path) -> None:
    recipe = msgspec.structs.replace(CopyRecipe.tiny(), search="nucleus", temperature=2.0, draws=5)
    system = Copier(recipe)
    system.fit(talks(8), [], [], Run(folder=tmp_path, seed=1))
    system.save(tmp_path)
    asked = [one.sample for one in talks(6)]
    said = system.answer(asked)
    assert said == [system.answer([one])[0] for one in asked]
    alone = Copier(msgspec.structs.replace(recipe, draws=1))
    alone.load(tmp_path)
    assert alone.answer(asked) != said
