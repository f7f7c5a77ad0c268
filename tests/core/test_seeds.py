from __future__ import annotations

from duologue.core.seeds import seed_of


def test_a_key_gives_the_same_seed_on_every_machine_half_surrogates_too() -> None:
    assert seed_of("1|train|0") == 16_688_891_439_445_519_583
    assert seed_of("\ud800") != seed_of("\ud801")
