"""Features of an entity's type: what the tagger says of all its mentions, its slots, the signs of its names.

Of plans in general and main plans the tagger's word is taken for both alike: they have the same names, so what it has
learned of a name's type is chance of one catalogue; a sign such as 主 or the slots tell which it is.
"""

from __future__ import annotations

from math import log1p
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, SERVICE_SLOTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.extractor.found_parts import FoundPart
    from duologue.challenges.mobilecs.systems.extractor.linked_entity import LinkedEntity
    from duologue.challenges.mobilecs.systems.extractor.linker import LinkedCall
    from duologue.challenges.mobilecs.systems.extractor.slot_evidence import SlotEvidence

_KINDS, _SLOTS = len(ENTITY_TYPES), len(SERVICE_SLOTS)
_SIGNS = 512
"""Buckets of the signs of names."""
_PLANS = [ENTITY_TYPES.index("套餐"), ENTITY_TYPES.index("主套餐")]
_UNLIKELY = -8.0
"""Log probability below which the tagger's word says nothing more."""
_FIRST_SLOT = 3 * _KINDS
_FIRST_SIGN = _FIRST_SLOT + _SLOTS + 2
TYPE_SIZE = _FIRST_SIGN + _SIGNS
"""Features of an entity."""


def type_features(mentions: Sequence[FoundPart], linked: LinkedCall, evidence: SlotEvidence) -> NDArray[np.float32]:
    """Return the features of each entity of a call (e, f)."""
    found = np.zeros((len(linked.entities), TYPE_SIZE), dtype=np.float32)
    kinds = np.array([one.kinds for one in mentions], dtype=np.float32).reshape(len(mentions), _KINDS)
    kinds[:, _PLANS] = np.logaddexp.reduce(kinds[:, _PLANS], axis=1, keepdims=True)
    kinds = kinds.clip(_UNLIKELY)
    owners = np.array(linked.mentions)
    for row, entity, number in zip(found, linked.entities, range(len(found)), strict=True):
        own = kinds[owners == number]
        row[:_KINDS] = own.mean(0)
        row[_KINDS : 2 * _KINDS] = own.max(0)
        _add_slots(row, entity, evidence)
        row[_signs(entity.names)] = 1
    return found


def _add_slots(row: NDArray[np.float32], entity: LinkedEntity, evidence: SlotEvidence) -> None:
    slots = [slot for slot, _ in entity.slots]
    row[2 * _KINDS : _FIRST_SLOT] = [0.2 * evidence.of_type(kind, slots) for kind in range(_KINDS)]
    row[[_FIRST_SLOT + slot for slot in slots]] = 1
    row[_FIRST_SLOT + _SLOTS] = log1p(len(slots))
    row[_FIRST_SLOT + _SLOTS + 1] = log1p(entity.mentions)


def _signs(names: Sequence[str]) -> list[int]:
    """Return the features of the signs of names, and of each two that stand side by side."""
    pieces = {name[start : start + size] for name in names for size in (1, 2) for start in range(len(name) - size + 1)}
    return [_FIRST_SIGN + crc32(piece.encode(errors="replace")) % _SIGNS for piece in pieces]
