"""What a checker or an official program found is not changed by who reads it."""

from __future__ import annotations

import dataclasses
import importlib

import pytest

MODULES = (
    "duologue.challenges.conversation.scoring.items",
    "duologue.challenges.mobilecs.scoring.dialogue.checker",
    "duologue.challenges.mobilecs.scoring.extraction.checker",
    "duologue.challenges.mobilecs.scoring.extraction.official",
    "duologue.challenges.proactive.scoring.official",
    "duologue.challenges.restaurant.scoring.checker",
    "duologue.challenges.restaurant.scoring.official",
    "duologue.challenges.spoken.scoring.checker",
)
COLLECTED = {"DialogueExtraction"}
"""Filled while a row is read."""


@pytest.mark.parametrize("name", MODULES)
def test_findings_are_frozen(name: str) -> None:
    module = importlib.import_module(name)
    kinds = [one for one in vars(module).values() if isinstance(one, type) and one.__module__ == name]
    found = [one for one in kinds if dataclasses.is_dataclass(one) and one.__name__ not in COLLECTED]
    assert found
    for kind in found:
        first = dataclasses.fields(kind)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(kind.__new__(kind), first, None)
