from __future__ import annotations

import msgspec
import numpy as np
import pytest

from duologue.challenges.mobilecs.schema.ontology import SERVICE_SLOTS
from duologue.challenges.mobilecs.systems.extractor.slot_evidence import SlotEvidence
from duologue.core.sums import added
from duologue.core.typed import convert


def test_slots_speak_for_the_types_that_have_them() -> None:
    evidence = SlotEvidence.of([(0, frozenset({1})), (0, frozenset({1})), *[(3, frozenset[int]())] * 2])
    known = np.zeros((3, len(SERVICE_SLOTS)), dtype=np.bool_)
    known[1, 1] = known[2] = True
    none, one, all_of_them = evidence.of_types(known)
    assert one[0] > one[3]
    assert none[0] < none[3]
    assert np.isfinite(all_of_them).all()
    each = [(evidence.has if slot == 1 else evidence.lacks)[3][slot] for slot in range(len(SERVICE_SLOTS))]
    assert one[3] == added(each)  # to the last digit


@pytest.mark.parametrize("part", ["has", "lacks"])
def test_evidence_that_is_not_of_all_types_and_slots_is_refused(part: str) -> None:
    told = msgspec.to_builtins(SlotEvidence.of([]))
    for rows in ([], told[part][1:], [row[1:] for row in told[part]], [told[part][0][:3], *told[part][1:]]):
        with pytest.raises(msgspec.ValidationError, match=f"'{part}' has .* figures, expected .* types and slots"):
            convert({**told, part: rows}, SlotEvidence)
