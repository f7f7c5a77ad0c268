"""Similarity features of candidate pairs by a pre-trained sentence encoder.

The latest turns are compared with the names of attributes, and with training turns, whose replies tell which attributes
such turns ask for.
Names of entities play no part beyond what the encoder reads in the turns; attributes that no training reply has get
their similarity with the question alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.spoken.systems.grounded.dialogue_state import DialogueState
    from duologue.challenges.spoken.systems.grounded.features import CandidatePairs
    from duologue.models.sentence_encoders.encoder import SentenceEncoder

SIMILARITIES = (
    *("asked", "asked ahead", "before", "before ahead"),
    *("of neighbours", "log of neighbours", "of neighbours ahead"),
)
"""Names of the features."""
LONGEST = 120
"""Characters of a turn that are read."""
_BEFORE = 0.5
"""Weight of the turn before the question in the comparison with training turns."""
_NEIGHBOURS = 30
_POWER = 4
"""A neighbour weighs its similarity to this power."""
_LEAST = 0.02
"""Added to a share before its logarithm."""
_DIGITS = 4
_KEPT = 1 << 15


class TurnIndex(NamedTuple):
    """Training turns with what their replies spoke of."""

    vectors: NDArray[np.float16]
    """(n, 2d): of the question and, weighted, of the turn before it."""
    attributes: list[tuple[str, ...]]
    """Per turn: attributes of the gold triples; empty where the reply has none."""
    dialogues: list[str]
    """Per turn: its dialogue, or the first one that this nearly duplicates; empty once training is over."""


class SimilarityFeatures:
    """Similarity features over one index of training turns."""

    def __init__(self, encoder: SentenceEncoder, index: TurnIndex) -> None:
        self.index = index
        self._encoder = encoder
        self._vectors = index.vectors.astype(np.float32)
        self._known: dict[str, NDArray[np.float32]] = {}

    @classmethod
    def learn(
        cls, encoder: SentenceEncoder, turns: Sequence[tuple[Sequence[str], tuple[str, ...], str]]
    ) -> SimilarityFeatures:
        """Return features over training turns: texts, the latest first, attributes of the reply, and the dialogue."""
        made = cls(encoder, TurnIndex(np.zeros((0, 0), np.float16), [], []))
        rows = [made._query(texts) for texts, _, _ in turns]
        vectors = np.stack(rows).astype(np.float16)
        made.index = TurnIndex(
            vectors, [attributes for _, attributes, _ in turns], [dialogue for *_, dialogue in turns]
        )
        made._vectors = vectors.astype(np.float32)
        return made

    def extended(self, state: DialogueState, pairs: CandidatePairs, apart: str | None = None) -> CandidatePairs:
        """Return a turn's candidates with these features behind their own."""
        more = self.features(state, pairs, apart)
        return pairs._replace(features=np.concatenate([pairs.features, more], axis=1))

    def features(self, state: DialogueState, pairs: CandidatePairs, apart: str | None = None) -> NDArray[np.float32]:
        """Return the features (c, f) of a turn's candidates; turns of the dialogue `apart` are no neighbours."""
        relations = [relation for _, relation in pairs.pairs]
        named = np.stack([self._vector(relation) for relation in relations])
        columns = []
        for age in (0, 1):
            near = named @ self._vector(state.turns[age] if len(state.turns) > age else "")
            near[0] = 0.0  # the reply without knowledge has no name
            columns += [near, near - (near[1:].max() if len(near) > 1 else 0.0)]
        shares = self._shares(state.turns[:2], apart)
        told = np.array([shares.get(relation, 0.0) for relation in relations])
        columns += [told, np.log(told + _LEAST) - np.log(_LEAST), told / max(1e-6, told.max())]
        return np.stack(columns, axis=1).astype(np.float32).round(_DIGITS)

    def _shares(self, texts: Sequence[str], apart: str | None) -> dict[str, float]:
        """Return the share of each attribute (empty: none) among the most similar training turns."""
        near = self._vectors @ self._query(texts) / (1 + _BEFORE**2)
        if apart is not None:
            near[[at for at, dialogue in enumerate(self.index.dialogues) if dialogue == apart]] = -1
        near = near.round(_DIGITS)
        best = np.argsort(-near, kind="stable")[:_NEIGHBOURS]
        weights = np.maximum(near[best], 1e-6).astype(np.float64) ** _POWER
        shares: dict[str, float] = {}
        for at, weight in zip(best.tolist(), (weights / weights.sum()).tolist(), strict=True):
            attributes = self.index.attributes[at] or ("",)
            for attribute in attributes:
                shares[attribute] = shares.get(attribute, 0.0) + weight / len(attributes)
        return shares

    def _query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector (2d,) that training turns are compared by."""
        asked, before = (self._vector(texts[age] if len(texts) > age else "") for age in (0, 1))
        return np.concatenate([asked, _BEFORE * before])

    def _vector(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a text, each read by itself: of several at once the last digits differ."""
        found = self._known.get(text)
        if found is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            found = self._encoder.vectors([text[:LONGEST]])[0] * np.float32(bool(text.strip()))
            self._known[text] = found
        return found
