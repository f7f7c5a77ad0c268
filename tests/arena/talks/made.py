"""People, talks and systems that the tests of talks share."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from duologue.arena.people.people import add_person
from duologue.core.records import Answer, Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from duologue.arena.database.database import Database
    from duologue.core.protocols import TaskInfo, World
    from duologue.core.records import Sample


def people(database: Database, *names: str) -> list[str]:
    """Add volunteers and return their ids."""

    def action(connection: Connection) -> list[str]:
        return [add_person(connection, name, ["volunteer"], now=1, by=None) for name in names]

    return database.write(action)


class Counting:
    """Says how much it has heard; counts how often it is asked; waits and fails as it is told."""

    Recipe: type[Record] = Record
    seen = "nothing"

    def __init__(self, recipe: Record | None = None) -> None:
        """Be patient and whole."""
        self.prepared = self.asked = 0
        self.failing = False
        self.go = threading.Event()
        self.go.set()

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Count."""
        self.prepared += 1

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Answer with the number of turns heard, and of times asked."""
        self.go.wait(20)
        if self.failing:
            raise ValueError("boom")
        found = []
        for sample in samples:
            self.asked += 1
            found.append(Answer(text=f"<b>{len(sample.history)}</b> heard, asked {self.asked} times"))
        return found
