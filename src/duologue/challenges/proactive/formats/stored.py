"""Ground truth of very large files: ids and references are held packed, everything else is read again on demand.

A million samples with their knowledge take gigabytes; their ids and references take a hundred megabytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, overload

import msgspec

from duologue.challenges.proactive.formats.files import (
    DialogueIds,
    checked_rows,
    examples_of,
    load,
    sample_id,
    session_id,
    turn_id,
)
from duologue.challenges.proactive.formats.rules import form_of
from duologue.core.errors import FormatError
from duologue.core.lines import read
from duologue.core.problems import ProblemCollector
from duologue.core.records import Example

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    IdAndReply = tuple[str, str | None]
    """Sample id and reference; `None` if the reference is not known."""

HELD_LIMIT = 100_000
"""Largest number of lines or samples whose examples are held in memory."""
_PORTION = 1 << 12
"""Samples per packed block."""
_PACK = msgspec.msgpack.Encoder().encode
_UNPACK = msgspec.msgpack.Decoder(list[tuple[str, str | None]]).decode


def truth(path: Path) -> Sequence[Example]:
    """Return the examples of a file, in memory or as `StoredExamples`. Raises as `files.load` does."""
    if len(read(path)) <= HELD_LIMIT:
        return load(path)
    found = StoredExamples(path)
    return found if len(found) > HELD_LIMIT else list(found)


class StoredExamples(Sequence[Example]):
    """The examples of a file in file order; iterating reads the file again.

    Raises `FormatError` with all problems of the file, `StorageError` when it cannot be read or has changed since.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._packed: list[bytes] = []
        self._total = 0
        findings = ProblemCollector()
        part: list[IdAndReply] = []
        dialogue_ids = DialogueIds()
        good = True
        for number, (row, found) in enumerate(checked_rows(path)):
            for problem in found:
                findings.add(problem)
            if row is None:
                good = False
                self._packed.clear()
                continue
            part += _ids_and_replies(row, number, dialogue_ids)
            if len(part) >= _PORTION:
                self._pack(part)
                part = []
        if not good:
            raise FormatError(path, findings.problems())
        self._pack(part)

    def _pack(self, part: list[IdAndReply]) -> None:
        self._total += len(part)
        self._packed.append(_PACK(part))

    def ids_and_replies(self) -> Iterator[IdAndReply]:
        """Yield id and reference of each example from memory."""
        for part in self._packed:
            yield from _UNPACK(part)

    def __len__(self) -> int:
        """Return the number of examples."""
        return self._total

    def __iter__(self) -> Iterator[Example]:
        """Iterate over the examples; the file is read again."""
        return examples_of(row for row, _ in checked_rows(self._path) if row is not None)

    @overload
    def __getitem__(self, place: int) -> Example: ...

    @overload
    def __getitem__(self, place: slice) -> list[Example]: ...

    def __getitem__(self, place: int | slice) -> Example | list[Example]:
        """Return one example or a slice; the file is read up to it, so do not use this to iterate."""
        places = range(self._total)[place]
        if isinstance(places, range):
            wanted = set(places)
            kept = {at: one for at, one in enumerate(islice(self, max(wanted, default=-1) + 1)) if at in wanted}
            return [kept[at] for at in places]
        return next(islice(self, places, None))


def _ids_and_replies(row: dict[str, Any], number: int, dialogue_ids: DialogueIds) -> list[IdAndReply]:
    """Return ids and references of the samples of a row."""
    if form_of(row) == "session":
        name = session_id(row, number)
        return [(turn_id(name, at), text) for at, text in enumerate(row["conversation"]) if not at % 2]
    return [(sample_id(row, dialogue_ids.of(row)), row.get("response"))]
