"""Journal of answers: an interrupted run resumes and gives the same file."""

from __future__ import annotations

import zlib
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import msgspec

from duologue.core.amounts import amount
from duologue.core.disk import GrowingFile, guarded, refusal, replacing
from duologue.core.errors import BotError, StorageError
from duologue.core.identity import differences
from duologue.core.locks import writing_file
from duologue.core.records import Answer, Record
from duologue.core.system_answers import taken_up
from duologue.core.typed import decode_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from duologue.core.identity import Identity

_SUM = 8
"""Hexadecimal digits of the CRC-32 before each line."""


CHUNK = 100
"""Samples per call of `answer`: small enough for a lively progress bar and a short loss after a kill."""


class _Line(Record, frozen=True, kw_only=True, omit_defaults=True):
    place: int | str
    answer: Answer
    account: dict[str, Any] = {}


class _Left(NamedTuple):
    """What a stopped run left: lines with what they hold, and why the file cannot be gone on with as it is."""

    entries: list[tuple[bytes, _Line]]
    fault: str = ""


def journal_path(out: Path) -> Path:
    """Return the name of the journal of a run that writes to `out`."""
    return out.with_name(f".{out.name}.journal")


def answers_left(path: Path, identity: Identity) -> dict[int | str, Answer]:
    """Return the answers that a run of that identity would take up from a journal, which stays as it is."""
    return {entry.place: entry.answer for _, entry in _left_in(path, identity).entries}


class Journal:
    """Answers that are already there, one line each, behind a first line that says whose they are.

    Each line is JSON behind a checksum. A journal of another identity is set aside under another name, and so is one
    that is damaged, of which whole answers are kept. A last line that a kill has cut off is dropped. `say` is told
    in words what was set aside, and why.
    """

    def __init__(self, path: Path, identity: Identity, *, say: Callable[[str], object] | None = None) -> None:
        self.path = path
        self.answers: dict[int | str, Answer] = {}
        """By place (how many samples were asked before), or by what was asked, as a hash."""
        self.accounts: dict[int | str, dict[str, Any]] = {}
        """What answers took, of systems that tell it; those of an earlier run say so (`taken_up`)."""
        self._identity = identity
        self._say = say
        self._file: GrowingFile | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        """Read what an earlier run left and open the journal for more. Raises `BusyError` where another has it open."""
        with ExitStack() as opened:
            opened.enter_context(writing_file(self.path))
            kept = self._read()
            with replacing(self.path) as whole:  # a kill between reading and writing loses nothing
                whole.write(b"".join(line + b"\n" for line in (_line(self._identity.table()), *kept)))
            self._file = opened.enter_context(GrowingFile(self.path))
            self._open = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the journal; after a run that went through, remove it."""
        with self._open:
            if kind is None:
                with guarded("remove", self.path):
                    self.path.unlink(missing_ok=True)

    def add(
        self, places: Sequence[int | str], answers: Sequence[Answer], account: Mapping[str, Any] | None = None
    ) -> None:
        """Note answers, and what a single one took, and see them to the disk."""
        assert self._file is not None, "the journal is open inside its with block only"
        try:
            for place, answer in zip(places, answers, strict=True):
                told = dict(account or {})
                self._file.add(_line(_Line(place=place, answer=answer, account=told)) + b"\n")
                self.answers[place], self.accounts[place] = answer, told
        except StorageError as error:
            raise refusal(error, f"{error}; what is answered so far is kept") from error

    def _read(self) -> list[bytes]:
        """Take up the answers that can be, and return their lines."""
        left = _left_in(self.path, self._identity)
        for _, entry in left.entries:
            self.answers[entry.place] = entry.answer
            self.accounts[entry.place] = taken_up(entry.account)
        if left.fault:
            self._set_aside(left.fault)
        return [line for line, _ in left.entries]

    def _set_aside(self, reason: str) -> None:
        number = 1
        while (aside := self.path.with_name(f"{self.path.name}.{number}")).exists():
            number += 1
        with guarded(f"rename to {aside.name}", self.path):
            self.path.rename(aside)
        if self._say is not None:
            self._say(f"the journal {self.path} of a stopped run was set aside as {aside.name}: {reason}")


def _left_in(path: Path, identity: Identity) -> _Left:
    if not path.exists():
        return _Left([])
    with guarded("read", path):
        lines = path.read_bytes().split(b"\n")
    whose = _decoded(lines[0], dict[str, Any])
    if whose is None:
        return _Left([], "it is damaged in its first line, so all is answered again")
    other = differences(whose, identity.table())
    if other:
        return _Left([], f"it belongs to another run ({', '.join(other)}), so all is answered again")
    found = [(line, _decoded(line, _Line)) for line in lines[1:-1]]  # what follows the last line end is cut off
    entries = [(line, entry) for line, entry in found if entry is not None]
    damaged = [number for number, (_, entry) in enumerate(found, start=2) if entry is None]
    if not damaged:
        return _Left(entries)
    more = f" and {len(damaged) - 1} more" if damaged[1:] else ""
    kept = f"the {amount(len(entries), 'answer that is whole is', 'answers that are whole are')} kept"
    return _Left(entries, f"it is damaged in line {damaged[0]}{more}; {kept}, the rest is answered again")


def _line(content: object) -> bytes:
    data = msgspec.json.encode(content, order="deterministic")
    return f"{zlib.crc32(data):0{_SUM}x} ".encode() + data


def _decoded(line: bytes, kind: Any) -> Any:
    """Return what a line holds; `None` where a bit of it is not as it was written."""
    data = line[_SUM + 1 :]
    if line[: _SUM + 1] != f"{zlib.crc32(data):0{_SUM}x} ".encode():
        return None
    try:
        return decode_json(data, kind)
    except msgspec.DecodeError:  # written by another version
        return None


@contextmanager
def told_what_is_kept(journal: Journal | None) -> Iterator[None]:
    """Add to what is said of a bot that failed how many of its answers a journal keeps."""
    try:
        yield
    except BotError as error:
        if journal is None:
            raise
        count = len(journal.answers)
        kept = f"{amount(count, 'answer is', 'answers are')} kept" if count else "Nothing is answered yet"
        raise BotError(f"{error}\n{kept}; the same command goes on from there.") from error
