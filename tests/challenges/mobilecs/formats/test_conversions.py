from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.mobilecs.formats import conversions
from duologue.core.errors import FormatError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


def test_conversion_goes_one_way(golden: Path, tmp_path: Path) -> None:
    (made,) = conversions.convert("raw", "track2", golden / "extraction/contract/raw.json", tmp_path / "made.json")
    assert made.read_bytes() == (golden / "dialogue/contract/dialogues.json").read_bytes()
    with pytest.raises(UsageError, match="no way from track2 to raw"):
        conversions.convert("track2", "raw", made, tmp_path / "x.json")
    with pytest.raises(UsageError, match="no form 'rwa'; did you mean 'raw'"):
        conversions.convert("rwa", "track2", made, tmp_path / "x.json")


def test_all_dialogues_that_stop_the_preprocessing_are_named_and_nothing_is_written(
    raw_rows: list[Any], tmp_path: Path
) -> None:
    raw_rows[0]["content"][1]["info"]["triples"][0]["value"] = 7
    raw_rows[2]["content"] = 3
    (tmp_path / "raw.json").write_text(json.dumps(raw_rows), encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        conversions.convert("raw", "track2", tmp_path / "raw.json", tmp_path / "x.json")
    assert [one.place for one in caught.value.problems] == [
        f"dialogue '{raw_rows[number]['id']}', /{number}" for number in (0, 2)
    ]
    assert "official" not in str(caught.value)
    assert not (tmp_path / "x.json").exists()


def test_odd_records_stop_no_conversion_and_are_told_in_either_variant(
    raw_rows: list[Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    record = next(turn["info"]["triples"][0] for turn in raw_rows[0]["content"] if turn["info"]["triples"])
    del record["prop"]
    (tmp_path / "raw.json").write_text(json.dumps(raw_rows), encoding="utf-8")
    for variant in conversions.VARIANTS:
        caplog.clear()
        (made,) = conversions.convert("raw", "track2", tmp_path / "raw.json", tmp_path / f"{variant}.json", variant)
        assert len(json.loads(made.read_bytes())) == 4
        assert "there is no 'prop'; the record is left out" in caplog.text
    with pytest.raises(UsageError, match="no variant 'strct'; did you mean 'strict'"):
        conversions.convert("raw", "track2", tmp_path / "raw.json", tmp_path / "x.json", "strct")


def test_a_discarded_dialogue_is_named(raw_rows: list[Any], tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    raw_rows[1]["content"][0]["用户意图"] = "意图混乱"
    (tmp_path / "raw.json").write_text(json.dumps(raw_rows), encoding="utf-8")
    (made,) = conversions.convert("raw", "track2", tmp_path / "raw.json", tmp_path / "x.json")
    assert len(json.loads(made.read_bytes())) == 3
    assert f"1 of 4 dialogues are discarded: {raw_rows[1]['id']}" in caplog.text


def test_of_bare_dialogues_it_is_told_what_makes_track_2_data(
    raw_rows: list[Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for turn in raw_rows[1]["content"]:
        del turn["用户意图"], turn["客服意图"], turn["info"]
    (tmp_path / "raw.json").write_text(json.dumps(raw_rows), encoding="utf-8")
    conversions.convert("raw", "track2", tmp_path / "raw.json", tmp_path / "x.json")
    assert "1 of them have no intents" in caplog.text
    assert "local-kb" in caplog.text


def test_a_turn_that_is_none_behind_bare_ones_stops_no_conversion(
    raw_rows: list[Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    raw_rows[1]["content"] = [{"[SPEAKER 1]": "您好", "[SPEAKER 2]": "好"}, None]
    (tmp_path / "raw.json").write_text(json.dumps(raw_rows), encoding="utf-8")
    conversions.convert("raw", "track2", tmp_path / "raw.json", tmp_path / "x.json")
    assert "1 of them have no intents" in caplog.text
