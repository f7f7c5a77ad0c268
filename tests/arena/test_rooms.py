"""Every room around people says its tables."""

from __future__ import annotations

from pathlib import Path

from duologue.arena import rooms


def test_every_module_of_tables_is_listed() -> None:
    folder = Path(rooms.__file__).parent
    found = {f"duologue.arena.{path.parent.name}.tables" for path in folder.glob("*/tables.py")}
    assert {module.__name__ for module in rooms.ROOMS} == found
