"""Vocabulary and provenance of a saved generator, kept beside its weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.core.disk import read_bytes, write_bytes
from duologue.core.errors import StorageError
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.challenges.conversation.formats.training_pairs import TrainingDialogue

WEIGHTS, CARD_FILE = "weights.safetensors", "words.json"
FALLBACK_REPLY = "please tell us more ."
"""Reply used when the generated one is empty after detokenization."""


class GeneratorCard(Record, frozen=True, kw_only=True):
    """Vocabulary and provenance."""

    words: list[str]
    """Vocabulary without the special tokens."""
    seen: str

    def save(self, folder: Path) -> None:
        """Write the card as JSON into `folder`."""
        write_bytes(folder / CARD_FILE, msgspec.json.encode(self))

    @classmethod
    def load(cls, folder: Path) -> GeneratorCard:
        """Read the card of a saved generator; raises `StorageError` when it is missing or damaged."""
        path = folder / CARD_FILE
        try:
            return msgspec.json.decode(read_bytes(path), type=cls)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StorageError(f"{path} is no part of a saved model ({error}); train it again") from error


def training_summary(talks: Sequence[TrainingDialogue]) -> str:
    """Return a description of the training data: numbers of replies and dialogues."""
    replies = sum(turn.speaker == "system" for talk in talks for turn in talk.turns[1:])
    return f"{replies} replies of {len(talks)} training dialogues"
