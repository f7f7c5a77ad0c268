from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from duologue.core.problems import RULE, ProblemCollector, capped, total
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

SEVERITIES = st.lists(st.sampled_from(["error", "warning"]), max_size=12)


def problems(severities: list[str]) -> Iterator[Problem]:
    return (Problem(rule="x", severity=one, message=str(place)) for place, one in enumerate(severities))


@given(SEVERITIES, st.integers(0, 12))
def test_the_first_are_told_errors_before_warnings_and_one_among_the_rest_still_refuses(
    severities: list[str], most: int
) -> None:
    found = capped(problems(severities), most)
    given = list(problems(severities))
    errors = [one for one in given if one.severity == "error"][:most]
    warnings = [one for one in given if one.severity == "warning"][: most - len(errors)]
    assert list(found[:most]) == [one for one in given if one in [*errors, *warnings]]
    assert total(found) == len(severities)
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
    assert last(["error", "warning"] * 3) == "and 4 more problems, 1 of them errors; 6 in all"
    many = repeat(Problem(rule="x", message=""), 12_345)
    assert capped(many)[-1].message == "and 11,345 more problems, all errors; 12,345 in all"


def test_what_stands_for_several_problems_counts_as_so_many() -> None:
    found = ProblemCollector(problems(["warning"] * 3), limit=2)
    found.add(Problem(rule="x", message="seven more", severity="warning", stands_for=7))
    assert found.problems()[-1].message == "and 8 more problems, all warnings; 10 in all"
    assert capped(found.problems(), 1)[-1].stands_for == 9
    assert total(found.problems()) == 10
