"""Official file names: subtask, knowledge base, slots, split and size (specification, section 2.1)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.challenges.restaurant.schema.ontology import schema_name
from duologue.challenges.restaurant.schema.templates import SLOTS, SLOTS_EXTRA
from duologue.core.records import Record

if TYPE_CHECKING:
    from pathlib import Path

SUBTASKS = {1: "API", 2: "REFINE", 3: "OPTIONS", 4: "INFOS", 5: "FULL"}
"""Number to short name of the five subtasks, as in file names."""

_OFFICIAL = re.compile(
    r"dialog-task(?P<subtask>[1-5])(?P<short>[A-Z]+)"
    r"-kb(?P<kb>[12])_atmosphere(?P<restrictions>_restrictions)?"
    r"-distr0\.5-(?P<split>trn|tst)(?P<n>[1-9][0-9]{0,8})"
    r"(?P<tail>(\.[^./]+)*)"
)


class FileName(Record, frozen=True):
    """The parts of an official file name."""

    subtask: int
    """1 API calls, 2 updates, 3 options, 4 extra information, 5 full dialogues."""
    kb: int
    """1 (that of training) or 2 (other names, cuisines and locations)."""
    restrictions: bool
    """Whether the dietary restriction is a required slot, the sixth."""
    split: str
    """`"trn"` or `"tst"`."""
    n: int
    """Number of dialogues that the name promises; a part of a file may hold fewer."""
    answers: bool = False
    """Whether it names a truth or result file (`.answers.json`)."""

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the required slots, in the order of the api_call."""
        return tuple(slot.name for slot in (SLOTS_EXTRA if self.restrictions else SLOTS))

    @property
    def part(self) -> str:
        """`"train"`, or the test set: `"tst1"` to `"tst4"`."""
        if self.split == "trn":
            return "train"
        return f"tst{self.kb + 2 * self.restrictions}"

    def __str__(self) -> str:
        """Spell the name, with `.json` or `.answers.json` at the end."""
        ending = ".answers.json" if self.answers else ".json"
        schema = schema_name(self.kb, extra=self.restrictions)
        stem = f"dialog-task{self.subtask}{SUBTASKS[self.subtask]}-{schema}-distr0.5"
        return f"{stem}-{self.split}{self.n}{ending}"


def parse_file_name(path_or_name: Path | str) -> FileName | None:
    """Return what an official file name says, whatever folder and endings it has; `None` for other names.

    >>> parse_file_name("tst3/dialog-task2REFINE-kb1_atmosphere_restrictions-distr0.5-tst1000.json.gz").part
    'tst3'
    """
    name = str(path_or_name).replace("\\", "/").rsplit("/", 1)[-1]
    found = _OFFICIAL.fullmatch(name)
    if found is None or SUBTASKS[int(found["subtask"])] != found["short"]:
        return None
    return FileName(
        subtask=int(found["subtask"]),
        kb=int(found["kb"]),
        restrictions=found["restrictions"] is not None,
        split=found["split"],
        n=int(found["n"]),
        answers=".answers" in found["tail"],
    )
