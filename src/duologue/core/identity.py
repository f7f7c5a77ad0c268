"""Run identity: everything that decides the result of resumable work, kept beside what it leaves.

A checkpoint, a journal and a model under way each bear the `Identity` of the run that made them. What bears another
one is never gone on with, since that would give a result that neither run asked for.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.core.disk import Source, guarded, regular
from duologue.core.lines import sha256
from duologue.core.records import Record
from duologue.core.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

CHECKPOINT, LOG = "checkpoint.pt", "training.jsonl"
"""What a training leaves in a model's folder that is no part of the model: both hold how long it took."""

_HASH = 64
"""Digits of a SHA-256, which says nothing to a reader."""


class Identity(Record, frozen=True, kw_only=True):
    """All that the result of a training or of a run of answers depends on."""

    task: str = ""
    system: str = ""
    """The system's registered name."""
    packages: str = ""
    """Who made it, with versions: duologue, and the package of the system where that is another."""
    seed: int = 0
    recipe: dict[str, Any] = {}
    """The resolved recipe, as a TOML table."""
    data: str = ""
    """Hash of what is learned from or answered; words for data that a simulator makes by task, recipe and seed."""
    world: str = ""
    """Hash of the knowledge bases at hand."""
    weights: str = ""
    """Hash of the model that answers; empty for a training and for systems that do not learn."""

    def key(self) -> str:
        """Return the SHA-256 of all fields: equal for equal identities, on any machine."""
        return hashlib.sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()

    def table(self) -> dict[str, Any]:
        """Return the fields as plain dicts and scalars, for files that hold more than this."""
        table: dict[str, Any] = msgspec.to_builtins(self, order="deterministic")
        return table


def packages(distribution: str = "duologue", version: str = "", *, duologue: str = __version__) -> str:
    """Return the packages that a system is made of, with their versions.

    >>> packages("stranger", "1.2", duologue="0.1")
    'duologue 0.1, stranger 1.2'
    """
    ours = f"duologue {duologue}"
    return ours if distribution == "duologue" else f"{ours}, {distribution} {version}"


def differences(found: object, wanted: Mapping[str, Any], name: str = "") -> list[str]:
    """Return in words what is not the same in what was found, key by key; nothing where all is.

    >>> differences({"seed": 1, "recipe": {"width": 8}}, {"seed": 1, "recipe": {"width": 4}})
    ['recipe.width 8, now 4']
    """
    if not isinstance(found, dict):
        return [f"{name or 'it'} is of another version of duologue"]
    return [words for key in dict.fromkeys((*wanted, *found)) for words in _difference(found, wanted, key, name)]


def _difference(found: Mapping[str, Any], wanted: Mapping[str, Any], key: str, name: str) -> Iterator[str]:
    there, here = found.get(key), wanted.get(key)
    place = f"{name}.{key}" if name else key
    if there == here:
        return
    if isinstance(there, dict) and isinstance(here, dict):
        yield from differences(there, here, place)
    elif any(isinstance(one, str) and len(one) == _HASH for one in (there, here)):
        yield f"other {place}"
    else:
        yield f"{place} {_said(there)}, now {_said(here)}"


def _said(value: object) -> str:
    return "none" if value in (None, "", {}) else str(value)


def hash_of_model(folder: Path) -> str:
    """Return the SHA-256 of the files of a model's folder, with their names. Raises as `files_of_model` does."""
    digest = hashlib.sha256()
    for name, content in files_of_model(folder).items():
        digest.update(f"{content} {name}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def hash_of_knowledge(path: Path) -> str:
    """Return the SHA-256 of the unpacked bytes of a file, or of the files of a folder as `hash_of_model` has it."""
    return hash_of_model(path) if path.is_dir() else sha256(Source(path))


def files_of_model(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a model's folder, by its name in the folder, however deep it lies.

    What its training left beside the model does not count, nor do hidden files. Raises `StorageError` when a file
    cannot be read, or is a pipe or a device.
    """
    made = {}
    for path in _files(folder):
        with guarded("read", path), regular(path).open("rb") as file:
            made[path.relative_to(folder).as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()
    return made


def _files(folder: Path) -> list[Path]:
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        here = folder.__class__(place)
        found += [here / name for name in names if not name.startswith(".") and name not in (CHECKPOINT, LOG)]
    return sorted(path for path in found if path.exists())
