from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.challenges.mobilecs.formats.test_transcript_tables import CALLS, SIDES

from duologue.challenges.mobilecs.formats.transcripts import read_transcripts
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def test_rows_may_leave_a_side_out(tmp_path: Path) -> None:
    name = "rows.jsonl"
    (tmp_path / name).write_text(SIDES[name], encoding="utf-8")
    assert [call.turns for call in read_transcripts(tmp_path / name)] == CALLS


def test_dialogues_of_the_challenge_are_calls(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"id": "x", "content": [{"[SPEAKER 2]": "喂", "[SPEAKER 1]": "您好"}]}]', encoding="utf-8")
    (call,) = read_transcripts(path)
    assert call.turns == [("[speaker 2]", "喂"), ("[speaker 1]", "您好")]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ('{"speaker": "客服", "text": 3}', "found 3 for 'text'"),
        ('{"speaker": null, "text": "好"}', "found null for 'speaker'"),
        ('{"speaker": " ", "text": "好"}', "found ' ' for 'speaker'"),
        ('{"speaker": ["客服"], "role": "agent", "text": "好"}', "found a list of 1 for 'speaker'"),
        ('{"agent": true, "customer": "好"}', "found true for 'agent'"),
        ('{"who": "客服", "said": "好"}', "found an object with who, said"),
        ("{}", "found an object with nothing"),
    ],
)
def test_what_is_no_turn_is_told_by_its_field(row: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{row}\n{{"turns": [{row}]}}\n', encoding="utf-8")
    with pytest.raises(FormatError) as found:
        read_transcripts(path)
    assert [one.place for one in found.value.problems] == ["line 1", "line 2"]
    assert {one.message for one in found.value.problems} == {f"{told}, expected turns with speaker and text"}


def test_a_row_that_says_of_no_call_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"call": 1, "speaker": "a", "text": "x"}\n{"call": null, "speaker": "b", "text": "y"}\n', "utf-8")
    with pytest.raises(FormatError, match="line 2: found nothing for 'call', expected what tells the calls apart"):
        read_transcripts(path)


@pytest.mark.parametrize(
    "content",
    [
        """{"Result": {"Sentences": [{"ChannelId": 0, "BeginTime": 20, "EndTime": 90, "Text": "您好"},
        {"ChannelId": 0, "BeginTime": 500, "Text": "十块"}, {"ChannelId": 1, "BeginTime": 100, "Text": "喂"}]}}""",
        """{"Data": {"ResultDetail": [{"FinalSentence": "您好", "StartMs": 0, "SpeakerId": 0},
        {"FinalSentence": "喂", "StartMs": 90, "SpeakerId": 1},
        {"FinalSentence": "十块", "StartMs": 950, "SpeakerId": 0}]}}""",
        """[{"bg": "0", "ed": "80", "onebest": "您好", "speaker": "0"}, {"bg": "90", "onebest": "喂", "speaker": "1"},
        {"bg": "950", "onebest": "十块", "speaker": "0"}]""",
        """{"text": "all of it", "segments": [{"start": 0.0, "text": "您好", "speaker": "[0]"},
        {"start": 1.5, "text": "喂", "speaker": "[1]"}, {"start": 9, "text": "十块", "speaker": "[0]"}]}""",
    ],
    ids=["channels", "details", "best", "segments"],
)
def test_what_recognisers_write_is_a_call(content: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(content, encoding="utf-8")
    (call,) = read_transcripts(path)
    assert call.turns == [("0", "您好"), ("1", "喂"), ("0", "十块")]
