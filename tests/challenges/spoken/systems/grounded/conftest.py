from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.spoken.systems.grounded.dialogue_state import tracker_of
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.records import Turn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.challenges.spoken.systems.grounded.dialogue_state import DialogueState, StateTracker


@pytest.fixture
def tracker(golden: Path) -> StateTracker:
    """A tracker over the small graph of the tests."""
    return tracker_of(SpokenTask().world(golden / "tiny-kg.json"), fuzzy=True)


@pytest.fixture
def phonetic(tracker: StateTracker) -> Callable[..., DialogueState]:
    """Return the situation after some utterances, the user's first."""

    def phonetic(*texts: str) -> DialogueState:
        speakers = ("user", "system")
        return tracker.track([Turn(speaker=speakers[at % 2], text=text) for at, text in enumerate(texts)])

    return phonetic
