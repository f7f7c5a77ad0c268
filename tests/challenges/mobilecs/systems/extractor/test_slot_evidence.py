from __future__ import annotations

import math

from duologue.challenges.mobilecs.systems.extractor.slot_evidence import SlotEvidence


def test_slots_speak_for_the_types_that_have_them() -> None:
    evidence = SlotEvidence.of([(0, frozenset({1})), (0, frozenset({1})), *[(3, frozenset[int]())] * 2])
    assert evidence.of_type(0, [1]) > evidence.of_type(3, [1])
    assert evidence.of_type(0, []) < evidence.of_type(3, [])
    assert evidence.of_type(0, [1, 1]) == evidence.of_type(0, [1])
    assert math.isfinite(evidence.of_type(9, range(17)))
