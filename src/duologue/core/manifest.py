"""Manifest of a generated corpus: its complete files with their hashes, so that a stopped run can be resumed."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from duologue.core import disk
from duologue.core.errors import StorageError, UsageError
from duologue.core.recipe import recipe_hash
from duologue.core.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from duologue.core.records import Record

MANIFEST_NAME = ".generated.json"


def corpus_key(version: int, *, recipe: Record, seed: int, sources: Iterable[str] = ()) -> str:
    """Return a hash of all that determines a corpus: its generator's version, ours, recipe, seed and source lines."""
    content = hashlib.sha256(f"{version}|{__version__}|{seed}|{recipe_hash(recipe)}".encode())
    for line in sources:
        content.update(f"{line}\n".encode())
    return content.hexdigest()


class CorpusManifest:
    """Manifest of one corpus: the complete files below a folder, with their hashes."""

    def __init__(self, out: Path, key: str) -> None:
        self.out, self.key = out, key
        self.files: dict[str, str] = {}
        """Name below `out` to the SHA-256 of the file's bytes."""
        found = self._read()
        self._begun = found.get("key") == key
        if self._begun:
            self.files = found["files"]
        self._foreign = [] if self._begun else sorted(found.get("files", {}))

    def _read(self) -> dict[str, Any]:
        path = self.out / MANIFEST_NAME
        if not path.exists():
            return {}
        found, _, _ = disk.read_json(path)
        files = found.get("files") if isinstance(found, dict) else None
        whole = isinstance(files, dict) and all(isinstance(hash_, str) for hash_ in files.values())
        return found if whole else {}

    def check_planned(self, planned: Iterable[Path]) -> None:
        """Raise `UsageError` for a folder with another corpus, or with files in the places of this one that are not it.

        What stands there is never replaced: who made it may not have it elsewhere.
        """
        if other := [name for name in self._foreign if (self.out / name).exists()]:
            raise UsageError(
                f"{self.out} holds a corpus made with another recipe, seed or version of duologue ({_shown(other)}); "
                f"choose another folder, or remove that one"
            )
        if there := [self.name(path) for path in planned if not self._begun and path.exists()]:
            raise UsageError(
                f"{self.out} holds files of these names that are none of this corpus ({_shown(there)}); choose another "
                f"folder, or remove them"
            )

    def begin(self, paths: Iterable[Path]) -> None:
        """Enter that this corpus is being made, and remove temporary files of a killed run. Raises `StorageError`."""
        for path in paths:
            try:
                for rest in path.parent.glob(f".{path.name}.*.part"):
                    rest.unlink(missing_ok=True)
            except OSError as error:
                raise StorageError(
                    f"cannot remove an earlier run's files in {path.parent}: {error.strerror}"
                ) from error
        self._write()

    def name(self, path: Path) -> str:
        """Return the name of a file below the folder."""
        return path.relative_to(self.out).as_posix()

    def is_complete(self, path: Path) -> bool:
        """Return whether the file stands there as it was written for this corpus."""
        expected = self.files.get(self.name(path))
        if expected is None or not path.is_file():
            return False
        return hashlib.sha256(disk.read_bytes(path)).hexdigest() == expected

    def add(self, path: Path, digest: str) -> None:
        """Record that a file is complete."""
        self.files[self.name(path)] = digest
        self._write()

    def _write(self) -> None:
        table = {"key": self.key, "files": dict(sorted(self.files.items()))}
        disk.write_text(self.out / MANIFEST_NAME, json.dumps(table, indent=1) + "\n")


def _shown(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
