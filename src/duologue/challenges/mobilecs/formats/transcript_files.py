"""The files of transcripts that paths mean: files as they are, and what lies below folders and reads as transcripts."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.formats import transcript_cues, transcript_json, transcript_tables
from duologue.core.amounts import amount
from duologue.core.disk import resolved
from duologue.core.errors import UsageError
from duologue.core.folder_files import all_files, lies_below

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_LOG = logging.getLogger(__name__)
_SUFFIXES = (".txt", *transcript_tables.SUFFIXES, *transcript_json.SUFFIXES, *transcript_cues.SUFFIXES)


def transcript_files(paths: Sequence[Path], out: Path) -> list[Path]:
    """Return the files that paths mean, those of folders in the order of their names; `out` is what will be written.

    Raises `UsageError` for a file that is given twice, a folder without transcripts, one that holds `out`, and one with
    a transcript in two forms, as recognisers write them: its calls would be there twice.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        for file in _below(path, out) if path.is_dir() else [path]:
            if found.setdefault(resolved(file), file) is not file:
                raise UsageError(f"{file} is given twice, and its calls would be there twice; give it once")
    return list(found.values())


def _below(folder: Path, out: Path) -> list[Path]:
    if lies_below(out, folder):
        raise UsageError(f"{out} lies in {folder}, where all is read as transcripts; choose an --out elsewhere")
    seen = [file for file in all_files(folder) if not any(part[0] == "." for part in file.relative_to(folder).parts)]
    files = [file for file in seen if _suffix(file) in _SUFFIXES]
    if not files:
        raise UsageError(f"{folder} holds no transcripts; expected files that end in {', '.join(_SUFFIXES)}")
    forms: dict[Path, Path] = {}
    for file in files:
        name = file.with_name(file.name.removesuffix(".gz")).with_suffix("")
        if (other := forms.setdefault(name, file)) is not file:
            raise UsageError(
                f"{other} and {file.name} look like one transcript in two forms, whose calls would be there twice; "
                f"give the files of one form, such as {file.parent}/*{_suffix(file)}"
            )
    others = Counter(_suffix(file) or file.name for file in seen if _suffix(file) not in _SUFFIXES)
    if others:
        told = ", ".join(name for name, _ in others.most_common(5))
        _LOG.warning("%s: %s left out, which end otherwise: %s", folder, amount(others.total(), "file"), told)
    return files


def _suffix(file: Path) -> str:
    return file.with_name(file.name.removesuffix(".gz") or file.name).suffix.lower()
