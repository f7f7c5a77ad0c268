"""Cues of slots: pieces of utterances after which people want to know a slot, counted in the training dialogues.

A network of few examples learns them slowly; the share of the turns with such a piece in which the slot was wanted is
known at once. The highest share over all pieces of an utterance is a feature of the slot.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import CONSULT, USER
from duologue.core.records import Record
from duologue.metrics.ngrams import char_ngrams

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.call_view import CallView
    from duologue.challenges.mobilecs.systems.agent.kb_pieces import KbPiece

CUE_FEATURES = ("cue", "second cue", "strongest cue")
"""Names of the features, in their order."""
_SHORTEST, _LONGEST = 2, 6
_LEAST, _MIN_WANTED = 3, 2
"""Turns that must have a cue, and in which a slot must be wanted with it."""
_PRIOR = 3.0
"""Turns without the slot that each cue is thought to have had besides: rare cues are not sure."""
_SECOND = 3
"""Place of the cue, by strength, that is the second feature: one strong cue may be chance."""


class SlotCue(Record, frozen=True, kw_only=True):
    """A piece of text with the turns that have it, and those of them in which each slot was wanted."""

    text: str
    turns: int
    wanted: dict[str, int]


class SlotCues:
    """The cues of a training."""

    def __init__(self, cues: Sequence[SlotCue]) -> None:
        self.cues = list(cues)
        self._by_text = {one.text: one for one in cues}

    @classmethod
    def of(cls, turns: Iterable[tuple[CallView, Iterable[int]]]) -> SlotCues:
        """Return the cues of turns, each with the pieces that are wanted in it."""
        seen: Counter[str] = Counter()
        wanted: dict[str, Counter[str]] = {}
        for view, pieces in turns:
            found = set(char_ngrams(view.masked, _SHORTEST, _LONGEST))
            seen.update(found)
            slots = {slot_of(view.pieces[number]) for number in pieces}
            for text in found if slots else ():
                wanted.setdefault(text, Counter()).update(slots)
        kept = []
        for text, counts in sorted(wanted.items()):
            often = {slot: times for slot, times in sorted(counts.items()) if times >= _MIN_WANTED}
            if often and seen[text] >= _LEAST:
                kept.append(SlotCue(text=text, turns=seen[text], wanted=often))
        return cls(kept)

    def features(self, view: CallView, own: Iterable[int] | None = None) -> NDArray[np.float32]:
        """Return the features (c, 3) of the pieces of a view, in the order of `CUE_FEATURES`.

        `own` are the pieces that were wanted in this turn, where it is one of those counted: it is then left out.
        """
        left_out = None if own is None else {slot_of(view.pieces[number]) for number in own}
        shares = self._shares(view, left_out)
        strongest = max((each[0] for each in shares.values()), default=0.0)
        rows = np.zeros((len(view.pieces), len(CUE_FEATURES)), dtype=np.float32)
        for number, piece in enumerate(view.pieces):
            first, second = shares.get(slot_of(piece), (0.0, 0.0))
            rows[number] = (first, second, first > 0 and first == strongest)
        return rows

    def strengths(self, view: CallView) -> dict[str, float]:
        """Return how strongly the words of a turn ask for each slot, whether the base has it or not: 0 to 1."""
        return {slot: (first + second) / 2 for slot, (first, second) in self._shares(view, None).items()}

    def _shares(self, view: CallView, left_out: Collection[str] | None) -> dict[str, tuple[float, float]]:
        """Return by slot the highest share and the second feature; `left_out` as of `features`, as slots."""
        shares: dict[str, list[float]] = {}
        for text in set(char_ngrams(view.masked, _SHORTEST, _LONGEST)):
            cue = self._by_text.get(text)
            for slot, times in cue.wanted.items() if cue is not None else ():
                assert cue is not None
                n, k = cue.turns - (left_out is not None), times - (slot in (left_out or ()))
                shares.setdefault(slot, []).append(k / (n + _PRIOR))
        ranked = {slot: sorted(each, reverse=True) for slot, each in shares.items()}
        return {slot: (each[0], each[_SECOND - 1] if len(each) >= _SECOND else 0.0) for slot, each in ranked.items()}


def slot_of(piece: KbPiece) -> str:
    """Return the slot of a piece, apart for entities, the user and types."""
    return f"{piece.owner}:{piece.slot}" if piece.owner in {USER, CONSULT} else piece.slot
