"""Generation of corpora: annotated and bare dialogues, track 2 data made of them, catalogue, recipe and manifest."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.challenges.mobilecs.simulator.call_generator import UNLABELLED
from duologue.challenges.mobilecs.simulator.catalogue import make_catalogue
from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe, sizes
from duologue.challenges.mobilecs.simulator.shards import JOINT, CallShardGenerator
from duologue.core import disk
from duologue.core.manifest import MANIFEST_NAME, CorpusManifest, corpus_key
from duologue.core.recipe import dump, expected
from duologue.core.shards import generate_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from duologue.core.protocols import Progress
    from duologue.core.records import Record

SHARD_CALLS = 100
"""Calls per shard."""
RECIPE_NAME, CATALOGUE_NAME = "generate.toml", "catalogue.json"
_VERSION = 3
"""To be raised when the same recipe and seed give other bytes."""


class PlannedPart(NamedTuple):
    """One part of the corpus and the files that hold it."""

    name: str
    n: int
    paths: tuple[Path, Path]
    """Annotated and track 2 data; of the bare part the dialogues and their hidden annotation."""


def generate(recipe: Record, seed: int, out: Path, *, workers: int, progress: Progress | None) -> list[Path]:
    """Write the corpus of a recipe (a `CallCorpusRecipe`) below `out` and return the paths of all its files.

    The bytes depend on the recipe and the seed alone. Parts that a stopped run completed are kept, what a killed one
    left half-written is removed. Raises `UsageError` when the folder holds another corpus, `StorageError` for what the
    disk refuses.
    """
    recipe = expected(recipe, CallCorpusRecipe)
    parts = plan_parts(recipe, out)
    catalogue = out / CATALOGUE_NAME
    paths = [catalogue, *(path for part in parts for path in part.paths)]
    manifest = CorpusManifest(out, corpus_key(_VERSION, recipe=recipe, seed=seed))
    manifest.check_planned([out / RECIPE_NAME, *paths])
    manifest.begin([out / RECIPE_NAME, out / MANIFEST_NAME, *paths])
    disk.write_text(out / RECIPE_NAME, f"# The recipe of this corpus; its seed is {seed}.\n{dump(recipe)}")
    manifest.add_beside(out / RECIPE_NAME)
    if not manifest.is_complete(catalogue):
        text = _lines(make_catalogue(seed, recipe.unseen_products))
        manifest.spare(catalogue, disk.sha256(text))
        disk.write_bytes(catalogue, text)
        manifest.add(catalogue, disk.sha256(text))
    missing = [part for part in parts if not all(map(manifest.is_complete, part.paths))]
    wanted = [(part.name, part.n) for part in missing]
    make = partial(CallShardGenerator, recipe, seed)
    with closing(generate_parts(make, wanted, size=SHARD_CALLS, workers=workers, progress=progress)) as made:
        for part, shards in zip(missing, made, strict=True):
            _write(part, shards, manifest)
    return paths


def plan_parts(recipe: CallCorpusRecipe, out: Path) -> list[PlannedPart]:
    """Return the parts of a corpus in the order in which they are made."""
    return [
        PlannedPart(name, n, (out / "unlabelled.json", out / "unlabelled.gold.json"))
        if name == UNLABELLED
        else PlannedPart(name, n, (out / "labelled" / f"{name}.json", out / "track2" / f"{name}.json"))
        for name, n in sizes(recipe).items()
    ]


def _lines(records: Sequence[Record]) -> bytes:
    return b"[\n" + JOINT.join(map(msgspec.json.encode, records)) + b"\n]"


class _ListWriter:
    """A JSON list that grows by joined rows, and the hash of its bytes."""

    def __init__(self, path: Path, stack: ExitStack) -> None:
        self.path, self.hash = path, hashlib.sha256()
        self._file = stack.enter_context(disk.replacing(path))
        self._joint = b"[\n"

    def add(self, rows: bytes) -> None:
        """Add rows, none if there are no bytes."""
        if rows:
            self._write(self._joint + rows)
            self._joint = JOINT

    def end(self) -> None:
        """Close the list."""
        self._write(b"\n]" if self._joint == JOINT else b"[]")

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self.hash.update(data)


def _write(part: PlannedPart, shards: Iterator[tuple[bytes, ...]], manifest: CorpusManifest) -> None:
    """Write the two files of a part and enter them."""
    with ExitStack() as stack:
        first, second = (_ListWriter(path, stack) for path in part.paths)
        last: list[bytes] = []
        for rows, others, *user_first in shards:
            first.add(rows)
            second.add(others)
            last += user_first
        for rows in last:
            second.add(rows)
        first.end()
        second.end()
        for one in (first, second):  # all are looked at before any is put in its place
            manifest.spare(one.path, one.hash.hexdigest())
    for one in (first, second):
        manifest.add(one.path, one.hash.hexdigest())
