"""Speakers on lines of their own, above what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.growth import LINEAR, growth

from duologue.challenges.mobilecs.formats.transcript_heads import headed_calls
from duologue.challenges.mobilecs.formats.transcripts import read_transcripts
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

CALL = [("客服", "您好"), ("张三", "喂_我问一下"), ("客服", "请讲")]
HEADS = [
    "{} 10:02",
    "{}  10:02:31",
    "{} 2026-11-03 10:02:31",
    "{}\t2026/11/3 下午2:05",
    "{} 11月3日 10:02",
    "{}(00:00:03):",
    "{} [10:02]",
    "{} 10:02 AM",
    "10:02 {}",
    "[00:00:03] {}",
    "2026-11-03 10:02:31 {}",
    "2026年11月3日 10:02 {}",
]


def calls_of(text: str, path: Path) -> list[list[tuple[str, str]]]:
    path.write_text(text, encoding="utf-8")
    return [call.turns for call in read_transcripts(path)]


@pytest.mark.parametrize("between", ["\n", "\n\n", "\n\n\n"])
@pytest.mark.parametrize("head", HEADS)
def test_a_name_with_a_time_stands_above_what_is_said(head: str, between: str, tmp_path: Path) -> None:
    said = [("客服", "您好"), ("张三", "喂\n我问一下"), ("客服", "请讲")]
    text = between.join(f"{head.format(who)}\n{words}" for who, words in said)
    assert calls_of(text, tmp_path / "a.txt") == [CALL]
    assert calls_of(f"通话编号: 7\n时间: 10:02\n\n{text}\n\n----\n{text}\n", tmp_path / "a.txt") == [CALL, CALL]


def test_a_role_alone_stands_above_what_is_said(tmp_path: Path) -> None:
    text = "客服\n您好\n用户\n喂\n【客服】\n时间：明天\n"
    assert calls_of(text, tmp_path / "a.txt") == [[("客服", "您好"), ("用户", "喂"), ("客服", "时间：明天")]]


def test_more_empty_lines_than_elsewhere_part_calls(tmp_path: Path) -> None:
    turns = ["客服 10:02\n您好", "用户 10:03\n喂"]
    for inner, outer in (("\n", "\n\n"), ("\n\n", "\n\n\n")):
        text = outer.join([inner.join(turns)] * 2)
        assert calls_of(text, tmp_path / "a.txt") == [[("客服", "您好"), ("用户", "喂")]] * 2


def test_a_time_amid_what_is_said_is_none_of_a_head(tmp_path: Path) -> None:
    text = "客服 10:02\n明天 10:30 再打\n我们约 10:30。\n10:30\nhttp://a.example\n用户 10:03\n2026-11-03 10:30\n好\n"
    assert calls_of(text, tmp_path / "a.txt") == [
        [("客服", "明天 10:30 再打_我们约 10:30。_10:30_http://a.example"), ("用户", "2026-11-03 10:30_好")]
    ]


@pytest.mark.parametrize(
    "text",
    [
        "会议记录 10:02\n客服: 您好\n用户: 喂\n",
        "客服 10:23 您好\n用户 10:24 喂\n",
        "10:02 客服 您好\n10:03 用户 喂\n",
        "客服\n客服: 您好\n",
        "您好\n客服 10:02\n您好\n",
        "客服 10:02\n",
        "客服 10:02\n您好\n喂\n",
        "通话 10:02\n张三: 您好\n李四: 喂\n\n通话 10:05\n张三: 您好\n",
        "2026 10:02\n您好\n",
        "",
        "客服: 您好\n用户 10:02\n",
    ],
)
def test_what_may_be_of_another_form_is_not_guessed(text: str) -> None:
    assert headed_calls(text) in (None, [])


def test_words_that_look_like_a_head_are_a_speaker_too_many(tmp_path: Path) -> None:
    from duologue.challenges.mobilecs.formats.imported_calls import import_calls

    (tmp_path / "a.txt").write_text("客服 10:02\n您好\n用户 10:03\n喂\n我们约明天 10:30\n好的\n", encoding="utf-8")
    with pytest.raises(
        FormatError, match="the speakers are 客服, 我们约明天, 用户; expected the staff and one customer"
    ):
        import_calls([tmp_path / "a.txt"])


def test_time_grows_as_the_text() -> None:
    assert growth(lambda n: "客服 10:02\n您好\n\n用户 10:03\n喂\n" * n, headed_calls, 400) < LINEAR
    assert growth(lambda n: "客服 10:02\n" + "a " * n, headed_calls, 20_000) < LINEAR
