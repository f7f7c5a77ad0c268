"""A call as the agent sees it at one turn: what both sides have said, and the pieces of the knowledge base."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.schema.ontology import CONSULT, NOISE
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME, base_with_names, pieces_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from duologue.challenges.mobilecs.systems.agent.kb_pieces import Base, KbPiece
    from duologue.core.records import Sample

_KEPT = 10_000
"""Utterances of which it is kept what they tell: an agent sees all of a call at each turn."""
_MASK = "#"
_BREAKS = str.maketrans("", "", f"{NOISE}，,。")


class SpokenValue(NamedTuple):
    """Where a value or name of the base stands in a text."""

    start: int
    end: int
    pieces: tuple[int, ...]
    """Pieces that have it."""


class PieceReader:
    """Finds what texts tell of the pieces of one base; each utterance is looked through once, not in every turn."""

    def __init__(self, pieces: Sequence[KbPiece]) -> None:
        self.pieces = pieces
        self.surfaces: dict[str, list[int]] = {}
        for number, piece in enumerate(pieces):
            for value in piece.values if piece.owner != CONSULT else ():
                self.surfaces.setdefault(value.lower(), []).append(number)
        self._longest_first = sorted(self.surfaces, key=lambda one: (-len(one), one))
        self._told: dict[str, set[int]] = {}

    def spoken(self, text: str) -> list[SpokenValue]:
        """Return the values and names in a text, as `CallView.spoken` does."""
        folded = text.lower()
        taken: list[SpokenValue] = []
        if len(folded) != len(text):  # letters whose lower case is longer: places would not agree
            return taken
        for surface in self._longest_first:
            start = folded.find(surface)
            while start >= 0:
                end = start + len(surface)
                if all(end <= one.start or start >= one.end for one in taken):
                    taken.append(SpokenValue(start, end, tuple(self.surfaces[surface])))
                start = folded.find(surface, end)
        return sorted(taken)

    def told_in(self, text: str) -> set[int]:
        """Return the pieces that a text tells, as `CallView.told_in` does; the set is shared."""
        told = self._told.get(text)
        if told is None:
            if len(self._told) >= _KEPT:
                self._told.clear()
            told = self._told[text] = self._find_told(text)
        return told

    def _find_told(self, text: str) -> set[int]:
        told = {number for one in self.spoken(text) for number in one.pieces}
        named = {name for number in told for name in self.pieces[number].values if self.pieces[number].slot == NAME}
        for number, piece in enumerate(self.pieces):
            if piece.owner == CONSULT and named & set(piece.values):
                told.add(number)
        return told


@lru_cache(maxsize=4_096)
def _reader_of(pieces: tuple[KbPiece, ...]) -> PieceReader:
    return PieceReader(pieces)


class CallView:
    """What was said so far, user and staff in turns, and what the base could tell now."""

    def __init__(
        self, said: Sequence[tuple[str, str]], last: str, base: Base, pieces: list[KbPiece] | None = None
    ) -> None:
        """Take the earlier turns (user, staff), the user's last utterance, and the base, with its pieces if known."""
        self.base, self.last = base, last
        self.users = [user for user, _ in said]
        self.staff = [reply for _, reply in said]
        self.pieces: list[KbPiece] = pieces_of(base) if pieces is None else pieces

    @classmethod
    def of(cls, sample: Sample, base: Base | None = None) -> CallView:
        """Return the view of a sample, whose history has the system's own replies; `base` stands in for its own."""
        said: list[tuple[str, str]] = []
        for turn in sample.history:
            if turn.speaker == "user":
                said.append((turn.text, ""))
            elif said:
                said[-1] = (said[-1][0], turn.text)
        last = said.pop()[0] if said else ""
        return cls(said, last, base_with_names(sample.knowledge) if base is None else base)

    def before(self, turn: int) -> CallView:
        """Return the view that there was at an earlier turn."""
        said = list(zip(self.users[:turn], self.staff[:turn], strict=True))
        return CallView(said, self.users[turn], self.base, self.pieces)

    def without(self, owners: Collection[str]) -> CallView:
        """Return the view with a base that does not have some entities."""
        base = {key: slots for key, slots in self.base.items() if key not in owners}
        return CallView(list(zip(self.users, self.staff, strict=True)), self.last, base)

    @property
    def turn(self) -> int:
        """Number of earlier turns."""
        return len(self.users)

    @cached_property
    def _reader(self) -> PieceReader:
        return _reader_of(tuple(self.pieces))

    @property
    def surfaces(self) -> dict[str, list[int]]:
        """Pieces by the lower-cased names and values that tell them; types are told by names."""
        return self._reader.surfaces

    def spoken(self, text: str) -> list[SpokenValue]:
        """Return the values and names in a text, longest first, none inside another; in the order of the text."""
        return self._reader.spoken(text)

    @cached_property
    def masked(self) -> str:
        """The last utterance in lower case, without breaks, each name and value of the base as one mark."""
        parts, end = list[str](), 0
        for one in self.spoken(self.last):
            parts += [self.last[end : one.start], _MASK]
            end = one.end
        return "".join([*parts, self.last[end:]]).lower().translate(_BREAKS)

    def unsaid(self, replies: Sequence[str]) -> str:
        """Return the first of several wordings that the staff have not used in the call; in turn, where all are."""
        return next((one for one in replies if one not in self.staff), replies[self.turn % len(replies)])

    def told_in(self, text: str) -> set[int]:
        """Return the pieces that a text tells: those with a value in it, and types of which it names an entity."""
        return self._reader.told_in(text)

    @cached_property
    def told_before(self) -> list[set[int]]:
        """Pieces that each earlier reply told."""
        return [self.told_in(reply) for reply in self.staff]

    @cached_property
    def said_before(self) -> list[set[int]]:
        """Pieces that each earlier utterance of the user has."""
        return [self.told_in(utterance) for utterance in self.users]

    @cached_property
    def said_now(self) -> set[int]:
        """Pieces that the last utterance has."""
        return self.told_in(self.last)

    @cached_property
    def given_now(self) -> set[int]:
        """Pieces of which the last utterance has all that could be told: every value."""
        folded = self.last.lower()
        return {
            number
            for number in self.said_now
            if self.pieces[number].owner != CONSULT
            and all(value.lower() in folded for value in self.pieces[number].values)
        }
