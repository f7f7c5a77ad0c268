"""Features of an entity's type: what the tagger says of all its mentions, its slots, words in its names.

Of the four types of plans the tagger's word is taken for all alike: they have the same names, so what it has learned of
a name's type is chance of one catalogue; a word such as 主 or 四G, or the slots, tell which it is. For the same reason
the only words looked for are those of the types' own names and of units.
"""

from __future__ import annotations

from math import log1p
from typing import TYPE_CHECKING

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
_WORDS = (
    *("主", "四g", "4g", "五g", "5g", "附加", "国际", "漫游", "长途"),
    *("套餐", "业务", "数据", "流量", "包"),
    *("兆", "g", "分钟"),
)
"""Looked for in names."""
_PLANS = [ENTITY_TYPES.index(kind) for kind in ("套餐", "主套餐", "4G套餐", "5G套餐")]
_UNLIKELY = -8.0
"""Log probability below which the tagger's word says nothing more."""
_FIRST_SLOT = 3 * _KINDS
_FIRST_WORD = _FIRST_SLOT + _SLOTS + 2
TYPE_SIZE = _FIRST_WORD + len(_WORDS)
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
        row[_FIRST_WORD:] = [any(word in name for name in entity.names) for word in _WORDS]
    return found


def _add_slots(row: NDArray[np.float32], entity: LinkedEntity, evidence: SlotEvidence) -> None:
    slots = [slot for slot, _ in entity.slots]
    row[2 * _KINDS : _FIRST_SLOT] = [0.2 * evidence.of_type(kind, slots) for kind in range(_KINDS)]
    row[[_FIRST_SLOT + slot for slot in slots]] = 1
    row[_FIRST_SLOT + _SLOTS] = log1p(len(slots))
    row[_FIRST_SLOT + _SLOTS + 1] = log1p(entity.mentions)
