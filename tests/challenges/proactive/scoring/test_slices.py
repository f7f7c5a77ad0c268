from __future__ import annotations

import pytest

from duologue.challenges.proactive.schema import CUTS
from duologue.challenges.proactive.scoring.slices import cuts_of
from duologue.core.records import Example, Fact, Goal, Sample, Turn


def example(turns: int, kinds: tuple[str, ...], relations: int) -> Example:
    facts = tuple(Fact(subject=name, relation="领域", object=kind) for name, kind in zip("ab", kinds, strict=False))
    goal = Goal(topics=("a", "b"), relations=(Fact(subject="a", relation="r", object="b"),) * relations)
    history = (Turn(speaker="user", text=""),) * turns
    return Example(sample=Sample(id="x", dialogue_id="x", history=history, knowledge=facts, goal=goal))


EXAMPLES = [
    example(0, ("电影", "明星"), 1),
    example(2, ("明星", "明星"), 2),
    example(14, ("明星",), 0),
    Example(sample=Sample(id="bare", dialogue_id="bare")),
]


@pytest.mark.parametrize(
    ("by", "parts"),
    [
        ("turn", {"1": [0, 3], "2": [1], "7+": [2]}),
        ("domains", {"film-person": [0], "person-person": [1], "person-unknown": [2], "unknown": [3]}),
        ("relation", {"0 facts": [2, 3], "direct": [0], "shared value": [1]}),
    ],
)
def test_the_parts_of_a_cut_hold_every_example_once(by: str, parts: dict[str, list[int]]) -> None:
    found = cuts_of(EXAMPLES, by)
    assert found == parts
    assert list(found) == sorted(found)
    assert by in CUTS


@pytest.mark.parametrize(("turns", "part"), [(10, "6"), (11, "6"), (12, "7+"), (13, "7+")])
def test_turns_from_the_seventh_on_are_one_part(turns: int, part: str) -> None:
    assert cuts_of([example(turns, (), 1)], "turn") == {part: [0]}
