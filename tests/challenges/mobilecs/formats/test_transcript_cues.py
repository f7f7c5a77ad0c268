from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.growth import LINEAR, growth

from duologue.challenges.mobilecs.formats.transcripts import RULES, read_transcripts
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

CALL = [("客服", "您好，A&B<C>"), ("用户", "喂_流量包: 多少钱"), ("客服", "十块")]
FORMS = {
    "a.srt": (
        "\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\n客服：您好，A&B<C>\r\n\r\n"
        "2\r\n00:00:03,000 --> 00:00:04,000 X1:0\r\n<i>用户: 喂</i>\r\n\r\n"
        "3\r\n00:00:04,000 --> 00:00:05,000\r\n{\\an8}用户: 流量包: 多少钱\r\n\r\n\r\n4\r\n"
        '00:00:06,000 --> 00:00:07,000\r\n<font color="#fff">【客服】：十块</font>\r\n'
    ),
    "close.srt": (  # no empty lines between cues
        "1\n00:00:01,000 --> 00:00:02,500\n- 客服: 您好，A&B<C>\n- 用户: 喂\n2\n00:00:04,000 --> 00:00:05,000\n"
        "用户: 流量包: 多少钱\n3\n00:00:06,000 --> 00:00:07,000\n客服: 十块"
    ),
    "a.vtt": (
        "WEBVTT - of a call\nKind: captions\n\nNOTE made by a machine\n\nSTYLE\n::cue { color: red }\n\n"
        "00:01.000 --> 00:02.000 align:start\n<v.loud 客服>您好，<c.red>A&amp;B</c>&lt;C&gt;</v>\n\n"
        "7b/12-0\n59:58.000 --> 59:59.000\n<v 用户>喂\n流量包: 多少钱</v>\n\n"
        "01:00:01.000 --> 01:00:02.000\n<v 客服><00:00:06.500>十块\n"
    ),
    "one-cue.vtt": (
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<v 客服>您好，A&amp;B&lt;C&gt;</v>\n<v 用户>喂</v>\n"
        "<v 用户>流量包: 多少钱</v><v 客服>十块</v>"
    ),
    "named-otherwise.txt": (
        "WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\n客服: 您好，A&amp;B&lt;C&gt;\n\n2\n00:00:03.000 --> 00:00:04.000\n"
        "用户: 喂\n\n00:00:04.500 --> 00:00:05.000\n用户: 流量包: 多少钱\n\n00:00:06.000 --> 00:00:07.000\n客服: 十块\n"
    ),
    "side-after-side.srt": (
        "1\n00:00:01,000 --> 00:00:02,000\n客服: 您好，A&B<C>\n\n2\n01:00:06,000 --> 01:00:07,000\n十块\n\n"
        "3\n00:00:03,000 --> 00:00:04,000\n用户: 喂\n\n4\n00:00:05,000 --> 00:00:06,000\n用户: 流量包: 多少钱\n"
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_subtitles_gives_the_call(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FORMS[name], encoding="utf-8", newline="")
    assert [call.turns for call in read_transcripts(tmp_path / name)] == [CALL]


def test_placeholders_are_no_tags(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_text("1\n00:00:01,000 --> 00:00:02,000\n客服: <NAME_1>您好 <b>\n用户: 喂\n", encoding="utf-8")
    (call,) = read_transcripts(path)
    assert call.turns == [("客服", "<NAME_1>您好"), ("用户", "喂")]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            "1\n00:00:01,000 -> 00:00:02,000\n客服: 您好\n\n2\n00:00:03 --> later\n用户: 喂\n\n客服: 请讲\n",
            [
                ("transcript-cue", "line 1", "found '1', expected the time of a cue"),
                ("transcript-cue", "line 6", "found '00:00:03 --> later', expected the time of a cue"),
                ("transcript-cue", "line 9", "found '客服: 请讲', expected the time of a cue"),
            ],
        ),
        (
            "1\n00:00:01,000 --> 00:00:02,000\n您好\n\n2\n00:00:03,000 --> 00:00:04,000\n喂\n",
            [
                (
                    "transcript-speaker",
                    "line 3 and 1 more",
                    "found '您好', expected a speaker before the first words of a call",
                )
            ],
        ),
        ("WEBVTT\n\nNOTE nothing\n", [("transcript-empty", "", "nobody says anything in the file")]),
    ],
)
def test_what_is_wrong_is_told_all_at_once(content: str, told: list[tuple[str, str, str]], tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError) as found:
        read_transcripts(path)
    assert [(one.rule, one.place, one.message) for one in found.value.problems] == told
    assert {rule for rule, _, _ in told} <= RULES.keys()


def test_twice_the_cues_take_twice_the_time(tmp_path: Path) -> None:
    def made(size: int) -> Path:
        path = tmp_path / f"{size}.srt"
        cues = (
            f"{n}\n00:{n // 60 % 60:02}:{n % 60:02},000 --> 00:00:00,000\n客服: {n}\n用户: <i>喂\n" for n in range(size)
        )
        path.write_text("\n".join(cues), encoding="utf-8")
        return path

    def work(path: Path) -> None:
        (call,) = read_transcripts(path)
        assert len(call.turns) == 2 * int(path.stem)

    assert growth(made, work, 1_500) < LINEAR
