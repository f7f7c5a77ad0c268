"""Files that people gave: kept under the hash of their bytes, never changed."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from duologue.arena.database.damage import damaged
from duologue.core.disk import guarded, replacing
from duologue.core.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_NAME = re.compile(r"[0-9a-f]{64}")


class Blobs:
    """A folder of files, each named by the SHA-256 of its bytes.

    A file is there before the row that names it is committed, so that a backup of the rows finds all their files.
    """

    def __init__(self, folder: Path) -> None:
        """Keep files below `folder`, which is made with the first of them."""
        self.folder = folder

    def put(self, data: bytes) -> str:
        """Keep bytes and return their SHA-256. The file appears whole or not at all."""
        name = hashlib.sha256(data).hexdigest()
        self.copy(name, [data])
        return name

    def copy(self, name: str, pieces: Iterable[bytes]) -> None:
        """Keep a file of which the SHA-256 is known, piece by piece; nothing is read where it is kept already.

        Raises `StorageError`, and keeps nothing, where the pieces have another.
        """
        path = self._place(name)
        if path.is_file():
            return
        with guarded("write", path):
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.parent.mkdir(exist_ok=True, mode=0o700)
        digest = hashlib.sha256()
        with replacing(path, private=True) as out:
            for piece in pieces:
                digest.update(piece)
                out.write(piece)
            if digest.hexdigest() != name:
                raise StorageError(f"the file {name} was changed while it was copied; run the command again")

    def path(self, name: str) -> Path:
        """Return the file with this SHA-256. Raises `StorageError` where there is none."""
        if not _NAME.fullmatch(name) or not self._place(name).is_file():
            raise StorageError(f"there is no kept file {name[:64]!r}")
        return self._place(name)

    def read(self, name: str) -> bytes:
        """Return the bytes with this SHA-256. Raises `StorageError` where there are none, or others by now."""
        path = self.path(name)
        with guarded("read", path):
            data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != name:
            raise damaged(f"the kept file {path}", "its bytes are not those it was named by")
        return data

    def delete(self, name: str) -> None:
        """Delete a file, where there is one."""
        if _NAME.fullmatch(name):
            self._place(name).unlink(missing_ok=True)

    def names(self) -> Iterator[str]:
        """Yield the names of all kept files, sorted."""
        for path in sorted(self.folder.glob("??/*")):
            if _NAME.fullmatch(path.name):
                yield path.name

    def _place(self, name: str) -> Path:
        return self.folder / name[:2] / name
