"""Finished calls on the disk, by the hash of what was asked: the same call is never made twice."""

from __future__ import annotations

import os
from pathlib import Path
from threading import get_ident

import msgspec

from duologue.core.disk import guarded, sha256
from duologue.core.records import Record
from duologue.endpoints.completion import ChatCompletion


class StoredCall(Record, frozen=True, kw_only=True):
    """A request as it was sent, without any header, and what came of it."""

    url: str
    request: msgspec.Raw
    completion: ChatCompletion


class CallStore:
    """A folder of finished calls; without a folder none is kept. Threads and processes may share it."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder) if folder else None

    def find(self, url: str, body: bytes) -> ChatCompletion | None:
        """Return what came of a call; `None` for one that was not made, or whose file is damaged or another's."""
        if self._folder is None:
            return None
        try:
            stored = msgspec.json.decode(self._path(url, body).read_bytes(), type=StoredCall)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        return stored.completion if (stored.url, bytes(stored.request)) == (url, body) else None

    def keep(self, url: str, body: bytes, completion: ChatCompletion) -> None:
        """Keep a finished call: its file is whole or not there. Raises `StorageError` for what the disk refuses."""
        if self._folder is None:
            return
        path = self._path(url, body)
        data = msgspec.json.encode(StoredCall(url=url, request=msgspec.Raw(body), completion=completion))
        temporary = path.with_name(f".{path.name}.{os.getpid()}.{get_ident()}.part")
        with guarded("write", path):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(data)  # not forced to the disk: a crash of the machine costs a call, never a result
            temporary.replace(path)

    def _path(self, url: str, body: bytes) -> Path:
        assert self._folder is not None, "asked only where there is one"
        key = sha256(url.encode() + b"\n" + body)
        return self._folder / key[:2] / f"{key}.json"
