"""The utterances of a subtitle archive, extracted once and kept as Parquet.

Each row of a shard is one cleaned sentence with its file and its number of words. Which files belong to a shard
depends on the archive alone, never on the number of workers, so that a stopped run can go on with any number.
"""

from __future__ import annotations

import hashlib
import posixpath
import random
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from duologue.challenges.conversation.extraction.subtitles import cleaner, xml_scanner
from duologue.core import disk
from duologue.core.errors import UsageError
from duologue.core.own_files import demand_ours
from duologue.core.records import Record
from duologue.core.typed import convert
from duologue.core.version import __version__
from duologue.corpus import tables
from duologue.corpus.engine import finished, map_shards
from duologue.corpus.members import MemberData, Members, ShardPlan, divide, unpack
from duologue.corpus.shuffle import shuffle

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from duologue.challenges.conversation.extraction.subtitles.cleaner import Cleaned
    from duologue.core.protocols import Progress
    from duologue.corpus.archives import Archive

SEED = 99
"""Seed of all shuffles of the official tool."""
VERSION = 1
"""Version of the extraction: shards of other versions are rebuilt."""
SHARD = 4 << 20
"""Compressed bytes per shard; about 110,000 sentences."""
MIN_SHARD = 1 << 18
_SHARDS_WANTED = 64
"""Minimum number of shards of a small archive, so that several workers are busy."""
_UNPACKED = 8
"""Estimated compression ratio of the XML."""
_IDENTITY = re.compile(rb"\d+ \S+ [0-9a-f]{64}")
_ROOM = 31 << 20


class Extraction(Record, frozen=True, kw_only=True):
    """Extraction settings."""

    check_every: int = 128
    """Every so many files the fast way is compared with the strict parser and the plain rules; 0 for never."""


class SubtitleFiles(NamedTuple):
    """The files of an archive, and those selected."""

    names: list[str]
    """All of them in the official order: by depth, then by path. A file is called by its place in this list."""
    places: NDArray[np.int64]
    """Where each lies in the archive: (files,)."""
    order: NDArray[np.int64]
    """(chosen,) those that are read, in the shuffled order in which their sentences are counted."""


class ShardNotes(Record, frozen=True, kw_only=True):
    """What a shard says of its files."""

    files: tuple[tuple[int, int], ...]
    """Each file that could be read, and how many sentences it has."""
    skipped: tuple[tuple[str, str], ...]
    strictly: int
    checked: int
    differing: tuple[str, ...]

    def __post_init__(self) -> None:
        """Raise `ValueError` for numbers that no file and no sentences have."""
        if any(key < 0 or count < 0 for key, count in self.files):
            raise ValueError("it tells of less than no file or sentence")


class ShardSentences(NamedTuple):
    """Cleaned sentences of one shard."""

    texts: tables.PackedTexts
    tokens: NDArray[np.int32]
    files: list[tuple[int, int]]
    """Each file that could be read, and how many sentences it has."""


class ExtractionSummary(Record, frozen=True, kw_only=True):
    """Summary over all files."""

    read: int = 0
    """Files that could be read."""
    sentences: int = 0
    skipped: tuple[tuple[str, str], ...] = ()
    """Name and reason of each file that could not be read."""
    strictly: int = 0
    """Files of an unusual layout, which the strict parser read."""
    checked: int = 0
    """Files that were read both ways."""
    differing: tuple[str, ...] = ()
    """Files where the two ways differ; what the plain one says is used. Any of these is a fault to report."""


