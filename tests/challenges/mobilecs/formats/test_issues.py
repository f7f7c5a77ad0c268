from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.mobilecs.formats import files
from duologue.challenges.mobilecs.formats.issues import Issues, odd_field, unique_id
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def names(*ids: str) -> list[str]:
    taken: dict[str, int] = {}
    return [unique_id(one, taken, Issues()) for one in ids]


def test_repeated_ids_are_numbered_past_those_that_look_so_already() -> None:
    assert names("a", "a~2", "a", "a", "b", "a~2") == ["a", "a~2", "a~3", "a~4", "b", "a~2~2"]


def test_very_many_dialogues_of_one_id_are_numbered_in_one_pass() -> None:
    assert names(*["x"] * 200_000)[-1] == "x~200000"  # looking from ~2 on for each took an hour


def test_a_field_that_is_not_there_is_told_with_those_that_are() -> None:
    """A truth file of another challenge was told to hold `null` where it holds nothing."""
    assert odd_field({"dialog_id": 1, "a\ud800": 2}, "KB", "an object") == (
        r"there is no 'KB', expected an object; found 'dialog_id', 'a\ud800'"
    )
    assert odd_field({}, "KB", "an object") == "there is no 'KB', expected an object"
    assert odd_field({"KB": [1, "x"]}, "KB", "an object") == "'KB' is a list of 2, expected an object"


def test_a_file_of_another_challenge_names_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"dialog_id": "a", "lst_candidate_id": []}]', encoding="utf-8")
    with pytest.raises(
        FormatError, match=r"/0/KB: there is no 'KB', expected .*; found 'dialog_id', 'lst_candidate_id'"
    ):
        files.load_dialogue(tmp_path / "a.json")
    with pytest.raises(
        FormatError, match=r"/0/content: there is no 'content', expected a list of turns; found 'dialog_"
    ):
        files.load_raw(tmp_path / "a.json")
