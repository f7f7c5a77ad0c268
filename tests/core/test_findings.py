from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from duologue.core.findings import RULE, capped
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

SEVERITIES = st.lists(st.sampled_from(["error", "warning"]), max_size=12)


def problems(severities: list[str]) -> Iterator[Problem]:
    return (Problem(rule="x", severity=one, message=str(place)) for place, one in enumerate(severities))


@given(SEVERITIES, st.integers(0, 12))
def test_the_first_are_told_and_an_error_among_the_rest_still_refuses(severities: list[str], most: int) -> None:
    found = capped(problems(severities), most)
    assert found[:most] == tuple(problems(severities))[:most]
    assert any(one.severity == "error" for one in found) == ("error" in severities)
    assert len(found) == min(len(severities), most) + (len(severities) > most)


def test_the_rest_is_counted_exactly() -> None:
    def last(severities: list[str]) -> str:
        found = capped(problems(severities), 2)[-1]
        assert found.rule == RULE
        return found.message

    assert last(["error"] * 3) == "and 1 more problem, an error; 3 in all"
    assert last(["warning"] * 3) == "and 1 more problem, a warning; 3 in all"
    assert last(["warning"] * 4) == "and 2 more problems, all warnings; 4 in all"
    assert last(["error"] * 4) == "and 2 more problems, all errors; 4 in all"
    assert last(["error", "warning"] * 3) == "and 4 more problems, 2 of them errors; 6 in all"
    many = repeat(Problem(rule="x", message=""), 12_345)
    assert capped(many)[-1].message == "and 11,345 more problems, all errors; 12,345 in all"
