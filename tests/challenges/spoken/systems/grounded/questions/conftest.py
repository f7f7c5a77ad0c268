from __future__ import annotations

import pytest
from tests.challenges.spoken.worlds import WORLD

from duologue.challenges.spoken.systems.grounded.entity_linker import EntityLinker
from duologue.challenges.spoken.systems.grounded.questions.reader import QuestionReader


@pytest.fixture(scope="session")
def reader() -> QuestionReader:
    """A reader of questions over the small world."""
    return QuestionReader(WORLD, EntityLinker(WORLD.entities))
