"""Where ConvLab-3's unified data format has its dialogues: `dialogues.json`, by itself, in a folder or in `data.zip`.

`data.zip` is the form that ConvLab-3 itself loads (`data/unified_datasets/NAME/data.zip`).
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from duologue.core.archives import is_archive, unpacked
from duologue.core.errors import FormatError
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ARCHIVE = "data.zip"
DIALOGUES = "dialogues.json"
_INSIDE = (f"data/{DIALOGUES}", DIALOGUES)
"""Where an archive has them."""
_BELOW = (DIALOGUES, f"data/{DIALOGUES}", ARCHIVE)
"""What a folder has of it."""


@contextmanager
def dialogues_file(path: Path) -> Iterator[Path]:
    """Give the file of dialogues of a folder or an archive; any other file is given as it is.

    What is raised of a file in an archive names both. Raises `FormatError` where there is none, and as
    `archives.members` does for an archive that is damaged or swells past the limits.
    """
    if path.is_dir():
        found = next((path / one for one in _BELOW if (path / one).is_file()), None)
        if found is None:
            raise _without(path, f"the folder has neither {DIALOGUES} nor {ARCHIVE}")
        path = found
    if not path.is_file() or not is_archive(path):  # a pipe is read once
        yield path
        return
    with unpacked(path, _INSIDE.__contains__) as folder:
        name = next((one for one in _INSIDE if (folder / one).is_file()), None)
        if name is None:
            raise _without(path, f"the archive has no {_INSIDE[0]}")
        try:
            yield folder / name
        except FormatError as error:
            raise FormatError(path / name, error.problems) from error


def _without(path: Path, message: str) -> FormatError:
    advice = f"give {DIALOGUES}, or the {ARCHIVE} of a data set of ConvLab-3"
    return FormatError(path, [Problem(rule="no-dialogues-file", message=message, advice=advice)])
