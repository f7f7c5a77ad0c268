"""What a saved system that answers keeps beside its weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.core.disk import read_bytes, write_bytes
from duologue.core.errors import StorageError
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.challenges.conversation.formats.training_pairs import Talk

WEIGHTS, CARD = "weights.safetensors", "words.json"
NOTHING = "please tell us more ."
"""What is said where a network's reply has no word: only a mark of `pieces` could be one."""


class Card(Record, frozen=True, kw_only=True):
    """Words and provenance."""

    words: list[str]
    """Without the special ones."""
    seen: str

    def save(self, folder: Path) -> None:
        """Write the card as JSON into a folder."""
        write_bytes(folder / CARD, msgspec.json.encode(self))

    @classmethod
    def load(cls, folder: Path) -> Card:
        """Return the card saved in a folder; raises `StorageError` when it is missing or damaged."""
        path = folder / CARD
        try:
            return msgspec.json.decode(read_bytes(path), type=cls)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StorageError(f"{path} is no part of a saved model ({error}); train it again") from error


def seen_in(talks: Sequence[Talk]) -> str:
    """Return what a system saw, in words."""
    replies = sum(turn.speaker == "system" for talk in talks for turn in talk.turns[1:])
    return f"{replies} replies of {len(talks)} training dialogues"