class Worker:
    """Worker: extracts the sentences of a shard's files."""

    def __init__(self, how: Extraction) -> None:
        self._how = how
        self._warm = False

    def __call__(self, parts: list[MemberData]) -> bytes:
        """Return the shard's Parquet file; files that cannot be read are named in its notes."""
        self._keep_memory()
        notes: dict[str, Any] = {"files": [], "skipped": [], "strictly": 0, "checked": 0, "differing": []}
        found: list[Cleaned] = []
        for part in parts:
            try:
                cleaned = self._one(part, notes)
            except ValueError as error:
                notes["skipped"].append([part.name, str(error)])
                continue
            notes["files"].append([part.key, len(cleaned.lengths)])
            found.append(cleaned)
        nothing = np.zeros(0, np.int32)
        texts = tables.PackedTexts.of(
            b"".join(cleaned.text for cleaned in found),
            np.concatenate([nothing, *(cleaned.lengths for cleaned in found)]),
        )
        keys, counts = np.array(notes["files"], np.int32).reshape(-1, 2).T
        columns = {
            "file": np.repeat(keys, counts),
            "tokens": np.concatenate([nothing, *(cleaned.tokens for cleaned in found)]),
        }
        return tables.dump(texts, columns, notes)

    def _one(self, part: MemberData, notes: dict[str, Any]) -> Cleaned:
        data = unpack(part)
        raw = xml_scanner.scan(data)
        quick = None if raw is None else cleaner.clean_lines(raw)
        check = self._how.check_every and part.key % self._how.check_every == 0
        if quick is not None and not check:
            return quick
        plain = cleaner.packed(cleaner.sentences(xml_scanner.parse(data)))
        notes["strictly"] += quick is None
        if quick is not None:
            notes["checked"] += 1
            if quick.text != plain.text or quick.lengths.tolist() != plain.lengths.tolist():
                notes["differing"].append(part.name)
        return plain

    def _keep_memory(self) -> None:
        """Keep freed memory in the process: returning pages to the system for each file takes half of the time.

        It learns from the largest block that it sees freed, up to 32 MiB.
        """
        if not self._warm:
            bytes(_ROOM)
            self._warm = True


def find(archive: Archive, share: float, *, official: bool) -> tuple[SubtitleFiles, Members]:
    """Return the files that the official tool reads, in its order, and the archive members.

    It lists the files, shuffles them and takes the first int(files x share). Raises `UsageError` when there is none.
    """
    members = archive.members(_is_subtitle)
    place_of = {_plain(name): place for place, name in enumerate(members.names)}
    # Of equal names in a tar the last one counts, as when it is unpacked.
    names = _as_official(list(place_of)) if official else list(place_of)
    names.sort()
    names.sort(key=_depth)  # stable; one key of two parts would take 100 bytes for each file
    if not names:
        raise UsageError(
            "no .xml or .xml.gz file was found; expected the XML release of OpenSubtitles, as OPUS has it "
            "(.../xml/en/YEAR/MOVIE/SUBTITLE.xml.gz)"
        )
    numbers = list(range(len(names)))
    shuffle(numbers, random.Random(SEED))
    places = np.fromiter((place_of[name] for name in names), np.int64, len(names))
    return SubtitleFiles(names, places, np.array(numbers[: int(len(names) * share)], np.int64)), members


def _is_subtitle(name: str) -> bool:
    return name.endswith((".xml", ".xml.gz")) and not any(part.startswith(".") for part in _plain(name).split("/"))


def _plain(name: str) -> str:
    plain = posixpath.normpath(name)
    return name if plain == name else plain  # half a million names need not be held twice


def _depth(name: str) -> int:
    return name.count("/")


def _as_official(names: list[str]) -> list[str]:
    """Return the files that the official tool finds: gzip files down to the third folder level.

    Where it would find none (the releases of 2018 and later, or a folder from further up) all are returned.
    """
    packed = [name for name in names if name.endswith(".gz")]
    return [name for name in packed if _depth(name) <= 2] or packed or names


