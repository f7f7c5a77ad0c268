from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.spoken.scoring.slices import domain_of, kind_of_answer, number_of_triples

if TYPE_CHECKING:
    from pathlib import Path


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


@pytest.mark.parametrize(
    ("attributes", "domain"),
    [(["释义", "拼音"], "idiom"), (["父亲", "种族"], "lotr"), (["导演", "职业"], "film"), (["x"], None), ([], None)],
)
def test_the_domain_is_told_by_the_attributes(attributes: list[str], domain: str | None) -> None:
    assert domain_of(attributes) == domain


@pytest.mark.real_data(twin="test_the_domain_is_told_by_the_attributes")
def test_the_guess_is_that_of_the_index_for_nearly_all_real_dialogues(real_data: Path) -> None:
    folder = real_data / "spoken"
    rows = json.loads(gzip.decompress((folder / "challenge_valid_visible.json.gz").read_bytes()))
    index = json.loads(gzip.decompress((folder / "challenge_valid_visible_index.json.gz").read_bytes()))
    guesses = [
        domain_of(attr["attrname"] for turn in row["messages"] for attr in turn.get("attrs", ())) for row in rows
    ]
    same = sum(guess == one["domain_guess"] for guess, one in zip(guesses, index, strict=True))
    assert same >= 0.95 * len(rows)
