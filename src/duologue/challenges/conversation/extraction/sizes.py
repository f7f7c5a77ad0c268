"""Size check of extracted training and development text against the organisers' figures, as their tool prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.core.errors import UsageError
from duologue.core.lines import read

if TYPE_CHECKING:
    from pathlib import Path


class Sizes(NamedTuple):
    """Sizes of a dialogue file."""

    dialogs: int
    """Empty lines: a missing last one loses a dialogue, two in a row add one."""
    utters: int
    words: int
    """White-space tokens without the speaker mark."""


TRAIN = Sizes(888_201, 2_157_389, 40_073_702)
DEV = Sizes(107_506, 262_228, 4_900_743)
"""The organisers' figures; specification, section 2.5."""
_RULE = "-" * 52
_CLOSING = (
    f"{_RULE}\nIf the data size differences are greater than 1%, \n"
    "please contact the track organizers (chori@merl.com, thori@merl.com)\n"
    f"with the above information.\n{_RULE}\n"
)


def count(path: Path) -> Sizes:
    """Return the sizes of a dialogue file. Raises `StorageError` and `FormatError` for what cannot be read."""
    dialogs = utters = words = 0
    for line in read(path):
        tokens = len(line.split())
        dialogs += not tokens
        utters += tokens > 0
        words += max(0, tokens - 1)
    return Sizes(dialogs, utters, words)


def differences(found: Sizes, reference: Sizes) -> list[float]:
    """Return the difference of each size from its reference, in percent of the size, as the official check has it.

    Raises `UsageError` where a size is 0; the official check crashes.

    >>> differences(Sizes(100, 300, 1000), Sizes(110, 300, 900))
    [10.0, 0.0, 10.0]
    """
    if not all(found):
        raise UsageError("a file without dialogues, utterances or words cannot be compared; is it dialogue text?")
    return [abs(one - other) / other * 100 for one, other in zip(reference, found, strict=True)]


def printed(train: Sizes, dev: Sizes) -> str:
    """Return what the official check prints. Raises as `differences` does."""
    lines = []
    for title, found, reference in (("train", train, TRAIN), ("dev", dev, DEV)):
        lines.append(f"--- {title} set ---")
        lines += [
            f"n_{name}: {size} ({off:.2f} % difference from reference: {wanted})"
            for name, size, off, wanted in zip(
                Sizes._fields, found, differences(found, reference), reference, strict=True
            )
        ]
    return "".join(f"{line}\n" for line in lines) + _CLOSING
