"""Manifest of a generated corpus: its complete files with their hashes, so that a stopped run can be resumed."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.core import disk
from duologue.core.errors import UsageError
from duologue.core.recipe import recipe_hash
from duologue.core.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from duologue.challenges.restaurant.simulator.recipe import Generation
    from duologue.core.records import Fact

MANIFEST_NAME = ".generated.json"
_VERSION = 1
"""To be raised when the same recipe and seed give other bytes."""


def corpus_key(recipe: Generation, seed: int, facts: Iterable[Sequence[Fact]]) -> str:
    """Return a hash of all that determines the bytes: recipe (without its limits), seed, knowledge bases, version."""
    plain = msgspec.structs.replace(recipe, part="all", subtask=0, n=0, train_dialogs=1, test_dialogs=1, kb1="", kb2="")
    content = hashlib.sha256(f"{_VERSION}|{__version__}|{seed}|{recipe_hash(plain)}".encode())
    for base in facts:
        for fact in base:
            content.update(f"{fact.subject}|{fact.relation}|{fact.object}\n".encode())
    return content.hexdigest()


class CorpusManifest:
    """Manifest of one corpus: the complete files below a folder, with their hashes."""

    def __init__(self, out: Path, key: str) -> None:
        self.out, self.key = out, key
        self.files: dict[str, str] = {}
        """Name below `out` to the SHA-256 of the file's bytes."""
        found = self._read()
        if found.get("key") == key:
            self.files = found["files"]
        self._foreign = [] if found.get("key") == key else sorted(found.get("files", {}))

    def _read(self) -> dict[str, Any]:
        path = self.out / MANIFEST_NAME
        if not path.exists():
            return {}
        found, _, _ = disk.read_json(path)
        whole = isinstance(found, dict) and isinstance(found.get("files"), dict)
        return found if whole else {}

    def check_planned(self, planned: Iterable[Path]) -> None:
        """Refuse a folder in which files of another corpus would stay among the planned ones.

        Raises `UsageError` when the folder holds files of another recipe or seed that this run does not replace.
        """
        names = {self.name(path) for path in planned}
        left = [name for name in self._foreign if name not in names and (self.out / name).exists()]
        if left:
            shown = ", ".join(left[:3]) + (f" and {len(left) - 3} more" if len(left) > 3 else "")
            raise UsageError(
                f"{self.out} holds a corpus made with another recipe, seed or version of duologue ({shown}); the two "
                f"would mix: choose another folder or remove that one"
            )

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
        table = {"key": self.key, "files": dict(sorted(self.files.items()))}
        disk.write_text(self.out / MANIFEST_NAME, json.dumps(table, indent=1) + "\n")
