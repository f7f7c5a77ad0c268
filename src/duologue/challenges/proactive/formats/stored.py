"""The examples of a very large data file: what scores look at is kept packed, all else is read anew when it is asked.

A million samples with their knowledge take gigabytes; their ids and true replies take a hundred megabytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, overload

import msgspec

from duologue.challenges.proactive.formats.files import (
    Names,
    checked_rows,
    examples_of,
    load,
    sample_id,
    session_id,
    turn_id,
)
from duologue.challenges.proactive.formats.rules import form_of
from duologue.core.errors import FormatError
from duologue.core.findings import Findings
from duologue.core.lines import read
from duologue.core.records import Example

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    Told = tuple[str, str | None]
    """Id and true reply of a sample, which may not be known."""

MANY = 100_000
"""Lines, or samples, beyond which examples are not held."""
_PORTION = 1 << 12
"""Samples that are packed together."""
_PACK = msgspec.msgpack.Encoder().encode
_UNPACK = msgspec.msgpack.Decoder(list[tuple[str, str | None]]).decode


def truth(path: Path) -> Sequence[Example]:
    """Return the examples of a session or sample file, held or `StoredExamples`. Raises as `files.load` does."""
    if len(read(path)) <= MANY:
        return load(path)
    found = StoredExamples(path)
    return found if len(found) > MANY else list(found)


class StoredExamples(Sequence[Example]):
    """The examples of a file, in its order. Going through them reads the file anew.

    Raises `FormatError` with all problems of the file, `StorageError` when it cannot be read or has changed since.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._packed: list[bytes] = []
        self._total = 0
        findings = Findings()
        part: list[Told] = []
        names = Names()
        good = True
        for number, (row, found) in enumerate(checked_rows(path)):
            for problem in found:
                findings.add(problem)
            if row is None:
                good = False
                self._packed.clear()
                continue
            part += _told(row, number, names)
            if len(part) >= _PORTION:
                self._pack(part)
                part = []
        if not good:
            raise FormatError(path, findings.problems())
        self._pack(part)

    def _pack(self, part: list[Told]) -> None:
        self._total += len(part)
        self._packed.append(_PACK(part))

    def told(self) -> Iterator[Told]:
        """Yield id and true reply of each example, which are at hand."""
        for part in self._packed:
            yield from _UNPACK(part)

    def __len__(self) -> int:
        """Return how many examples there are."""
        return self._total

    def __iter__(self) -> Iterator[Example]:
        """Go through the examples; the file is read anew."""
        return examples_of(row for row, _ in checked_rows(self._path) if row is not None)

    @overload
    def __getitem__(self, place: int) -> Example: ...

    @overload
    def __getitem__(self, place: slice) -> list[Example]: ...

    def __getitem__(self, place: int | slice) -> Example | list[Example]:
        """Return one example or several; the file is read up to there, so that it is no way to go through them."""
        places = range(self._total)[place]
        if isinstance(places, range):
            wanted = set(places)
            kept = {at: one for at, one in enumerate(islice(self, max(wanted, default=-1) + 1)) if at in wanted}
            return [kept[at] for at in places]
        return next(islice(self, places, None))


def _told(row: dict[str, Any], number: int, names: Names) -> list[Told]:
    """Return ids and true replies of the samples that a row holds."""
    if form_of(row) == "session":
        name = session_id(row, number)
        return [(turn_id(name, at), text) for at, text in enumerate(row["conversation"]) if not at % 2]
    return [(sample_id(row, names.name(row)), row.get("response"))]
