from __future__ import annotations

import math

import msgspec
import pytest

from duologue.challenges.mobilecs.systems.extractor.slot_evidence import SlotEvidence
from duologue.core.typed import convert


def test_slots_speak_for_the_types_that_have_them() -> None:
    evidence = SlotEvidence.of([(0, frozenset({1})), (0, frozenset({1})), *[(3, frozenset[int]())] * 2])
    assert evidence.of_type(0, [1]) > evidence.of_type(3, [1])
    assert evidence.of_type(0, []) < evidence.of_type(3, [])
    assert evidence.of_type(0, [1, 1]) == evidence.of_type(0, [1])
    assert math.isfinite(evidence.of_type(9, range(17)))


@pytest.mark.parametrize("part", ["has", "lacks"])
def test_evidence_that_is_not_of_all_types_and_slots_is_refused(part: str) -> None:
    told = msgspec.to_builtins(SlotEvidence.of([]))
    for rows in ([], told[part][1:], [row[1:] for row in told[part]], [told[part][0][:3], *told[part][1:]]):
        with pytest.raises(msgspec.ValidationError, match=f"'{part}' has .* figures, expected .* types and slots"):
            convert({**told, part: rows}, SlotEvidence)
