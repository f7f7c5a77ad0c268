"""Model card of `grounded`: what a saved model keeps beside its weights."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # a record's annotations are read at run time

import msgspec

from duologue.challenges.spoken.systems.grounded.encoder import RankerVocabulary  # a record's annotations are read
from duologue.challenges.spoken.systems.grounded.triple_choice import ValueSelector  # a record's annotations are read
from duologue.core.disk import read_bytes, write_bytes
from duologue.core.errors import StorageError
from duologue.core.records import Record


class GroundedCard(Record, frozen=True, kw_only=True):
    """Vocabulary, value selector, corpus counts and provenance."""

    words: RankerVocabulary
    values: ValueSelector
    common: dict[str, int]
    """See `features.CorpusCounts`."""
    attributes: dict[str, int]
    seen: str

    def save(self, path: Path) -> None:
        """Write the card as JSON."""
        write_bytes(path, msgspec.json.encode(self))

    @classmethod
    def load(cls, path: Path) -> GroundedCard:
        """Return a saved card; raises `StorageError` when it is missing or damaged."""
        try:
            return msgspec.json.decode(read_bytes(path), type=cls)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StorageError(f"{path} is no part of a saved model ({error}); train it again") from error
