from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.spoken.schema.domains import domain_of

if TYPE_CHECKING:
    from pathlib import Path


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
