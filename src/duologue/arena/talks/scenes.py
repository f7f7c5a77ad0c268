"""What a talk with a system is set in, as one text: the number that draws, and the file that is drawn from."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from duologue.core.errors import UsageError


class TalkScene(NamedTuple):
    """A seed and the file (knowledge base, graph or goals) that a talk is set in; `None`: what is built in."""

    seed: int
    place: Path | None = None

    def __str__(self) -> str:
        """Return it as one text.

        >>> print(TalkScene(3, Path("goals.jsonl")))
        3@goals.jsonl
        """
        return str(self.seed) if self.place is None else f"{self.seed}@{self.place}"


def read_scene(text: str) -> TalkScene:
    """Return the scene of a text. Raises `UsageError` for what is none."""
    seed, at, place = text.partition("@")
    if not (seed.isascii() and seed.isdigit()) or (at and not place):
        raise UsageError(f"'{text}' is no scene of a talk; expected a seed, or a seed and a file: 3@goals.jsonl")
    return TalkScene(int(seed), Path(place) if place else None)
