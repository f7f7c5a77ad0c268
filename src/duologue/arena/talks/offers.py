"""Systems that a room can be opened with on a page: those that tasks name as their own, and models of a workspace.

A command opens rooms with any other: registered ones by name, models wherever they lie, chat endpoints by address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.core.errors import DuologueError
from duologue.core.optional_protocols import Conversable
from duologue.core.plugins import CARD, load_task, names, read_card

if TYPE_CHECKING:
    from pathlib import Path


class TalkOffer(NamedTuple):
    """A system of a task."""

    task: str
    system: str
    """Its name, or the folder of a model."""

    @property
    def word(self) -> str:
        """What it is called where one is chosen."""
        return f"{self.task}: {self.system}"


def talk_offers(workspace: Path) -> list[TalkOffer]:
    """Return what a room can be opened with, by task; models lie at most two folders below the workspace."""
    known = {name: task for name in names("tasks") if isinstance(task := load_task(name), Conversable)}
    found = [TalkOffer(name, task.default_system) for name, task in known.items() if task.default_system]
    for place in sorted({*workspace.glob(f"*/{CARD}"), *workspace.glob(f"*/*/{CARD}")}):
        try:
            card = read_card(place.parent)
        except DuologueError:  # half a model, or another version's
            continue
        if card.task in known:
            found.append(TalkOffer(card.task, str(place.parent)))
    return sorted(found)
