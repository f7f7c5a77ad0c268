"""Evaluation samples drawn from a dialogue file, as the official sampling tool draws them (specification, 2.4)."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from duologue.core import disk, lines
from duologue.core.errors import UsageError
from duologue.corpus.shuffle import first

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

SEED = 99


def candidates(text: Iterable[str]) -> Iterator[list[str]]:
    """Yield every prefix of a dialogue of two lines or more that ends with the system.

    Lines are stripped; an empty line ends a dialogue. A list that was yielded grows with the next line.

    >>> [sample[-1] for sample in candidates(["U: a", "S: b", "U: c", "S: d", "", "S: e", "S: f"])]
    ['S: b', 'S: d', 'S: f']
    """
    dialogue: list[str] = []
    for raw in text:
        line = raw.strip()
        if not line:
            dialogue = []
            continue
        dialogue.append(line)
        if len(dialogue) > 1 and line.startswith("S:"):
            yield dialogue


def sample(source: Path, wanted: int, out: Path, *, seed: int = SEED) -> None:
    """Write the first `count` candidates of the shuffled list, an empty line after each.

    The file is read twice and never held. Raises `UsageError` where it has fewer candidates (the official tool
    crashes), `FormatError` and `StorageError` as reading does.
    """
    text = lines.read(source)
    total = sum(1 for _ in candidates(text))
    if total < wanted:
        raise UsageError(
            f"{source} has {total:,} dialogues or beginnings of dialogues that end with the system, but {wanted:,} "
            "samples were asked for; ask for fewer or give more data"
        )
    chosen = {number: place for place, number in enumerate(first(total, wanted, random.Random(seed)))}
    found = [""] * wanted
    for number, lines_so_far in enumerate(candidates(text)):
        if number in chosen:
            found[chosen[number]] = "".join(f"{line}\n" for line in lines_so_far) + "\n"
    disk.write_text(out, "".join(found))
