"""Turns as numbers: what the turn network reads, and what it learns from the annotation."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from msgspec import Meta

from duologue.challenges.mobilecs.schema.intents import STAFF_LABELS, USER_LABELS
from duologue.challenges.mobilecs.schema.ontology import CONSULT, USER
from duologue.challenges.mobilecs.systems.agent.features import (
    COREFERENCE,
    PIECE_FEATURES,
    STRUCTURE,
    piece_features,
    turn_features,
)
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME
from duologue.challenges.mobilecs.systems.agent.slot_cues import CUE_FEATURES
from duologue.core.records import Record
from duologue.metrics.ngrams import char_ngrams

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.call_view import CallView
    from duologue.challenges.mobilecs.systems.agent.slot_cues import SlotCues

    Floats = NDArray[np.float32]

_LONGEST = 4
"""Characters of the longest piece of text that is read."""
UNSEEN = 1
"""Number of a piece of text, or slot, that training had not; 0 is padding."""
TOLD_SUMMARY = ("nothing", "an entity's slot", "several slots", "a name", "a user slot", "said by the user")
"""What the staff's labels depend on of what a reply tells."""


LabelSet = Annotated[tuple[str, ...], Meta(min_length=1)]
"""A set of staff labels; sets are compared by the labels that they share."""


class TurnVocabulary(Record, frozen=True, kw_only=True):
    """What the network knows by number."""

    grams: list[str]
    """Pieces of utterances of one to four characters."""
    slots: list[str]
    """Slots, types and `name`."""
    label_sets: list[LabelSet]
    """In the order of `STAFF_LABELS`."""


class TurnTruth(NamedTuple):
    """What the staff understood and did in a turn."""

    user_labels: frozenset[str]
    asked: frozenset[int]
    """Pieces that an argument of the user's intents is about."""
    wanted: frozenset[int]
    """Pieces that the user does not know and asks for."""
    staff_labels: tuple[str, ...]
    told: frozenset[int]
    """Pieces that the reply tells."""


class TurnRow(NamedTuple):
    """One turn as numbers; c pieces."""

    grams: NDArray[np.int32]
    earlier: NDArray[np.int32]
    """Pieces of text of the utterance before."""
    turn: Floats
    pieces: Floats
    """(c, f)."""
    slots: NDArray[np.int32]
    """(c,)."""
    texts: list[NDArray[np.int32]]
    """Pieces of text of each piece, where the base is read as text."""
    summary: Floats
    """What the reply tells, as `TOLD_SUMMARY` has it."""
    user_labels: Floats
    asked: Floats
    wanted: Floats
    told: Floats
    label_set: int
    """Number of the staff's label set; -1 for one that is not known."""


