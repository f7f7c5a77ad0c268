from __future__ import annotations

from typing import Any

import pytest

from duologue.challenges.spoken.scoring.slices import kind_of_answer, number_of_triples


def attr(name: str = "园", attribute: str = "门票", value: Any = "十元") -> dict[str, Any]:
    return {"name": name, "attrname": attribute, "attrvalue": value}


@pytest.mark.parametrize(
    ("attrs", "kind"),
    [
        ([], "no knowledge"),
        ([attr()], "one value"),
        ([attr(), attr(value="一元")], "several values"),
        ([attr(), attr(attribute="地址")], "several attributes"),
        ([attr(), attr(name="山")], "several entities"),
        ([attr(attribute="Information")], "long text"),
        ([attr(value=70), attr(value="70")], "one value"),
    ],
)
def test_answers_are_told_apart_by_what_they_rest_on(attrs: list[dict[str, Any]], kind: str) -> None:
    assert kind_of_answer(attrs) == kind


def test_four_triples_and_more_are_one_slice() -> None:
    assert [number_of_triples([attr()] * count) for count in (0, 3, 4, 9)] == ["0", "3", "4 or more", "4 or more"]
