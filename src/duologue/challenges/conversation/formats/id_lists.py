"""Lists of post ids, such as that of the official test set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.conversation.formats import posts
from duologue.core import disk
from duologue.core.errors import FormatError
from duologue.core.lines import Lines
from duologue.core.problems import capped
from duologue.core.records import Problem

if TYPE_CHECKING:
    from pathlib import Path


def read_post_ids(path: Path) -> list[int]:
    """Read the distinct ids of a list, ascending: the challenge's JSON (turns per dialogue), or one id per line.

    Lines that start with `#` are remarks. Raises `FormatError` with all lines that hold no id.
    """
    text, _ = disk.decode_text(disk.read_bytes(path), path)
    if text.lstrip().startswith("["):
        return sorted({one for turns in posts.read_ids(path) for turn in turns for one in turn.ids})
    lines = [line.strip() for line in Lines(text.encode()) if line.strip() and not line.startswith("#")]
    problems = capped(
        Problem(rule="id-line", place=f"line {number}", message=f"found {line[:40]!r}, expected one decimal id")
        for number, line in enumerate(lines, start=1)
        if not (line.isascii() and line.isdigit() and len(line) < 20)
    )
    if problems:
        raise FormatError(path, problems)
    return sorted(set(map(int, lines)))
