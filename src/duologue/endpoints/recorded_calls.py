"""Recording of calls: a file of JSON lines with what was asked and what came of it, for replay without any network.

Each line is a call: the hash of address and request, the request as it was sent (no header, so no key), and the
completion with its tokens. A line stands there as soon as its call is finished.
"""

from __future__ import annotations

import weakref
from threading import Lock
from typing import TYPE_CHECKING

import msgspec

from duologue.core.disk import GrowingFile, guarded, sha256
from duologue.core.errors import BotError, FormatError
from duologue.core.records import Problem, Record
from duologue.core.typed import decode_json
from duologue.endpoints.completion import ChatCompletion

if TYPE_CHECKING:
    from pathlib import Path


class NotRecordedError(BotError):
    """A call is to be replayed that is not in the recording."""


class RecordedCall(Record, frozen=True, kw_only=True):
    """One line of a recording."""

    hash: str
    """SHA-256 of the address, a line end and the request."""
    url: str
    request: msgspec.Raw
    completion: ChatCompletion


class CallRecording:
    """The calls of one file by their hash; more are added at its end. Threads may share it.

    Several may write into one file (a system and its simulated user): each adds what it did not find there.
    """

    def __init__(self, path: Path, *, needed: bool) -> None:
        """Read what is there; a last line that a kill has cut off is dropped.

        Raises `StorageError` where the file is `needed` and cannot be read, `FormatError` with all lines that are no
        call or were changed.
        """
        self.path = path
        self._lock = Lock()
        self._file: GrowingFile | None = None
        self._known: dict[str, ChatCompletion] = {}
        data = b""
        if needed or path.exists():
            with guarded("read", path):
                data = path.read_bytes()
        *lines, rest = data.split(b"\n")
        self._size, self._cut_off = len(data), len(rest)
        problems = []
        for number, line in enumerate(lines, start=1):
            wrong = self._take(line)
            if wrong:
                problems.append(Problem(rule="recorded-call", place=f"line {number}", message=wrong, advice=_ADVICE))
        if problems:
            raise FormatError(path, problems)

    def __len__(self) -> int:
        return len(self._known)

    def find(self, url: str, body: bytes) -> ChatCompletion | None:
        """Return what came of a call; `None` for one that is not there."""
        return self._known.get(key_of(url, body))

    def keep(self, url: str, body: bytes, completion: ChatCompletion) -> ChatCompletion:
        """Add a finished call, unless it is there, and return what is recorded of it.

        Of a call that was made twice at the same time the first one counts for both, as it will in a replay. Raises
        `StorageError` for what the disk refuses.
        """
        key = key_of(url, body)
        made = RecordedCall(hash=key, url=url, request=msgspec.Raw(body), completion=completion)
        with self._lock:
            if key in self._known:
                return self._known[key]
            if self._file is None:
                self._file = self._opened()
            self._file.add(msgspec.json.encode(made) + b"\n")
            self._known[key] = completion
        return completion

    def _opened(self) -> GrowingFile:
        file = GrowingFile(self.path)
        weakref.finalize(self, file.close)
        file.cut(self._size, off=self._cut_off)
        return file

    def _take(self, line: bytes) -> str:
        """Take up a line; returns in words what is wrong with it."""
        try:
            call = decode_json(line, RecordedCall)
        except msgspec.DecodeError as error:
            return f"it is no recorded call: {error}".replace("`", "'")
        if call.hash != key_of(call.url, bytes(call.request)):
            return f"the hash {call.hash[:12]} is not that of its address and request"
        self._known[call.hash] = call.completion
        return ""


_ADVICE = "a recording is written by record=FILE and not by hand; leave the line out, or record anew"


def key_of(url: str, body: bytes) -> str:
    """Return the hash of a call, in hexadecimal."""
    return sha256(url.encode() + b"\n" + body)
