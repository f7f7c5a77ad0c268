"""Features of an entity's type: what the tagger says of all its mentions, n-grams of its names, its slots, words in it.

The first ones are the sum of what tagger, names and slots say. The tagger's word counts for less than it is sure of: it
is so of the names of its own catalogue, and calls of that catalogue cannot show how far it is wrong on others, which is
why it is no feature besides. Of the four types of plans its word is taken for all alike: they have the same names, so
what it has learned of a name's type is chance of one catalogue; a word such as 主 or 四G, or the slots, tell which it
is. For the same reason the only words looked for are those of the types' own names and of units.
"""

from __future__ import annotations

from math import log1p
from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, SERVICE_SLOTS
from duologue.challenges.mobilecs.systems.extractor.name_evidence import PLANS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.extractor.found_parts import FoundPart
    from duologue.challenges.mobilecs.systems.extractor.linked_entity import LinkedEntity
    from duologue.challenges.mobilecs.systems.extractor.linker import LinkedCall
    from duologue.challenges.mobilecs.systems.extractor.name_evidence import NameEvidence
    from duologue.challenges.mobilecs.systems.extractor.slot_evidence import SlotEvidence

_KINDS, _SLOTS = len(ENTITY_TYPES), len(SERVICE_SLOTS)
_WORDS = (
    *("主", "四g", "4g", "五g", "5g", "附加", "国际", "漫游", "长途"),
    *("套餐", "业务", "数据", "流量", "包"),
    *("兆", "g", "分钟"),
)
"""Looked for in names."""
_PLANS = list(PLANS)
_TAGGER = 0.35
"""Weight of the tagger's log probabilities, of names 1, and of slots; on development corpora .3 to .35 are alike."""
_OF_SLOTS = 0.2
_UNLIKELY = -8.0
"""Log probability below which the tagger's word says nothing more."""
_FIRST_SLOT = 2 * _KINDS
_FIRST_WORD = _FIRST_SLOT + _SLOTS + 2
TYPE_SIZE = _FIRST_WORD + len(_WORDS)
"""Features of an entity."""


def type_features(
    mentions: Sequence[FoundPart], linked: LinkedCall, evidence: SlotEvidence, names: NameEvidence
) -> NDArray[np.float32]:
    """Return the features of each entity of a call (e, f)."""
    entities = linked.entities
    found = np.zeros((len(entities), TYPE_SIZE), dtype=np.float32)
    _add_slots(found[:, _FIRST_SLOT:_FIRST_WORD], entities)
    found[:, _KINDS:_FIRST_SLOT] = _OF_SLOTS * evidence.of_types(found[:, _FIRST_SLOT : _FIRST_SLOT + _SLOTS] > 0)
    kinds = np.array([one.kinds for one in mentions], dtype=np.float32).reshape(len(mentions), _KINDS)
    kinds[:, _PLANS] = np.logaddexp.reduce(kinds[:, _PLANS], axis=1, keepdims=True)
    kinds = kinds.clip(_UNLIKELY)
    owners = np.array(linked.mentions)
    for number, entity in enumerate(entities):
        found[number, :_KINDS] = _TAGGER * kinds[owners == number].mean(0) + names.of(entity.names)
        said = "\n".join(entity.names)
        found[number, _FIRST_WORD:] = [word in said for word in _WORDS]
    found[:, :_KINDS] += found[:, _KINDS:_FIRST_SLOT]
    return found


def _add_slots(rows: NDArray[np.float32], entities: Sequence[LinkedEntity]) -> None:
    """Write which slots each entity has, and how many values and mentions."""
    for row, entity in zip(rows, entities, strict=True):
        row[[slot for slot, _ in entity.slots]] = 1
        row[_SLOTS:] = log1p(len(entity.slots)), log1p(entity.mentions)
