"""Made calls for the tests of annotation: annotated by the simulator, and the same bare."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from duologue.arena.annotation.projects import AnnotationProject, import_dialogues, new_project
from duologue.core.optional_protocols import Annotatable
from duologue.core.plugins import load_task

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.arena.database.database import Database
    from duologue.core.records import Dialogue

TASK = "mobilecs/extraction"
_DROPPED = ("客服意图", "用户意图", "info")


def rows(n: int, seed: int = 3) -> list[dict[str, Any]]:
    """Return made calls in the official form."""
    from duologue.challenges.mobilecs.simulator.call_generator import CallGenerator
    from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe

    generator = CallGenerator(CallCorpusRecipe(argument_rate=0.5), seed)
    return [generator.call("train", number).row for number in range(n)]


def bare_rows(given: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return calls without their annotation."""
    return [
        {
            "id": row["id"],
            "content": [{key: turn[key] for key in turn if key not in _DROPPED} for turn in row["content"]],
        }
        for row in given
    ]


def write(given: Sequence[dict[str, Any]], path: Path) -> Path:
    """Write calls as an official file."""
    path.write_text(json.dumps(given, ensure_ascii=False, indent=2), encoding="utf-8")
    return path


def read(path: Path) -> list[Dialogue]:
    """Return the dialogues of an official file."""
    task = load_task(TASK)
    assert isinstance(task, Annotatable)
    return list(task.read_annotated(path))


def project(database: Database, folder: Path, n: int = 4, **options: Any) -> AnnotationProject:
    """Return a project `calls` with so many bare calls."""
    made = new_project(database, "calls", TASK, **options)
    import_dialogues(database, made, read(write(bare_rows(rows(n)), folder / "bare.json")))
    return made
