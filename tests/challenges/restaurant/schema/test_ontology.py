from __future__ import annotations

from duologue.challenges.restaurant.schema.ontology import schema_of_part
from duologue.challenges.restaurant.schema.templates import SLOTS, SLOTS_EXTRA


def test_parts_have_the_slots_and_values_of_the_challenge() -> None:
    assert schema_of_part("train") == schema_of_part("tst1")
    assert schema_of_part("tst2").slots == SLOTS
    assert schema_of_part("tst4").slots == SLOTS_EXTRA
    assert schema_of_part("tst3").name == "kb1_atmosphere_restrictions"
    assert "bombay" in schema_of_part("tst3").values["location"]
    assert "tokyo" in schema_of_part("tst4").values["location"]
