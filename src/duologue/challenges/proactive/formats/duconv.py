"""DuConv's own folder: `train.txt`, `dev.txt`, `test_1.txt` and `test_2.txt`, wherever its archive has put them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.errors import UsageError
from duologue.core.folder_files import all_files

if TYPE_CHECKING:
    from pathlib import Path

SPLITS = ("train", "dev", "test_1", "test_2")


def find_split(folder: Path, split: str) -> Path:
    """Return the file of a split in a folder, at any depth and packed or not.

    Raises `UsageError` where there is none, or several.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; give the one into which DuConv was unpacked")
    found = [path for path in all_files(folder) if path.name in {f"{split}.txt", f"{split}.txt.gz"}]
    if len(found) == 1:
        return found[0]
    told = f"has {len(found)} files" if found else "has no file"
    several = f" ({', '.join(str(path.relative_to(folder)) for path in found)})" if found else ""
    raise UsageError(
        f"{folder} {told} {split}.txt{several}, one is expected; name the folder that holds it, or another split with "
        f"--option split=NAME: {', '.join(SPLITS)}"
    )


def form_of(split: str) -> str:
    """Return the form of a split: whole sessions, or samples without a reply in the test files."""
    return "sample" if split.startswith("test") else "session"