class TurnEncoder:
    """Encodes views of calls by a vocabulary."""

    def __init__(
        self, vocabulary: TurnVocabulary, cues: SlotCues, *, coreference: bool = True, text: bool = False
    ) -> None:
        """Leave the features of earlier turns out without `coreference`; read the base as text with `text`."""
        self.vocabulary, self.cues = vocabulary, cues
        self._grams = {one: number for number, one in enumerate(vocabulary.grams, UNSEEN + 1)}
        self._slots = {one: number for number, one in enumerate(vocabulary.slots, UNSEEN + 1)}
        self._sets = {one: number for number, one in enumerate(vocabulary.label_sets)}
        self._text = text
        hidden = set() if coreference else set(COREFERENCE)
        self._kept = np.array(
            [one not in hidden and (not text or one in {*STRUCTURE, *COREFERENCE}) for one in PIECE_FEATURES],
            dtype=np.float32,
        )

    def row(self, view: CallView, truth: TurnTruth | None = None, *, counted: bool = False) -> TurnRow:
        """Return a turn as numbers; without the truth its targets are zeros.

        A turn that is `counted` among the cues does not see itself there.
        """
        c = len(view.pieces)
        asked, wanted, told = (np.zeros(c, dtype=np.float32) for _ in range(3))
        labels, label_set = np.zeros(len(USER_LABELS), dtype=np.float32), -1
        if truth is not None:
            for target, pieces in ((asked, truth.asked), (wanted, truth.wanted), (told, truth.told)):
                target[sorted(pieces)] = 1
            labels = np.array([one in truth.user_labels for one in USER_LABELS], dtype=np.float32)
            label_set = self._sets.get(truth.staff_labels, -1)
        own = truth.wanted if truth is not None and counted else None
        return TurnRow(
            grams=self._numbers(view.last),
            earlier=self._numbers(view.users[-1] if view.users else ""),
            turn=turn_features(view),
            pieces=np.concatenate([piece_features(view) * self._kept, self._cue_features(view, own)], axis=1),
            slots=np.array([0 if self._text else self._slots.get(one.slot, UNSEEN) for one in view.pieces], np.int32),
            texts=[self._numbers(one.text) for one in view.pieces] if self._text else [],
            summary=told_summary(view, sorted(truth.told) if truth is not None else ()),
            user_labels=labels,
            asked=asked,
            wanted=wanted,
            told=told,
            label_set=label_set,
        )

    def recued(self, row: TurnRow, view: CallView, own: Iterable[int] | None) -> TurnRow:
        """Return the row of a view, encoded with other cues, with these; `own` as of `SlotCues.features`."""
        kept = row.pieces[:, : -len(CUE_FEATURES)]
        return row._replace(pieces=np.concatenate([kept, self._cue_features(view, own)], axis=1))

    def _cue_features(self, view: CallView, own: Iterable[int] | None) -> Floats:
        """Return the features of the cues (c, 3); zeros for a reader of text, who knows no slots."""
        if self._text:
            return np.zeros((len(view.pieces), len(CUE_FEATURES)), dtype=np.float32)
        return self.cues.features(view, own)

    def _numbers(self, text: str) -> NDArray[np.int32]:
        found = {self._grams[one] for one in grams_of(text) if one in self._grams}
        return np.array(sorted(found) or [UNSEEN], dtype=np.int32)


def told_summary(view: CallView, told: Iterable[int]) -> Floats:
    """Return what a reply tells, as `TOLD_SUMMARY` names it."""
    told = list(told)
    pieces = [view.pieces[number] for number in told if view.pieces[number].owner != CONSULT]
    slots = [one for one in pieces if one.is_entity and one.slot != NAME]
    return np.array(
        [
            not pieces,
            bool(slots),
            len(slots) > 1,
            any(one.is_entity and one.slot == NAME for one in pieces),
            any(one.owner == USER for one in pieces),
            any(number in view.said_now for number in told),
        ],
        dtype=np.float32,
    )


def grams_of(text: str) -> set[str]:
    """Return all pieces of a text of one to four characters, lower case."""
    return set(char_ngrams(text.lower(), 1, _LONGEST))


def vocabulary_of(turns: Sequence[tuple[str, CallView, TurnTruth]], *, rare: int, label_sets: int) -> TurnVocabulary:
    """Return the vocabulary of turns with their dialogues: pieces of text that `rare` dialogues have, label sets.

    Of sets of labels the most frequent are kept, in the order of their frequency.
    """
    dialogues: dict[str, set[str]] = {}
    for name, view, _ in turns:
        dialogues.setdefault(name, set()).update(grams_of(view.last))
    counts = Counter(gram for grams in dialogues.values() for gram in grams)
    slots = sorted({one.slot for _, view, _ in turns for one in view.pieces})
    sets = Counter(truth.staff_labels for _, _, truth in turns if truth.staff_labels)
    return TurnVocabulary(
        grams=sorted(gram for gram, times in counts.items() if times >= rare),
        slots=slots,
        label_sets=sorted(sets, key=lambda one: (-sets[one], one))[:label_sets],
    )


def ordered(labels: Iterable[str]) -> tuple[str, ...]:
    """Return staff labels as a set in canonical order; unknown ones are left out.

    >>> ordered(["通知", "被动确认", "通知"])
    ('通知', '被动确认')
    """
    given = set(labels)
    return tuple(one for one in STAFF_LABELS if one in given)
