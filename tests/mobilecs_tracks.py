"""A MobileCS track with its small data and a perfect result file, which tests change and check."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.task import DialogueTask, ExtractionTask

if TYPE_CHECKING:
    from duologue.core.records import Example, Submission

GOLDEN = Path(__file__).parent / "golden" / "mobilecs"


class Track:
    """A task, its examples, and the rows of a perfect result file."""

    def __init__(self, task: DialogueTask | ExtractionTask, data: str, folder: Path) -> None:
        self.task, self._path = task, folder / "result.json"
        self.examples: list[Example] = list(task.load(GOLDEN / data))
        task.write(self.examples, [(one.sample.id, one.references[0]) for one in self.examples], self._path)
        self.rows: list[Any] = json.loads(self._path.read_bytes())

    def read(self, rows: Any) -> Submission:
        """Return rows, or the bytes of a file, as they are read back from the disk."""
        self._path.write_bytes(rows if isinstance(rows, bytes) else json.dumps(rows).encode())
        return self.task.read(self._path)

    def rules(self, rows: Any, variant: str = "strict", *, known: bool = True) -> list[tuple[str, str]]:
        """Return rule and severity of the problems of a result file; `known` is whether the data is given."""
        problems = self.task.check(self.read(rows), self.examples if known else None, variant)
        return [(problem.rule, problem.severity) for problem in problems]


def extraction_track(folder: Path) -> Track:
    """Return track 1."""
    return Track(ExtractionTask(), "extraction/contract/raw.json", folder)


def dialogue_track(folder: Path) -> Track:
    """Return track 2."""
    return Track(DialogueTask(), "dialogue/contract/dialogues.json", folder)


def changed(rows: list[Any], place: str, value: Any = ...) -> list[Any]:
    """Return a copy of the rows with the value at a JSON pointer put, or taken away."""
    rows = copy.deepcopy(rows)
    *path, last = [int(one) if one.isdigit() else one for one in place.split("/")[1:]]
    inner: Any = rows
    for one in path:
        inner = inner[one]
    if value is ...:
        del inner[last]
    elif last == "+":
        inner.append(value)
    else:
        inner[last] = value
    return rows
