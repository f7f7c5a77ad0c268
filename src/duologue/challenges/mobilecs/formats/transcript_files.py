"""Files of transcripts that paths mean: files as they are, and what reads as transcripts in folders and archives."""

from __future__ import annotations

import logging
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.formats import transcript_cues, transcript_json, transcript_tables
from duologue.challenges.mobilecs.formats.transcripts import PackedTranscript
from duologue.core.amounts import amount
from duologue.core.archives import is_archive, members
from duologue.core.binary_files import is_office_name
from duologue.core.disk import resolved
from duologue.core.errors import UsageError
from duologue.core.folder_files import all_files, lies_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LOG = logging.getLogger(__name__)
_SUFFIXES = (".txt", *transcript_tables.SUFFIXES, *transcript_json.SUFFIXES, *transcript_cues.SUFFIXES)
_PACKED = {".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar"}
"""What is not looked into where it lies in an archive."""


def transcript_files(paths: Sequence[Path], out: Path) -> list[Path | PackedTranscript]:
    """Return the files that paths mean, those of folders and archives in the order of their names.

    `out` is what will be written. Raises `UsageError` for a file that is given twice, a folder or archive without
    transcripts, a folder that holds `out`, an archive in an archive, and a transcript in two forms, as recognisers
    write them: its calls would be there twice. Raises `FormatError` as `archives.members` does.
    """
    found: dict[Path, Path | PackedTranscript] = {}
    for path in paths:
        for file in _meant(path, out):
            name = file.path if isinstance(file, PackedTranscript) else file
            if found.setdefault(resolved(name), file) is not file:
                raise UsageError(f"{name} is given twice, and its calls would be there twice; give it once")
    return list(found.values())


def _meant(path: Path, out: Path) -> Iterator[Path | PackedTranscript]:
    if path.is_dir():
        if lies_below(out, path):
            raise UsageError(f"{out} lies in {path}, where all is read as transcripts; choose an --out elsewhere")
        yield from (path / name for name in _transcripts(path, [file.relative_to(path) for file in all_files(path)]))
    elif path.is_file() and is_archive(path) and not is_office_name(path):  # a pipe is read once
        yield from _unpacked(path)
    else:
        yield path


def _unpacked(archive: Path) -> Iterator[PackedTranscript]:
    """Yield the transcripts of an archive, of which nothing is written to the disk: personal data are in them."""
    names: list[Path] = []

    def wanted(name: str) -> bool:
        names.append(Path(name))
        return not _hidden(names[-1]) and names[-1].suffix.lower() in _SUFFIXES

    contents = {Path(name): data for name, data in members(archive, wanted)}
    inner = next((name for name in sorted(names) if not _hidden(name) and name.suffix.lower() in _PACKED), None)
    if inner is not None:
        raise UsageError(f"{archive} holds {inner}, which is packed once more; unpack that, and give what is in it")
    for name in _transcripts(archive, sorted(names)):
        yield PackedTranscript(archive / name, contents[name])


def _transcripts(place: Path, names: Sequence[Path]) -> list[Path]:
    """Return those names in a folder or archive that end as transcripts do, and tell what else is there."""
    seen = [name for name in names if not _hidden(name)]
    files = [name for name in seen if _suffix(name) in _SUFFIXES]
    if not files:
        raise UsageError(f"{place} holds no transcripts; expected files that end in {', '.join(_SUFFIXES)}")
    forms: dict[Path, Path] = {}
    for file in files:
        name = file.with_name(file.name.removesuffix(".gz")).with_suffix("")
        if (other := forms.setdefault(name, file)) is not file:
            raise UsageError(
                f"{place / other} and {file.name} look like one transcript in two forms, whose calls would be there "
                f"twice; give the files of one form, such as {(place / file).parent}/*{_suffix(file)}"
            )
    others = Counter(_suffix(name) or name.name for name in seen if _suffix(name) not in _SUFFIXES)
    if others:
        told = ", ".join(name for name, _ in others.most_common(5))
        _LOG.warning("%s: %s left out, which end otherwise: %s", place, amount(others.total(), "file"), told)
    return files


def _hidden(name: Path) -> bool:
    return any(part[0] == "." for part in name.parts)


def _suffix(file: Path) -> str:
    return file.with_name(file.name.removesuffix(".gz") or file.name).suffix.lower()
