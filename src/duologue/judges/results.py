"""Files that are judged: official result files, or files of whole dialogues, with the names of their systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.core.disk import Source
from duologue.core.errors import FormatError, UsageError
from duologue.core.lines import sha256
from duologue.judges.items import FoundItems, items_of, whole_dialogues
from duologue.run.evaluate import Truth
from duologue.run.notes import note_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.protocols import Task
    from duologue.core.records import Example

_TIE = "tie"
"""What a file of pairwise judgements calls a tie; no system may be called so."""


class JudgedFiles(NamedTuple):
    """Where what is judged comes from."""

    results: tuple[Path, ...]
    names: tuple[str, ...] = ()
    """Names of their systems; empty: as the notes beside them say, else as the files are called."""
    golds: tuple[Path, ...] = ()
    data: Path | None = None
    """The data file that was answered, where it is no truth file."""
    whole: bool = False
    """Whether the files hold whole dialogues, as `simulate --out` writes them."""

    def systems(self) -> tuple[str, ...]:
        """Return the names of the systems. Raises `UsageError` where two have one name."""
        if self.names and len(self.names) != len(self.results):
            raise UsageError(f"{len(self.names)} names for {len(self.results)} result files; give each its --name")
        found = self.names or tuple(map(_system_of, self.results))
        twice = sorted({name for name in found if found.count(name) > 1 or name == _TIE or not name.strip()})
        if twice:
            raise UsageError(f"'{twice[0]}' cannot be the name of a system here; give each result its own --name")
        return found


def read_systems(task: Task, files: JudgedFiles, unit: str) -> dict[str, FoundItems]:
    """Return what is judged by system.

    Raises `UsageError` where data are needed and not given, or nothing is there to be judged; `FormatError` for a file
    that the task's check refuses.
    """
    names = files.systems()
    if files.whole:
        found = {
            name: whole_dialogues(task, list(task.load(path))) for name, path in zip(names, files.results, strict=True)
        }
    else:
        examples = _examples(task, files)
        found = {}
        for name, path in zip(names, files.results, strict=True):
            submission = task.read(path)
            problems = [
                one for one in task.check(submission, examples, task.info.variants[0]) if one.severity == "error"
            ]
            if problems:
                raise FormatError(path, problems)
            found[name] = items_of(task, examples, task.answers(submission, examples), unit)
    empty = [name for name, one in found.items() if not one.items]
    if empty:
        raise UsageError(f"the file of '{empty[0]}' holds nothing that can be judged")
    return found


def _examples(task: Task, files: JudgedFiles) -> Sequence[Example]:
    """Return what was answered, from the data file and the truth."""
    if files.golds:
        return Truth.of(task, files.golds, files.data).examples
    if files.data is None:
        raise UsageError("replies are rated in their contexts; give what was answered (--input) or the truth (--gold)")
    return list(task.load(files.data))


def _system_of(path: Path) -> str:
    note = note_of(path, sha256(Source(path))).note
    return str(note["system"]) if note and note.get("system") else path.name.partition(".")[0]
