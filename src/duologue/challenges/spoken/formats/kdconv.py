"""KdConv's own folder: for each domain train, dev and test dialogues and a knowledge base, made one file of ours.

The layout is that of its repository: `data/DOMAIN/{train,dev,test}.json` and `data/DOMAIN/kb_DOMAIN.json`; the folder
may be the repository, its `data`, or a copy of some domains, and files may be packed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from duologue.challenges.spoken.formats import files
from duologue.core.errors import FormatError, UsageError
from duologue.core.problems import capped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.core.records import Dialogue, Problem

DOMAINS = ("film", "music", "travel")
CHOICES: dict[str, tuple[str, ...]] = {"split": ("train", "dev", "test"), "domain": ("all", *DOMAINS)}
"""What to take, the default first."""

Content = TypeVar("Content")


def read_split(folder: Path, split: str, domain: str) -> list[Dialogue]:
    """Return the dialogues of a split, domain after domain as `DOMAINS` has them.

    Raises `UsageError` where a file is missing, `FormatError` with the problems of all files.
    """
    found = _read(folder, f"{split}.json", domain, files.read_dialogues)
    return [dialogue for dialogues in found for dialogue in dialogues]


def read_graph(folder: Path, domain: str) -> dict[str, list[list[Any]]]:
    """Return the knowledge bases as one graph: an entity of two domains has the triples of both, none twice for it.

    Raises as `read_split` does.
    """
    merged: dict[str, list[list[Any]]] = {}
    for graph in _read(folder, "kb_{}.json", domain, files.read_graph):
        for entity, triples in graph.items():
            known = merged.setdefault(entity, [])
            there = {json.dumps(one) for one in known}
            known += [one for one in triples if json.dumps(one) not in there]
    return merged


def _read(folder: Path, name: str, domain: str, read: Callable[[Path], Content]) -> list[Content]:
    domains = DOMAINS if domain == "all" else (domain,)
    paths = {one: _find(folder, one, name.format(one)) for one in domains}
    missing = [f"{one}/{name.format(one)}" for one, path in paths.items() if path is None]
    if missing:
        raise UsageError(
            f"{folder} has no {', '.join(missing)}; give the folder of KdConv's repository, or one domain with "
            "--option domain=NAME"
        )
    contents: list[Content] = []
    problems: list[Problem] = []
    for one, path in paths.items():
        assert path is not None
        try:
            contents.append(read(path))
        except FormatError as error:
            place = f"{one}/{path.name}"
            problems += [
                msgspec.structs.replace(found, place=f"{place}: {found.place}" if found.place else place)
                for found in error.problems
            ]
    if problems:
        raise FormatError(folder, capped(problems))
    return contents


def _find(folder: Path, domain: str, name: str) -> Path | None:
    places = [folder / "data" / domain, folder / domain, *([folder] if folder.name == domain else [])]
    return next((path for place in places for path in (place / name, place / f"{name}.gz") if path.is_file()), None)
