"""Talks of our own making, and small systems that learned them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.core.records import Answer, Example, Sample, Turn

if TYPE_CHECKING:
    from collections.abc import Callable

    Talks = Callable[[int], list[Example]]

THINGS = ["parcel", "ticket", "invoice", "router"]


def talk(number: int) -> Example:
    """Return a talk about a thing with a number that no other talk has."""
    thing, code = THINGS[number % len(THINGS)], f"#{1000 + number}"
    history = (
        Turn(speaker="user", text=f"my {thing} is late !"),
        Turn(speaker="system", text="oh no , which number does it have ?"),
        Turn(speaker="user", text=f"{number} days now , {code}"),
    )
    sample = Sample(id=str(number + 1), dialogue_id=str(number + 1), history=history)
    return Example(sample=sample, references=(Answer(text=f"thanks , we look for {thing} {code} ."),))


@pytest.fixture(scope="session")
def talks() -> Talks:
    """Make so many talks."""
    return lambda count: [talk(number) for number in range(count)]
