from __future__ import annotations

from duologue.challenges.restaurant.formats.domain_facts import kb_problems
from duologue.challenges.restaurant.formats.domain_slots import SlotReader
from duologue.core.records import Fact

SLOT = SlotReader({"name": "era", "values": ["old", "new"], "hedges": []}, 1, from_base=True).slot


def base(**changes: str) -> list[Fact]:
    rows = {
        "m1": {"era": "old", "rating": "3", "phone": "m1_phone", "address": "m1_address"},
        "m2": {"era": "new", "rating": "4", "phone": "m2_phone", "address": "m2_address"},
    }
    rows["m1"] |= changes
    return [
        Fact(subject=name, relation=field, object=value) for name, row in rows.items() for field, value in row.items()
    ]


def test_a_sound_base_has_no_problem() -> None:
    assert list(kb_problems("kb.txt", base(), [SLOT])) == []


def test_each_fault_of_a_base_is_told() -> None:
    for facts, said in (
        ([], "no entity"),
        (base(rating="many"), "rating is 'many'"),
        (base(era="very old"), "era 'very old'"),
        (base(era="new"), "has 1 values"),
        (base(phone="555"), "phone '555'"),
        ([fact for fact in base() if fact.relation != "address"], "lacks address"),
    ):
        assert any(said in problem.message for problem in kb_problems("kb.txt", facts, [SLOT])), said
