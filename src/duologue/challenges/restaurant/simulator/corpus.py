"""Generation of simulated corpora: official data and truth files, knowledge bases, recipe and manifest."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.challenges.restaurant.formats.domain_file import write_domain
from duologue.challenges.restaurant.formats.file_names import SUBTASKS, FileName
from duologue.challenges.restaurant.knowledge.facts import kb_lines
from duologue.challenges.restaurant.schema.domain import RESTAURANT
from duologue.challenges.restaurant.schema.ontology import PART_SHAPES, PARTS
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.challenges.restaurant.simulator.row_generator import simulate
from duologue.challenges.restaurant.simulator.shards import RowShardGenerator
from duologue.core import disk
from duologue.core.manifest import MANIFEST_NAME, CorpusManifest, corpus_key
from duologue.core.recipe import dump, expected
from duologue.core.shards import generate_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from duologue.challenges.restaurant.schema.domain import Domain
    from duologue.core.protocols import Progress
    from duologue.core.records import Fact, Record

__all__ = ["generate", "simulate"]

SHARD_ROWS = 250
"""Rows per shard."""
_VERSION = 1
"""To be raised when the same recipe and seed give other bytes."""
RECIPE_NAME = "generate.toml"
"""Where the resolved recipe is saved, in a form that can be given as a recipe again, with the seed in a comment."""


class PlannedFile(NamedTuple):
    """One data file to be made, with its truth file unless it is for training."""

    part: str
    subtask: int
    n: int
    data: Path
    truth: Path | None

    @property
    def paths(self) -> tuple[Path, ...]:
        """The data file, and the truth file where there is one."""
        return (self.data,) if self.truth is None else (self.data, self.truth)


def generate(recipe: Record, seed: int, out: Path, *, workers: int, progress: Progress | None) -> list[Path]:
    """Write the corpus of a recipe (a `Generation`) below `out` and return the paths of all its files.

    `train/` and `tst1/` to `tst4/` get official data files, the test folders also truth files, `out` the knowledge
    bases `extendedkb1.txt` and `extendedkb2.txt` as far as they are needed, and the resolved recipe with the seed. For
    another domain than the challenge's, `domain1.toml` and `domain2.toml` describe it with each of the bases.
    The bytes depend on the recipe and the seed alone. Files that a stopped run completed are kept, what a killed
    one left half-written is removed. Raises `UsageError` when the recipe allows no such dialogues or the folder
    holds another corpus, `FormatError` for a knowledge base file, `StorageError` for what the disk refuses.
    """
    recipe = expected(recipe, Generation)
    maker = RowShardGenerator(recipe, seed)
    planned = plan_files(recipe, out, unseen=maker.domain.unseen is not None)
    bases = sorted({PART_SHAPES[one.part][0] for one in planned})
    manifest = CorpusManifest(out, _key(recipe, seed, [maker.facts(kb) for kb in bases], maker.domain))
    kb_paths = {kb: out / f"extendedkb{kb}.txt" for kb in bases}
    domain_paths = {kb: out / f"domain{kb}.toml" for kb in bases if maker.own}
    manifest.check_planned(
        [
            out / RECIPE_NAME,
            *domain_paths.values(),
            *kb_paths.values(),
            *(path for one in planned for path in one.paths),
        ]
    )
    for one in planned:
        maker.rows(one.part, one.subtask)  # what is impossible is said before anything is written
    manifest.begin(
        [
            *(out / RECIPE_NAME, out / MANIFEST_NAME, *domain_paths.values(), *kb_paths.values()),
            *(path for one in planned for path in one.paths),
        ]
    )
    disk.write_text(out / RECIPE_NAME, f"# The recipe of this corpus; its seed is {seed}.\n{dump(recipe)}")
    manifest.add_beside(out / RECIPE_NAME)
    for kb, path in kb_paths.items():
        if not manifest.is_complete(path):
            text = kb_lines(maker.facts(kb)).encode()
            manifest.spare(path, disk.sha256(text))
            disk.write_bytes(path, text)
            manifest.add(path, disk.sha256(text))
    for kb, path in domain_paths.items():
        write_domain(maker.domain, path, kb, kb_paths[kb].name)
        manifest.add_beside(path)
    missing = [one for one in planned if not all(map(manifest.is_complete, one.paths))]
    del maker
    sizes = [((one.part, one.subtask), one.n) for one in missing]
    make = partial(RowShardGenerator, recipe, seed)
    with closing(generate_parts(make, sizes, size=SHARD_ROWS, workers=workers, progress=progress)) as made:
        for one, pieces in zip(missing, made, strict=True):
            _write(one, pieces, manifest)
    return [*domain_paths.values(), *kb_paths.values(), *(path for one in planned for path in one.paths)]


def _key(recipe: Generation, seed: int, facts: Iterable[Sequence[Fact]], domain: Domain) -> str:
    """Return the key of a corpus: its recipe without the limits, the seed, the domain and the knowledge bases."""
    plain = msgspec.structs.replace(recipe, part="all", subtask=0, n=0, train_dialogs=1, test_dialogs=1, kb1="", kb2="")
    plain = msgspec.structs.replace(
        plain, domain=None if domain == RESTAURANT else msgspec.json.encode(domain).decode()
    )
    lines = (f"{fact.subject}|{fact.relation}|{fact.object}" for base in facts for fact in base)
    return corpus_key(_VERSION, recipe=plain, seed=seed, sources=lines)


def plan_files(recipe: Generation, out: Path, *, unseen: bool = True) -> list[PlannedFile]:
    """Return the data files that a recipe asks for, in the order in which they are made.

    All parts of a domain without an unseen slot are those that need none.
    """
    every = [part for part in PARTS if unseen or not PART_SHAPES[part][1]]
    parts = every if recipe.part == "all" else [recipe.part]
    subtasks = (recipe.subtask,) if recipe.subtask else tuple(SUBTASKS)
    planned = []
    for part in parts:
        kb, extra = PART_SHAPES[part]
        train = part == "train"
        n = recipe.n or (recipe.train_dialogs if train else recipe.test_dialogs)
        for subtask in subtasks:
            name = FileName(subtask=subtask, kb=kb, restrictions=extra, split="trn" if train else "tst", n=n)
            data = out / part / str(name)
            truth = None if train else data.with_suffix(".answers.json")
            planned.append(PlannedFile(part, subtask, n, data, truth))
    return planned


def _write(one: PlannedFile, pieces: Iterator[tuple[bytes, ...]], manifest: CorpusManifest) -> None:
    """Write a data file and its truth file from pieces, and enter them."""
    hashes = [hashlib.sha256() for _ in one.paths]
    with ExitStack() as stack:
        files = [stack.enter_context(disk.replacing(path)) for path in one.paths]
        joint = b"["
        for piece in pieces:
            for file, content, digest in zip(files, piece, hashes, strict=False):  # training has no truth
                file.write(joint)
                file.write(content)
                digest.update(joint)
                digest.update(content)
            joint = b", "
        for file, digest in zip(files, hashes, strict=True):
            file.write(b"]")
            digest.update(b"]")
        for path, digest in zip(one.paths, hashes, strict=True):  # all are looked at before any is put in its place
            manifest.spare(path, digest.hexdigest())
    for path, digest in zip(one.paths, hashes, strict=True):
        manifest.add(path, digest.hexdigest())
