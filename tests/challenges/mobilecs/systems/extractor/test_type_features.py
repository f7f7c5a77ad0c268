from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, SERVICE_SLOTS
from duologue.challenges.mobilecs.systems.extractor.found_parts import FoundPart, part_of
from duologue.challenges.mobilecs.systems.extractor.linked_entity import LinkedEntity
from duologue.challenges.mobilecs.systems.extractor.linker import LinkedCall
from duologue.challenges.mobilecs.systems.extractor.name_evidence import BUCKETS, NameEvidence, grams
from duologue.challenges.mobilecs.systems.extractor.slot_evidence import SlotEvidence
from duologue.challenges.mobilecs.systems.extractor.type_features import TYPE_SIZE, type_features
from duologue.challenges.mobilecs.systems.tagger.document import call_document
from duologue.core.records import Turn

if TYPE_CHECKING:
    from numpy.typing import NDArray

DOCUMENT = call_document([Turn(speaker="system", text="彩铃和主套餐")])
EVIDENCE = SlotEvidence.of([(0, frozenset({1})), (3, frozenset[int]())])
UNTOLD = NameEvidence(
    np.zeros((BUCKETS, len(ENTITY_TYPES)), dtype=np.float32), np.zeros(len(ENTITY_TYPES), dtype=np.float32)
)
PLAN, MAIN, FOURTH = (ENTITY_TYPES.index(kind) for kind in ("套餐", "主套餐", "4G套餐"))


def mention(start: int, end: int, kind: int) -> FoundPart:
    kinds = np.full(len(ENTITY_TYPES), -6.0)
    kinds[kind] = -0.1
    found = part_of(DOCUMENT, start, end, kinds.tolist())
    assert found is not None
    return found


def features(
    *mentions: tuple[FoundPart, int], slots: tuple[int, ...] = (), names: NameEvidence = UNTOLD
) -> NDArray[np.float32]:
    entities = [LinkedEntity() for _ in range(1 + max(number for _, number in mentions))]
    for order, (part, number) in enumerate(mentions):
        entities[number] = entities[number].with_mention(part, order)
    entities[0] = entities[0]._replace(slots=tuple((slot, "五元") for slot in slots))
    linked = LinkedCall(tuple(entities), [number for _, number in mentions], [])
    return type_features([part for part, _ in mentions], linked, EVIDENCE, names)


def test_an_entity_has_what_is_said_of_all_its_mentions() -> None:
    found = features((mention(0, 2, 0), 0), (mention(3, 6, MAIN), 1), (mention(0, 2, 7), 0))
    assert found.shape == (2, TYPE_SIZE)
    count = len(ENTITY_TYPES)
    of_slots = found[0, count : 2 * count]
    assert found[0, 0] - of_slots[0] == found[0, 7] - of_slots[7] > found[0, 1] - of_slots[1]


def test_names_tell_a_type_against_the_tagger() -> None:
    weights = np.zeros((BUCKETS, len(ENTITY_TYPES)), dtype=np.float32)
    weights[grams("彩铃"), 7] = 3.0
    told = NameEvidence(weights, UNTOLD.bias)
    one, other = (features((mention(0, 2, 0), 0), names=names)[0] for names in (UNTOLD, told))
    count = len(ENTITY_TYPES)
    assert one[:count].argmax() == 0
    assert other[:count].argmax() == 7
    assert np.array_equal(one[count:], other[count:])


def test_plans_are_told_apart_by_words_and_slots_alone() -> None:
    one, other = (features((mention(3, 6, kind), 0))[0] for kind in (PLAN, FOURTH))
    assert np.allclose(one, other)
    count = len(ENTITY_TYPES)
    told = one[:count] - one[count : 2 * count]  # without what slots say
    assert np.isclose(told[[MAIN, FOURTH]], told[PLAN]).all()
    without = features((mention(4, 6, MAIN), 0))[0]
    assert not np.allclose(one, without)  # 主 is a word of the name


def test_slots_and_what_they_speak_for_are_features() -> None:
    bare, having = features((mention(0, 2, 0), 0))[0], features((mention(0, 2, 0), 0), slots=(1, 1))[0]
    first = 2 * len(ENTITY_TYPES)
    assert (having - bare)[first + 1] == 1
    assert not (having - bare)[[first, *range(first + 2, first + len(SERVICE_SLOTS))]].any()
    evidence = having[len(ENTITY_TYPES) : first]
    assert evidence[0] > evidence[3]
