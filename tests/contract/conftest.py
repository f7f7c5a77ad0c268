"""Tiny data of every registered task, made by its own simulator."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from duologue.core.optional_protocols import Grounded, Simulated
from duologue.core.plugins import load_task
from duologue.core.recipe import resolve
from duologue.run.predict import in_world
from duologue.testing import load_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from duologue.core.protocols import Task, World
    from duologue.core.records import Example

    Tiny = Callable[[str], "TinyData"]

DIALOGUES_PER_FILE = 6
DATA_FOLDERS = {"mobilecs/extraction": "labelled", "mobilecs/dialogue": "track2"}
"""Folder of a task's data, where a generated corpus serves several tasks."""
GOLDEN = Path(__file__).resolve().parents[1] / "golden"


@dataclass(frozen=True)
class TinyData:
    """A task with a folder of small files that it has made."""

    task: Task
    folder: Path
    examples: list[Example]
    kb: Path | None = None
    """File of the knowledge base that all samples share."""
    worlds: dict[str, World] = field(default_factory=dict)


def _make(task: Task, folder: Path) -> TinyData:
    """Make files with the task's simulator; a task without one has small files of its own in `tests/golden`."""
    if not isinstance(task, Simulated):
        kept = GOLDEN / task.info.name / "contract"
        assert kept.is_dir(), f"{task.info.name} has no simulator; put small files of its own into {kept}"
        kb, worlds = _shared(task, (GOLDEN / task.info.name).glob("tiny-kg.json"))
        examples = in_world(load_all(task, kept), next(iter(worlds.values()), None))
        return TinyData(task, kept, examples, kb, worlds)
    plan = resolve(task.Generation, overrides=[f"n={DIALOGUES_PER_FILE}"])
    paths = task.generate(plan, 1, folder / "made", workers=1, progress=None)
    data = folder / "data"
    data.mkdir()
    for path in paths:
        own = DATA_FOLDERS.get(task.info.name, path.parent.name)
        if path.suffix == ".json" and path.parent.name == own:  # a knowledge base is text
            path.rename(data / path.name)
    kb, worlds = _shared(task, (path for path in paths if path.suffix == ".txt"))
    return TinyData(task, data, load_all(task, data), kb, worlds)


def _shared(task: Task, paths: Iterable[Path]) -> tuple[Path | None, dict[str, World]]:
    """Return the first of the files of knowledge bases, and the base by its name, where all samples share one."""
    kb = next(iter(paths), None) if isinstance(task, Grounded) and not task.info.kb_beside else None
    if kb is None or not isinstance(task, Grounded):
        return None, {}
    world = task.world(kb)
    return kb, {world.name: world}


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """Return the tiny data of a task by its name, made once."""
    made: dict[str, TinyData] = {}

    def tiny(name: str) -> TinyData:
        if name not in made:
            made[name] = _make(load_task(name), tmp_path_factory.mktemp(name.replace("/", "-")))
        return made[name]

    return tiny
