"""Manifest of a generated corpus: its complete files with their hashes, so that a stopped run can be resumed."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from duologue.core import disk
from duologue.core.errors import StorageError, UsageError
from duologue.core.own_files import demand_ours, hash_of, shown
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
        self.beside: dict[str, str] = {}
        """The same of files that are no part of the corpus: its recipe and what else is written with it."""
        found = self._read()
        self._begun = found.get("key") == key
        if self._begun:
            self.files, self.beside = found["files"], found.get("beside", {})
        self._foreign = [] if self._begun else sorted(found.get("files", {}))

    def _read(self) -> dict[str, Any]:
        path = self.out / MANIFEST_NAME
        if not path.exists():
            return {}
        found, _, _ = disk.read_json(path)
        tables = (found.get("files"), found.get("beside", {})) if isinstance(found, dict) else (None,)
        whole = all(isinstance(one, dict) and all(isinstance(hash_, str) for hash_ in one.values()) for one in tables)
        return found if whole else {}

    def check_planned(self, planned: Iterable[Path]) -> None:
        """Raise `UsageError` for a folder with another corpus, or with files in the places of this one that are not it.

        What stands there is never replaced: who made it may not have it elsewhere.
        """
        if other := [name for name in self._foreign if (self.out / name).exists()]:
            raise UsageError(
                f"{self.out} holds a corpus made with another recipe, seed or version of duologue ({shown(other)}); "
                f"choose another folder, or remove that one"
            )
        if there := [self.name(path) for path in planned if not self._begun and path.exists()]:
            raise UsageError(
                f"{self.out} holds files of these names that are none of this corpus ({shown(there)}); choose another "
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
        return hash_of(path) == expected

    def add(self, path: Path, digest: str) -> None:
        """Record that a file is complete."""
        self.files[self.name(path)] = digest
        self._write()

    def spare(self, path: Path, digest: str) -> None:
        """Raise `UsageError` where a file would be replaced that the corpus does not know and that is not the same."""
        name = self.name(path)
        if name not in self.files and path.is_file() and hash_of(path) != digest:
            demand_ours(self.out, [name])

    def add_beside(self, path: Path) -> None:
        """Record a file that is no part of the corpus, as it was written just now."""
        self.beside[self.name(path)] = hash_of(path)
        self._write()

    def changed(self) -> list[str]:
        """Return the files that are there and are not as they were written."""
        written = {**self.files, **self.beside}
        return [name for name, hash_ in written.items() if (self.out / name).is_file() and
                hash_of(self.out / name) != hash_]  # fmt: skip

    def _write(self) -> None:
        table: dict[str, Any] = {"key": self.key, "files": dict(sorted(self.files.items()))}
        if self.beside:
            table["beside"] = dict(sorted(self.beside.items()))
        disk.write_text(self.out / MANIFEST_NAME, json.dumps(table, indent=1) + "\n")


def demand_as_written(out: Path) -> None:
    """Raise `UsageError` where files of a corpus are no longer as they were written: somebody has put others there."""
    path = out / MANIFEST_NAME
    found = disk.read_json(path)[0] if path.is_file() else None
    if isinstance(found, dict) and isinstance(found.get("key"), str):
        demand_ours(out, CorpusManifest(out, found["key"]).changed())
