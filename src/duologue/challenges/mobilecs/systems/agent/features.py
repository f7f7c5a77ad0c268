"""Features of a turn and of each piece of the knowledge base: where it was named, said and told so far.

None tells the place of an entity in the base: official bases list entities in the order of the call, which a service
with a real one would not know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import CONSULT, COVERED_TYPES, ENTITY_TYPES, USER
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.call_view import CallView
    from duologue.challenges.mobilecs.systems.agent.kb_pieces import KbPiece

    Floats = NDArray[np.float32]

_KINDS = tuple(one.lower() for one in ENTITY_TYPES)
_FAR = 12
"""Turns after which a mention is as good as none."""
PIECE_FEATURES = (
    "is name",
    "is slot",
    "is of user",
    "is type",
    "named now",
    "length of the name",
    "likeness of the name",
    "most alike",
    "named by user, recency",
    "named by staff, recency",
    "in focus",
    "named by nobody",
    "said now",
    "said before, recency",
    "told before, recency",
    "told times",
    "told in last reply",
    "entities named now",
    "entities",
    "values",
    "length of the value",
    "all values said by user",
    "likeness of the value",
    "slots of the entity",
    "untold slots of the entity",
    "entities of the type",
    *(f"of type {kind}" for kind in _KINDS),
)
"""Names of the features of a piece, in their order."""
COREFERENCE = (
    "named by user, recency",
    "named by staff, recency",
    "in focus",
    "named by nobody",
    "said before, recency",
    "told before, recency",
    "told times",
    "told in last reply",
    "untold slots of the entity",
)
"""Features that look at earlier turns; without them a service is known only where it is named."""
STRUCTURE = ("likeness of the name", "likeness of the value", "most alike", "entities", "values")
"""Features that a reader of text has too."""
TURN_FEATURES = (
    "first turn",
    "second turn",
    "turn",
    "length",
    "short",
    "entities",
    "entities named now",
    "slots",
    "user slots",
    "untold pieces",
    "told pieces",
    "values said now",
    "nothing in the base",
    "question earlier",
)
"""Names of the features of a turn, in their order."""


def turn_features(view: CallView) -> Floats:
    """Return the features of a turn, in the order of `TURN_FEATURES`."""
    told = set().union(*view.told_before) if view.told_before else set()
    slots = [number for number, one in enumerate(view.pieces) if one.is_entity and one.slot != NAME]
    own = [number for number, one in enumerate(view.pieces) if one.owner == USER]
    named = {view.pieces[number].owner for number in view.said_now if view.pieces[number].slot == NAME}
    values = {number for number in view.said_now if view.pieces[number].slot != NAME}
    return np.array(
        [
            view.turn == 0,
            view.turn == 1,
            min(view.turn, 20) / 10,
            min(len(view.last), 60) / 20,
            len(view.last) <= 2,
            min(len({one.owner for one in view.pieces if one.is_entity}), 6) / 3,
            len(named) / 2,
            min(len(slots), 12) / 6,
            len(own) / 2,
            min(len({*slots, *own} - told), 12) / 6,
            min(len({*slots, *own} & told), 12) / 6,
            len(values) / 2,
            not view.pieces,
            any("吗" in one or "多少" in one or "什么" in one for one in view.users[-1:]),
        ],
        dtype=np.float32,
    )


def piece_features(view: CallView) -> Floats:
    """Return the features (c, f) of the pieces of a view, in the order of `PIECE_FEATURES`."""
    return _PieceFeatures(view).rows()


class _PieceFeatures:
    def __init__(self, view: CallView) -> None:
        self.view = view
        pieces = view.pieces
        self.owners = list(dict.fromkeys(one.owner for one in pieces if one.is_entity))
        by_owner: dict[str, list[int]] = {}
        for number, piece in enumerate(pieces):
            by_owner.setdefault(piece.owner, []).append(number)
        self.by_owner = by_owner
        self.kinds = {one.owner: one.kind for one in pieces}
        grams = _bigrams(view.last.lower())
        self.grams = grams
        self.named_now = {
            pieces[number].owner for number in view.said_now if pieces[number].slot == NAME and pieces[number].is_entity
        }
        self.likeness = {
            owner: max(_likeness(one, grams) for one in pieces[by_owner[owner][0]].names) for owner in self.owners
        }
        self.most = max(self.likeness.values(), default=0.0)
        self.user_named = {owner: self._recency(view.said_before, owner) for owner in self.owners}
        self.staff_named = {owner: self._recency(view.told_before, owner) for owner in self.owners}
        latest = {one: max(self.user_named[one], self.staff_named[one]) for one in self.owners}
        highest = max(latest.values(), default=0.0)
        self.focus = {one for one in self.owners if highest > 0 and latest[one] == highest}
        self.told = [number for told in view.told_before for number in told]

    def _recency(self, turns: Sequence[set[int]], owner: str) -> float:
        """Return 1 for a mention in the last of the turns, less for earlier ones, 0 for none."""
        mine = set(self.by_owner[owner])
        return _recency(turns, lambda told: bool(mine & told))

    def rows(self) -> Floats:
        if not self.view.pieces:
            return np.zeros((0, len(PIECE_FEATURES)), dtype=np.float32)
        return np.array([list(self._row(n, one)) for n, one in enumerate(self.view.pieces)], dtype=np.float32)

    def _row(self, number: int, piece: KbPiece) -> Iterable[float]:
        view, owner = self.view, piece.owner
        folded = view.last.lower()
        longest = max((len(one) for one in piece.names if one in folded), default=0)
        by_user, by_staff = self.user_named.get(owner, 0.0), self.staff_named.get(owner, 0.0)
        times = self.told.count(number)
        slots = [one for one in self.by_owner[owner] if view.pieces[one].slot != NAME]
        said = " ".join([*view.users, view.last]).lower()
        yield from (
            piece.slot == NAME and piece.is_entity,
            piece.slot != NAME and piece.is_entity,
            owner == USER,
            owner == CONSULT,
            owner in self.named_now,
            min(longest, 10) / 5,
            self.likeness.get(owner, 0.0),
            piece.is_entity and self.most > 0 and self.likeness[owner] == self.most,
            by_user,
            by_staff,
            owner in self.focus,
            piece.is_entity and not by_user and not by_staff and owner not in self.named_now,
            number in view.said_now,
            _recency(view.said_before, lambda told: number in told),
            _recency(view.told_before, lambda told: number in told),
            min(times, 3),
            bool(view.told_before) and number in view.told_before[-1],
            len(self.named_now) / 2,
            min(len(self.owners), 6) / 3,
            min(len(piece.values), 6) / 3,
            min(len(piece.values[0]), 24) / 12,
            all(value.lower() in said for value in piece.values),
            max(_likeness(value.lower(), self.grams) for value in piece.values),
            min(len(slots), 6) / 3,
            sum(one not in self.told for one in slots) / 3,
            sum(kind == piece.kind for kind in self.kinds.values()) / 3 if piece.is_entity else len(piece.values) / 3,
        )
        kinds = COVERED_TYPES[piece.slot.lower()] if owner == CONSULT else (piece.kind.lower(),)
        yield from (kind in kinds for kind in _KINDS)


def _recency(turns: Sequence[set[int]], holds: Callable[[set[int]], bool]) -> float:
    for back, told in enumerate(reversed(turns[-_FAR:])):  # what lies further back counts for nothing
        if holds(told):
            return max(0.0, 1 - back / _FAR)
    return 0.0


def _bigrams(text: str) -> set[str]:
    return {text[place : place + 2] for place in range(len(text) - 1)}


def _likeness(name: str, grams: set[str]) -> float:
    """Return the share of the bigrams of a name that a text has; of a single letter, 0."""
    own = _bigrams(name)
    return len(own & grams) / len(own) if own else 0.0
