"""What the slots of an entity tell of its type: counts of annotated entities, as naive Bayes has them."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, SERVICE_SLOTS
from duologue.core.records import Record
from duologue.core.sums import added

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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

    def of_type(self, kind: int, slots: Sequence[int]) -> float:
        """Return the log probability that an entity of the type has these slots and no others."""
        known = set(slots)
        return added(
            has if slot in known else lacks
            for slot, (has, lacks) in enumerate(zip(self.has[kind], self.lacks[kind], strict=True))
        )
