"""Extraction of dialogue text from an OpenSubtitles archive, end to end."""

from __future__ import annotations

import math
import shutil
from typing import TYPE_CHECKING

from duologue.challenges.conversation.extraction import evaluation_samples
from duologue.challenges.conversation.extraction.subtitles import duplicates, pairs, utterances
from duologue.challenges.conversation.extraction.subtitles.pairs import PARTS
from duologue.challenges.conversation.extraction.subtitles.utterances import Extraction, ExtractionSummary
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.own_files import own_files
from duologue.core.records import Record
from duologue.core.sums import added
from duologue.corpus import archives

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.challenges.conversation.extraction.subtitles.pairs import PairLayout, PairSplit
    from duologue.core.protocols import Progress

OFFICIAL, BY_MOVIE = "official", "by-movie"
KEEP, EXACT, NEAR = "keep", "exact", "near"


class SubtitleProfile(Record, frozen=True, kw_only=True):
    """Extraction settings; the defaults are those of profile `by-movie`."""

    name: str = BY_MOVIE
    ratios: tuple[float, ...] = (0.9, 0.1)
    """Shares of train, dev and test: of movies, or in the official split of files and then of pairs."""
    max_length: int = 20
    """Sentences of this many words or more are excluded."""
    duplicates: str = EXACT
    """`keep`; `exact`: the first of equal pairs stays; `near`: also of pairs with the same letters and digits, and
    of files with mostly the same sentences."""
    leaks: bool = False
    """Whether a pair of dev or test may also be in a part before it."""
    samples: int = 0
    """Number of evaluation samples drawn from dev."""


DEFAULTS = {
    BY_MOVIE: SubtitleProfile(),
    OFFICIAL: SubtitleProfile(name=OFFICIAL, ratios=(0.1, 0.001), duplicates=KEEP, leaks=True),
}
"""The official shares are those of the challenge's trial data: about 30 million and 300 thousand dialogues."""


class Made(Record, frozen=True, kw_only=True):
    """Result of an extraction."""

    files: int
    """Files of the archive."""
    summary: ExtractionSummary
    written: dict[str, int]
    """Pairs by part."""
    copies: int = 0
    """Dropped duplicates."""


def check(profile: SubtitleProfile) -> None:
    """Raise `UsageError` for an inconsistent profile."""
    if profile.name not in DEFAULTS:
        raise UsageError(f"no profile '{profile.name}'{did_you_mean(profile.name, DEFAULTS)}")
    if not 1 <= len(profile.ratios) <= len(PARTS) or not all(0 < ratio < math.inf for ratio in profile.ratios):
        raise UsageError(
            f"expected 1 to {len(PARTS)} ratios above 0 ({', '.join(PARTS)}), "
            f"found {', '.join(map(str, profile.ratios))}"
        )
    if not math.isfinite(added(profile.ratios)):
        raise UsageError(f"the ratios {', '.join(map(str, profile.ratios))} add up to more than can be counted")
    if profile.name == BY_MOVIE and added(profile.ratios) > 1 + 1e-9:
        raise UsageError(f"the ratios of movies add up to {added(profile.ratios):g}; at most 1 is possible")
    if profile.duplicates not in {KEEP, EXACT, NEAR}:
        raise UsageError(f"no choice '{profile.duplicates}'{did_you_mean(profile.duplicates, (KEEP, EXACT, NEAR))}")
    if profile.samples and len(profile.ratios) < 2:
        raise UsageError("evaluation samples are drawn from dev; give it a ratio too")


def extract(
    source: Path,
    out: Path,
    profile: SubtitleProfile,
    how: Extraction | None = None,
    *,
    workers: int = 1,
    engine: str = "processes",
    address: str | None = None,
    say: Callable[[str], None] = lambda _: None,
    progress: Progress | None = None,
) -> Made:
    """Write `train.txt`, `dev.txt`, ... and where asked `eval.txt` in `out`, from a folder or an archive.

    `say` gets the lines that the official tool prints. The utterances stay in `out/utterances`, as Parquet; a run
    that was stopped goes on with them, and so does one with other ratios of the same files. The bytes depend neither
    on the number of workers nor on the engine nor on the order of files. Raises `UsageError`, also where one of these
    names is a file that was not extracted so, `StorageError`,
    `FormatError` for a damaged archive, and what `map_shards` raises.
    """
    check(profile)
    outputs = [out / f"{part}.txt" for part in PARTS[: len(profile.ratios)]]
    samples = out / "eval.txt"
    with own_files(out, [*outputs, *([samples] if profile.samples else [])]):
        made = _extract(
            source, out, outputs, profile, how or Extraction(),
            workers=workers, engine=engine, address=address, say=say, progress=progress,
        )  # fmt: skip
        if profile.samples:
            evaluation_samples.sample(outputs[1], profile.samples, samples)
    return made


def _extract(
    source: Path,
    out: Path,
    outputs: list[Path],
    profile: SubtitleProfile,
    how: Extraction,
    *,
    workers: int,
    engine: str,
    address: str | None,
    say: Callable[[str], None],
    progress: Progress | None,
) -> Made:
    official = profile.name == OFFICIAL
    archive = archives.open_archive(source)
    say(f"collecting files from {source}")
    found, members = utterances.find(archive, added(profile.ratios) if official else 1.0, official=official)
    say(f"loading text from {len(found.order)}/{len(found.names)} files")
    shards = utterances.extract(
        archive, members, found, out / "utterances", how,
        workers=workers, engine=engine, address=address, progress=progress,
    )  # fmt: skip
    files = len(found.names)
    summary, counts = utterances.summarise(shards, files)
    layout = pairs.lay_out(found.order, counts)
    say(f"{layout.length} sentences loaded")
    split = (
        pairs.official_split(layout.length, profile.ratios)
        if official
        else pairs.split_by_movie(layout, found.names, profile.ratios)
    )
    del archive, members, found  # the names of half a million files are 50 MB, which the shuffle can use
    work = out / ".duologue.work"
    _sweep(out, work)
    try:
        without = _copies(shards, layout, split, work, profile)
        written = pairs.write(
            shards, layout, split, outputs, work,
            max_length=profile.max_length, keep=without.others if without else None, say=say, progress=progress,
        )  # fmt: skip
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return Made(
        files=files,
        summary=summary,
        written=dict(zip(PARTS, written, strict=False)),
        copies=without.total if without else 0,
    )


def _sweep(out: Path, work: Path) -> None:
    """Remove partial files of a killed run."""
    shutil.rmtree(work, ignore_errors=True)
    for part in (*PARTS, "eval"):
        for left in out.glob(f".{part}.txt.*.part"):
            left.unlink(missing_ok=True)


def _copies(
    shards: list[Path], layout: PairLayout, split: PairSplit, work: Path, profile: SubtitleProfile
) -> duplicates.DuplicatePairs | None:
    if profile.duplicates == KEEP and profile.leaks:
        return None
    return duplicates.find(
        shards, layout, split, work,
        max_length=profile.max_length, duplicates=profile.duplicates != KEEP, leaks=not profile.leaks,
        near=profile.duplicates == NEAR,
    )  # fmt: skip
