"""A corpus that `duologue generate` has made, as its manifest and recipe tell of it."""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.core.capabilities import lacking_capability
from duologue.core.disk import decode_text, read_bytes, read_json
from duologue.core.errors import FormatError, UsageError
from duologue.core.folder_files import is_file_below
from duologue.core.manifest import MANIFEST_NAME
from duologue.core.optional_protocols import Simulated
from duologue.core.plugins import load_sharing_task
from duologue.core.records import Problem

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.protocols import Task

RECIPE_NAME = "generate.toml"
_SEED = re.compile(r"^# [^\n]{0,200}?\bseed is (\d{1,20})\b", re.ASCII)


class CorpusFile(NamedTuple):
    """One file of a corpus."""

    name: str
    """Path below the corpus, with slashes."""
    sha256: str
    size: int
    """Bytes."""
    rows: int | None
    """Rows of a JSON list; `None` for any other file."""
    columns: dict[str, str]
    """Simple columns that every row has, and their kind: `text`, `integer`, `number` or `boolean`."""


class GeneratedCorpus(NamedTuple):
    """A generated corpus, with the hashes of its files proved."""

    task: Task
    name: str
    """The challenge or task that was asked for."""
    files: tuple[CorpusFile, ...]
    recipe: str
    """The resolved recipe as TOML; empty where it is not there."""
    seed: str
    """Empty where it is not known."""


def read_corpus(name: str, folder: Path) -> GeneratedCorpus:
    """Return the corpus in a folder; `name` is the task, or challenge, whose simulator has made it.

    Raises `UsageError` where the task has no simulator or no corpus lies in the folder, and `FormatError` where the
    corpus is not complete, or not what was written.
    """
    task = load_sharing_task(name, "Generation")
    if not isinstance(task, Simulated):
        raise lacking_capability(name, "Simulated")
    path = folder / MANIFEST_NAME
    if not path.is_file():
        raise UsageError(f"{folder}: no corpus of `duologue generate` lies there ({MANIFEST_NAME} is missing)")
    found, _, _ = read_json(path)
    listed = found.get("files") if isinstance(found, dict) else None
    if not isinstance(listed, dict) or not all(isinstance(one, str) for one in listed.values()):
        raise FormatError(path, [_problem("", "this is no manifest of a corpus")])
    problems: list[Problem] = []
    files = [one for one in (_file(folder, file, content, problems) for file, content in sorted(listed.items())) if one]
    if problems:
        raise FormatError(path, problems)
    recipe = folder / RECIPE_NAME
    text = decode_text(read_bytes(recipe), recipe)[0] if recipe.is_file() else ""
    seed = _SEED.match(text)
    return GeneratedCorpus(task, name, tuple(files), text, seed[1] if seed else "")


def _file(folder: Path, name: str, content: str, problems: list[Problem]) -> CorpusFile | None:
    """Return a file of the manifest, never one outside the folder; what is wrong with it goes to `problems`."""
    parts = PurePosixPath(name).parts
    path = folder.joinpath(*parts)
    if not parts or ".." in parts or not is_file_below(path, folder):
        problems.append(_problem(name, "there is no such file in the corpus"))
        return None
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != content:
        problems.append(_problem(name, "the file is not what was written"))
        return None
    rows = _rows(data)
    return CorpusFile(name, content, len(data), None if rows is None else len(rows), _columns(rows or []))


def _rows(data: bytes) -> list[Any] | None:
    if data[:64].lstrip()[:1] != b"[":
        return None
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def _columns(rows: list[Any]) -> dict[str, str]:
    if not rows or not all(isinstance(row, dict) for row in rows):
        return {}
    kinds = {str: "text", bool: "boolean", int: "integer", float: "number"}
    return {
        key: kinds[type(value)]
        for key, value in rows[0].items()
        if type(value) in kinds and all(type(row.get(key)) is type(value) for row in rows)
    }


def _problem(place: str, message: str) -> Problem:
    return Problem(rule="corpus", place=place, message=message, advice="make the corpus again with `duologue generate`")
