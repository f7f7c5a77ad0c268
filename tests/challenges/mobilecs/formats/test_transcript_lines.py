from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.mobilecs.formats.transcript_lines import said_in
from duologue.challenges.mobilecs.formats.transcripts import read_transcripts
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def turns_of(text: str, path: Path) -> list[list[tuple[str, str]]]:
    path.write_text(text, encoding="utf-8")
    return [call.turns for call in read_transcripts(path)]


def test_brackets_around_a_speaker_are_no_part_of_the_name(tmp_path: Path) -> None:
    text = "【客服】：您好\n[用户]: 喂\n（客服）: 请讲\n[SPEAKER 2]: 好\n"
    assert turns_of(text, tmp_path / "a.txt") == [
        [("客服", "您好"), ("用户", "喂"), ("客服", "请讲"), ("[SPEAKER 2]", "好")]
    ]


@pytest.mark.parametrize("between", ["", "========", "---", "通话编号: 8", "会话：8\n时间: 2026-11-03 10:23"])
def test_calls_are_parted_by_an_empty_line_by_signs_or_by_the_name_of_the_next(between: str, tmp_path: Path) -> None:
    text = f"通话编号：7\n日期: 11月3日\n客服: 您好\n用户: 喂\n{between}\n客服: 请讲\n用户: 时间: 明天\n"
    assert turns_of(text, tmp_path / "a.txt") == [
        [("客服", "您好"), ("用户", "喂")],
        [("客服", "请讲"), ("用户", "时间: 明天")],
    ]


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-03 10:23:01 客服\n您好\n",
        "客服 10:23 您好\n用户 10:24 喂\n",
        "客服 10:23:01\n您好\n",
    ],
)
def test_a_time_behind_a_speaker_is_not_what_is_said(text: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"line 1: found .* expected a speaker and a colon"):
        turns_of(text, tmp_path / "a.txt")


def test_a_time_amid_what_is_said_names_nobody(tmp_path: Path) -> None:
    text = "用户: 喂\n我在2026年11月3日 10:20打过\n明天 10:30 再打\n坐席 8027:10元\nAgent 7: 10\n"
    assert turns_of(text, tmp_path / "a.txt") == [
        [
            ("用户", "喂_我在2026年11月3日 10:20打过_明天 10:30 再打"),
            ("坐席 8027", "10元"),
            ("Agent 7", "10"),
        ]
    ]


def test_only_line_ends_part_lines(tmp_path: Path) -> None:
    assert turns_of("客服: 您\u2028注意: 好\r用户: 喂\r", tmp_path / "a.txt") == [
        [("客服", "您_注意: 好"), ("用户", "喂")]
    ]


def test_a_line_names_its_speaker_behind_a_time() -> None:
    assert said_in("[10:23:01] 客服 : 您好") == ("客服", "您好")
    assert said_in("http://a.example") is None
