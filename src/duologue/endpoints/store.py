"""Finished calls on the disk, by the hash of what was asked: the same call is never made twice.

A folder has them for all runs; a recording (`recorded_calls`) has those of one, to be replayed elsewhere.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import get_ident

import msgspec

from duologue.core.disk import guarded, write_scratch
from duologue.core.records import Record
from duologue.core.typed import decode_json
from duologue.endpoints.completion import ChatCompletion
from duologue.endpoints.recorded_calls import CallRecording, key_of
from duologue.endpoints.server_words import NO_COMPLETION


class StoredCall(Record, frozen=True, kw_only=True):
    """A request as it was sent, without any header, and what came of it."""

    url: str
    request: msgspec.Raw
    completion: ChatCompletion


class CallStore:
    """Finished calls. Threads and processes may share the folder."""

    def __init__(self, folder: str = "", *, record: str = "", replay: str = "") -> None:
        """Take the folder and the recording that calls are kept in; nothing is kept where both are empty.

        With `replay` calls are taken from that recording alone. Raises as `CallRecording` does.
        """
        self._folder = Path(folder) if folder and not replay else None
        self.replayed = CallRecording(Path(replay), needed=True) if replay else None
        """The recording that has all calls there may be; `None` where calls are made."""
        self._recorded = CallRecording(Path(record), needed=False) if record else None

    @property
    def keeps(self) -> bool:
        """Whether calls are kept anywhere."""
        return self._folder is not None or self._recorded is not None

    def find(self, url: str, body: bytes) -> ChatCompletion | None:
        """Return what came of a call; `None` for one that was not made, or whose file is damaged or another's."""
        if self.replayed is not None:
            return self.replayed.find(url, body)
        found = self._recorded.find(url, body) if self._recorded is not None else None
        if found is None:
            found = self._in_folder(url, body)
            if found is not None and self._recorded is not None:
                found = self._recorded.keep(url, body, found)
        return found

    def keep(self, url: str, body: bytes, completion: ChatCompletion) -> ChatCompletion:
        """Keep a finished call, and return what counts as its outcome: what is recorded, where it was made twice.

        Its file is whole or not there. A call that came to no chat completion has none, so that the next run makes it
        anew; it is recorded all the same, to be replayed. Raises `StorageError` for what the disk refuses.
        """
        if self._recorded is not None:
            completion = self._recorded.keep(url, body, completion)
        if self._folder is None or completion.finish == NO_COMPLETION:
            return completion
        path = self._path(url, body)
        data = msgspec.json.encode(StoredCall(url=url, request=msgspec.Raw(body), completion=completion))
        temporary = path.with_name(f".{path.name}.{os.getpid()}.{get_ident()}.part")
        try:
            write_scratch(
                temporary, data
            )  # not forced to the disk: a crash of the machine costs a call, never a result
            with guarded("write", path):
                temporary.replace(path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
        return completion

    def _in_folder(self, url: str, body: bytes) -> ChatCompletion | None:
        if self._folder is None:
            return None
        try:
            stored = decode_json(self._path(url, body).read_bytes(), StoredCall)
        except (OSError, ValueError, msgspec.DecodeError):  # the second for a folder that no system can have
            return None
        return stored.completion if (stored.url, bytes(stored.request)) == (url, body) else None

    def _path(self, url: str, body: bytes) -> Path:
        assert self._folder is not None, "asked only where there is one"
        key = key_of(url, body)
        return self._folder / key[:2] / f"{key}.json"
