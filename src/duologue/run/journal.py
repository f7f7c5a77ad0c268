"""A journal of answers, so that a stopped run goes on where it was and gives the same file."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Self

import msgspec

from duologue.core.errors import StorageError
from duologue.core.records import Answer, Record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType


class _Line(Record, frozen=True, kw_only=True):
    id: str
    answer: Answer


class Journal:
    """Answers that are already there, one JSON line each, behind a first line that says whose they are.

    A journal of another system, recipe, seed or input is not used but started anew. A last line that a
    kill has cut off is dropped.
    """

    def __init__(self, path: Path, identity: str) -> None:
        self.path = path
        self.answers: dict[str, Answer] = {}
        self._identity = msgspec.json.encode({"run": identity})
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        """Read what an earlier run left and open the journal for more."""
        kept = self._read()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("wb")
            self._file.write(b"".join(line + b"\n" for line in (self._identity, *kept)))
            self._file.flush()
        except OSError as error:
            raise StorageError(f"cannot write {self.path}: {error.strerror}") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the journal; after a run that went through, remove it."""
        if self._file is not None:
            self._file.close()
        if kind is None:
            self.path.unlink(missing_ok=True)

    def add(self, ids: Sequence[str], answers: Sequence[Answer]) -> None:
        """Note answers and see them to the disk."""
        assert self._file is not None, "the journal is open inside its with block only"
        lines = [msgspec.json.encode(_Line(id=key, answer=answer)) for key, answer in zip(ids, answers, strict=True)]
        self.answers.update(zip(ids, answers, strict=True))
        try:
            self._file.write(b"".join(line + b"\n" for line in lines))
            self._file.flush()
        except OSError as error:
            raise StorageError(
                f"cannot write {self.path}: {error.strerror}; what is answered so far is kept"
            ) from error

    def _read(self) -> list[bytes]:
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StorageError(f"cannot read {self.path}: {error.strerror}") from error
        if lines[0] != self._identity:
            return []
        kept: list[bytes] = []
        for line in lines[1:-1]:  # what follows the last line end is empty or cut off
            try:
                entry = msgspec.json.decode(line, type=_Line)
            except msgspec.DecodeError:
                break
            self.answers[entry.id] = entry.answer
            kept.append(line)
        return kept
