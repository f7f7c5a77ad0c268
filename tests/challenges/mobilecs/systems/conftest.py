from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe
from duologue.challenges.mobilecs.task import DialogueTask

if TYPE_CHECKING:
    from duologue.core.records import Example


@pytest.fixture(scope="session")
def calls(tmp_path_factory: pytest.TempPathFactory) -> list[Example]:
    """Return the turns of generated calls of our own."""
    folder = tmp_path_factory.mktemp("calls")
    recipe = CallCorpusRecipe(n=30, argument_rate=0.4, unlabelled_ratio=0.0)
    task = DialogueTask()
    task.generate(recipe, 3, folder, workers=1, progress=None)
    return list(task.load(folder / "track2" / "train.json"))
