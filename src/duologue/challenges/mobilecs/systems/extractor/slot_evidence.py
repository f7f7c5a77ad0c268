"""What the slots of an entity tell of its type: counts of annotated entities, as naive Bayes has them."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, SERVICE_SLOTS
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

_SMOOTHING = 0.5


class SlotEvidence(Record, frozen=True):
    """Log probabilities of having and of lacking each slot, by type."""

    has: list[list[float]]
    lacks: list[list[float]]

    def __post_init__(self) -> None:
        """Refuse evidence that is not of all types and slots."""
        for name, table in (("has", self.has), ("lacks", self.lacks)):
            if len(table) != len(ENTITY_TYPES) or {len(row) for row in table} != {len(SERVICE_SLOTS)}:
                raise ValueError(
                    f"'{name}' has {len(table)} rows of {sorted({len(row) for row in table})} figures, expected "
                    f"{len(ENTITY_TYPES)} of {len(SERVICE_SLOTS)}: types and slots"
                )

    @classmethod
    def of(cls, entities: Iterable[tuple[int, frozenset[int]]]) -> SlotEvidence:
        """Return the evidence from the types and slots of entities."""
        totals = [2 * _SMOOTHING] * len(ENTITY_TYPES)
        counts = [[_SMOOTHING] * len(SERVICE_SLOTS) for _ in ENTITY_TYPES]
        for kind, slots in entities:
            totals[kind] += 1
            for slot in slots:
                counts[kind][slot] += 1
        shares = [[count / total for count in row] for row, total in zip(counts, totals, strict=True)]
        return cls(
            has=[[log(share) for share in row] for row in shares],
            lacks=[[log(1 - share) for share in row] for row in shares],
        )

    def of_types(self, known: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return how likely an entity of each type has its slots and no others, as log probabilities: (e, s) -> (e, k).

        They are added one after another, which gives the same last digits everywhere.
        """
        each = np.where(known[:, np.newaxis], np.array(self.has), np.array(self.lacks))
        return np.add.accumulate(each, axis=2)[:, :, -1]