def extract(
    archive: Archive,
    members: Members,
    found: SubtitleFiles,
    folder: Path,
    how: Extraction,
    *,
    workers: int = 1,
    engine: str = "processes",
    address: str | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Extract the utterances of the files into the folder and return its shards.

    Shards that are there already are kept if they are of the same files. Raises as `map_shards` does.
    """
    plan = _plan(members, found)
    identity = _identity(found, members, plan)
    _prepare(folder, identity, found.names)
    done = finished(folder)
    shards = archive.shards(plan, done)
    paths = []
    for path in map_shards(Worker(how), shards, folder, workers=workers, engine=engine, address=address):
        paths.append(path)
        if progress is not None:
            progress(len(paths), len(plan.shards), "extracting utterances")
    return paths


def _plan(members: Members, found: SubtitleFiles) -> ShardPlan:
    places = found.places[found.order]
    by_place = np.argsort(places)
    places = places[by_place]
    packed = np.array([members.names[place].endswith(".gz") for place in places.tolist()], bool)
    sizes = np.where(packed, members.sizes[places], members.sizes[places] // _UNPACKED + 1)
    target = min(SHARD, max(int(sizes.sum()) // _SHARDS_WANTED, MIN_SHARD))
    return ShardPlan(places, found.order[by_place], divide(sizes, target))


def _identity(found: SubtitleFiles, members: Members, plan: ShardPlan) -> str:
    """Return a hash of everything that determines the shards."""
    digest = hashlib.sha256(members.content)
    for name in found.names:
        digest.update(name.encode("utf-8", "surrogateescape") + b"\n")
    for values in (
        members.sizes[plan.places],
        plan.keys,
        np.array([stretch.stop for stretch in plan.shards], np.int64),
    ):
        digest.update(values.tobytes())
    return f"{VERSION} {__version__} {digest.hexdigest()}\n"


def _prepare(folder: Path, identity: str, names: list[str]) -> None:
    """Clear the folder unless it belongs to the same input. Raises `UsageError` where it holds files of others."""
    note = folder / "files.txt"
    begin = disk.read_bytes(note).partition(b"\n")[0] if note.is_file() else b""
    shards = [name for name in finished(folder) if name.startswith("part-")]
    if not _IDENTITY.fullmatch(begin):
        demand_ours(folder, [*sorted(shards), *([note.name] if begin else [])])
    for left in folder.glob(".*.part"):  # half-written, by a run that was killed
        left.unlink(missing_ok=True)
    if begin == identity.strip().encode():
        return
    for name in shards:  # before the note, which tells whose they are
        (folder / name).unlink()
    note.unlink(missing_ok=True)
    with disk.replacing(note) as out:
        out.write(identity.encode())
        for name in names:
            out.write(name.encode("utf-8", "surrogateescape") + b"\n")


def read(path: Path) -> ShardSentences:
    """Read a shard. Raises `StorageError` or `FormatError`."""
    table = tables.load(path, ("tokens",))
    with tables.understood(path):
        files = list(convert(table.meta, ShardNotes).files)
        if sum(count for _, count in files) != len(table.texts):
            raise ValueError(f"it tells of {sum(count for _, count in files):,} sentences, found {len(table.texts):,}")
    return ShardSentences(table.texts, table.columns["tokens"], files)


def summarise(paths: list[Path], files: int) -> tuple[ExtractionSummary, NDArray[np.int64]]:
    """Summarise the shards; also return the sentences per file, (files,), -1 for unread ones.

    Raises `StorageError` or `FormatError`.
    """
    counts = np.full(files, -1, np.int64)
    skipped: list[tuple[str, str]] = []
    differing: list[str] = []
    strictly = checked = 0
    for path in paths:
        meta = tables.notes(path)
        with tables.understood(path):
            notes = convert(meta, ShardNotes)
            if any(key >= files for key, _ in notes.files):
                raise ValueError(f"it tells of a file beyond the last of {files:,}")
        for key, count in notes.files:
            counts[key] = count
        skipped += notes.skipped
        differing += notes.differing
        strictly += notes.strictly
        checked += notes.checked
    return ExtractionSummary(
        read=int(np.count_nonzero(counts >= 0)),
        sentences=int(counts[counts >= 0].sum()),
        skipped=tuple(sorted(skipped)),
        strictly=strictly,
        checked=checked,
        differing=tuple(sorted(differing)),
    ), counts
