from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, SERVICE_SLOTS
from duologue.challenges.mobilecs.systems.extractor.found_parts import FoundPart, part_of
from duologue.challenges.mobilecs.systems.extractor.linked_entity import LinkedEntity
from duologue.challenges.mobilecs.systems.extractor.linker import LinkedCall
from duologue.challenges.mobilecs.systems.extractor.slot_evidence import SlotEvidence
from duologue.challenges.mobilecs.systems.extractor.type_features import TYPE_SIZE, type_features
from duologue.challenges.mobilecs.systems.tagger.document import call_document
from duologue.core.records import Turn

if TYPE_CHECKING:
    from numpy.typing import NDArray

DOCUMENT = call_document([Turn(speaker="system", text="彩铃和主套餐")])
EVIDENCE = SlotEvidence.of([(0, frozenset({1})), (3, frozenset[int]())])
PLAN, MAIN, FOURTH = (ENTITY_TYPES.index(kind) for kind in ("套餐", "主套餐", "4G套餐"))


def mention(start: int, end: int, kind: int) -> FoundPart:
    kinds = np.full(len(ENTITY_TYPES), -6.0)
    kinds[kind] = -0.1
    found = part_of(DOCUMENT, start, end, kinds.tolist())
    assert found is not None
    return found


def features(*mentions: tuple[FoundPart, int], slots: tuple[int, ...] = ()) -> NDArray[np.float32]:
    entities = [LinkedEntity() for _ in range(1 + max(number for _, number in mentions))]
    for order, (part, number) in enumerate(mentions):
        entities[number] = entities[number].with_mention(part, order)
    entities[0] = entities[0]._replace(slots=tuple((slot, "五元") for slot in slots))
    linked = LinkedCall(tuple(entities), [number for _, number in mentions], [])
    return type_features([part for part, _ in mentions], linked, EVIDENCE)


def test_an_entity_has_what_is_said_of_all_its_mentions() -> None:
    found = features((mention(0, 2, 0), 0), (mention(3, 6, MAIN), 1), (mention(0, 2, 7), 0))
    assert found.shape == (2, TYPE_SIZE)
    count = len(ENTITY_TYPES)
    assert np.isclose(found[0, [0, 7]], (-0.1 - 6.0) / 2).all()  # the mean
    assert np.isclose(found[0, [count, count + 7]], -0.1).all()  # the highest
    assert found[1].argmax() >= count


def test_plans_are_told_apart_by_words_and_slots_alone() -> None:
    one, other = (features((mention(3, 6, kind), 0))[0] for kind in (PLAN, FOURTH))
    assert np.allclose(one, other)
    assert np.isclose(one[[MAIN, FOURTH]], one[PLAN]).all()
    without = features((mention(4, 6, MAIN), 0))[0]
    assert not np.allclose(one, without)  # 主 is a word of the name


def test_slots_and_what_they_speak_for_are_features() -> None:
    bare, having = features((mention(0, 2, 0), 0))[0], features((mention(0, 2, 0), 0), slots=(1, 1))[0]
    first = 3 * len(ENTITY_TYPES)
    assert (having - bare)[first + 1] == 1
    assert not (having - bare)[[first, *range(first + 2, first + len(SERVICE_SLOTS))]].any()
    evidence = having[2 * len(ENTITY_TYPES) : first]
    assert evidence[0] > evidence[3]
