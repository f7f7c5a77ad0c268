"""Dataset walker: plain-text view and statistics of stores and dialogue text."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from duologue.challenges.conversation.formats import viewer
from duologue.challenges.conversation.formats.dialogue_lines import SPEAKERS
from duologue.core.dialogue_view import ROLES, DialogueView, UtteranceView
from duologue.core.disk import Source
from duologue.core.lines import Lines
from duologue.store.database import is_database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def dump(path: Path, write: Callable[[str], object]) -> None:
    """Write a store as the official viewer prints it, and dialogue text with its lines numbered by dialogue.

    Raises `StorageError` and `FormatError` for what cannot be read.
    """
    if _is_store(path):
        viewer.dump(path, write)
        return
    number, inside = 0, False
    for line in Lines(Source(path), unmarked=True):
        if line.strip() and not inside:
            number += 1
            write(f"--- {number} ---\n")
        inside = bool(line.strip())
        write(f"{line}\n")


def views(path: Path) -> Iterator[DialogueView]:
    """Yield each dialogue as a page shows it. Raises as `dump` does."""
    if _is_store(path):
        yield from viewer.views(path)
        return
    number = 0
    said: list[UtteranceView] = []
    for line in chain(Lines(Source(path), unmarked=True), [""]):
        if line.strip():
            said.append(_utterance(line))
        elif said:
            number += 1
            yield DialogueView(str(number), said)
            said = []


def _utterance(line: str) -> UtteranceView:
    speaker, _, text = line.partition(" ")
    if not speaker.endswith(":"):
        return UtteranceView("", line)
    return UtteranceView(speaker.rstrip(":"), text, played=ROLES.get(SPEAKERS.get(speaker, "")))


def statistics(path: Path) -> dict[str, int | float | list[str]]:
    """Return the statistics of a file or store. Raises as `dump` does."""
    if _is_store(path):
        return viewer.statistics(path)
    dialogues = utterances = words = longest = length = 0
    speakers: set[str] = set()
    for line in Lines(Source(path), unmarked=True):
        tokens = line.split()
        if not tokens:
            length = 0
            continue
        dialogues += length == 0
        length += 1
        utterances += 1
        words += len(tokens) - 1  # the first is the speaker, as in the official check of sizes
        longest = max(longest, length)
        speakers.add(tokens[0])
    return {
        "dialogues": dialogues,
        "utterances": utterances,
        "words": words,
        "longest": longest,
        "utterances_per_dialogue": utterances / dialogues if dialogues else 0.0,
        "words_per_utterance": words / utterances if utterances else 0.0,
        "speakers": sorted(speakers)[:20],
    }


def statistics_text(path: Path) -> str:
    """Return the statistics as lines of text. Raises as `dump` does."""
    return viewer.statistics_text(statistics(path))


def _is_store(path: Path) -> bool:
    if path.is_dir() or is_database(path):
        return True
    start = next(Source(path).pieces(), b"")
    return start.lstrip()[:1] == b"{"
