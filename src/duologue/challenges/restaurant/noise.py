"""Noisy copies of data files: the user's turns as speech would bring them, candidates and facts as they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant.formats import files
from duologue.core.errors import FormatError
from duologue.core.records import Problem

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.text.noise.speech_channel import SpeechChannel


def distort(path: Path, out: Path, channel: SpeechChannel) -> int:
    """Write a data file with noise on the user's turns; return how many utterances changed.

    Raises `FormatError` for a truth file, which has no utterances, and as `files.load` does.
    """
    rows, changed = [], 0
    for example in files.load(path):
        row = example.source
        if not isinstance(row, dict) or "utterances" not in row:
            message = "this is a file of answers; expected a data file with utterances and candidates"
            raise FormatError(path, [Problem(rule="other-file", message=message)])
        texts = [turn.text for turn in channel.example(example).sample.history]
        changed += sum(one != other for one, other in zip(row["utterances"], texts, strict=True))
        rows.append({**row, "utterances": texts})
    files.write_data(rows, out)
    return changed
