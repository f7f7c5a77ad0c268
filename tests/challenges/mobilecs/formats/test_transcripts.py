from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from tests.growth import LINEAR, growth

from duologue.challenges.mobilecs.formats.transcripts import RULES, read_transcripts
from duologue.core.errors import FormatError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

CALLS = [
    [("客服", "您好"), ("用户", "喂_流量包多少钱"), ("客服", "十块")],
    [("用户", "你好"), ("客服", "请讲")],
]
FORMS = {
    "a.txt": "客服: 您好\r\n用户：喂\n  流量包多少钱 \n客服 ： 十块\n\n\n用户: 你好\n客服: 请讲\n客服:\n",
    "a.csv": (
        '\ufeffcall,Speaker,TEXT\n1,客服,您好\n2,用户,你好\n1,用户,"喂\n流量包多少钱"\n1,客服,十块\n2,客服,请讲\n,,\n'
    ),
    "a.tsv": (
        "通话\t角色\t内容\n1\t客服\t您好\n1\t用户\t喂\n1\t用户\t流量包多少钱\n1\t客服\t十块\n"
        "2\t用户\t你好\n2\t客服\t请讲\n"
    ),
    "a.jsonl": (
        '{"turns": [["客服", "您好"], ["用户", "喂"], ["用户", "流量包多少钱"], ["客服", "十块"]]}\n\n'
        '{"id": 7, "messages": [{"role": "用户", "text": "你好"}, {"role": "客服", "text": "请讲", "time": 3}]}\n'
    ),
    "a.json": (
        '[[["客服", "您好"], ["用户", "喂\\n流量包多少钱"], ["客服", "十块"]],'
        ' {"dialogue": [{"speaker": "用户", "utterance": "你好"}, {"speaker": "客服", "utterance": "请讲"}]}]'
    ),
}


@pytest.mark.parametrize(
    ("lines", "calls"),
    [
        ('["客服", "您好"]\n\n["用户", "喂"]\n', [[("客服", "您好"), ("用户", "喂")]]),
        ('[["客服", "您好"]]\n[["用户", "你好"], ["客服", "请讲"]]\n', [[("客服", "您好")], CALLS[1]]),
        ('[["用户", "你好"], ["客服", "请讲"]]\n', [CALLS[1]]),  # one list of turns, not one call of two bad turns
    ],
)
def test_lines_of_json_may_be_lists(lines: str, calls: list[list[tuple[str, str]]], tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(lines, encoding="utf-8")
    assert [call.turns for call in read_transcripts(path)] == calls


@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_the_same_calls(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FORMS[name], encoding="utf-8", newline="")
    assert [call.turns for call in read_transcripts(tmp_path / name)] == CALLS
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(FORMS[name].encode()))
    assert [call.turns for call in read_transcripts(packed)] == CALLS


@pytest.mark.parametrize(
    ("name", "table", "told"),
    [
        ("a.csv", "call;speaker;text\n1;客服;您好\n1;用户;喂, 你好\n", "a semicolon parts the columns, not a comma"),
        ("a.csv", "sep=;\r\ncall;speaker;text\r\n1;客服;您好\r\n1;用户;喂, 你好\r\n", "a semicolon parts the columns"),
        ("a.csv", "call\tspeaker\ttext\n1\t客服\t您好\n1\t用户\t喂, 你好\n", "a tab parts the columns, not a comma"),
        ("a.tsv", "call|speaker|text\n1|客服|您好\n1|用户|喂, 你好\n", "a bar parts the columns, not a tab"),
        ("a.csv", 'call,speaker,text,,\n1,客服,您好,,\n1,用户,"喂, 你好",,\n', ""),
    ],
)
def test_columns_are_parted_by_what_the_head_shows(
    name: str, table: str, told: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / name).write_text(table, encoding="utf-8", newline="")
    (call,) = read_transcripts(tmp_path / name)
    assert call.turns == [("客服", "您好"), ("用户", "喂, 你好")]
    assert [told in record.getMessage() for record in caplog.records] == [True] * bool(told)


def test_words_beyond_the_last_column_are_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("speaker,text\n客服,您好,请讲\n用户,喂\n", encoding="utf-8")
    with pytest.raises(FormatError, match="found 3 columns, expected 2") as error:
        read_transcripts(path)
    assert "quotes" in error.value.problems[0].advice


def test_times_and_addresses_are_no_speakers(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("用户: 喂\n10:30 打过\nhttp://a.example\n客服: 好\n", encoding="utf-8")
    (call,) = read_transcripts(path)
    assert call.turns == [("用户", "喂_10:30 打过_http://a.example"), ("客服", "好")]


@pytest.mark.parametrize(
    ("name", "content", "rule", "place"),
    [
        ("a.txt", "没有说话人\n", "transcript-speaker", "line 1"),
        ("a.txt", "客服: 好\n\n没有说话人\n", "transcript-speaker", "line 3"),
        ("a.txt", "\n\n", "transcript-empty", ""),
        ("a.csv", "a,b\n1,2\n", "transcript-columns", "line 1"),
        ("a.csv", "", "transcript-columns", "line 1"),
        ("a.csv", "speaker,text\n客服\n", "transcript-row", "line 2"),
        ("a.csv", "id,speaker,text\n1,客服,您好\n2,用户,喂\n", "transcript-calls", ""),
        (
            "a.jsonl",
            '{"id": 1, "speaker": "客服", "text": "a"}\n{"id": 2, "speaker": "用户", "text": "b"}',
            "transcript-calls",
            "",
        ),
        ("a.csv", f'speaker,text\n客服,您好\n用户,"{"x" * 140_000}', "transcript-table", "line 3"),
        ("a.csv", 'speaker,text\n客服,您好\n用户,"喂\n客服,请讲\n', "transcript-table", "line 3"),
        ("a.csv", 'speaker,text\n客服,"您好" 啊\n', "transcript-table", "line 2"),
        ("a.tsv", 'speaker\t"text\n客服\t您好\n', "transcript-table", "line 1"),
        ("a.jsonl", '{"turns": []}\n', "transcript-empty", ""),
        ("a.jsonl", '{"turns": [["客服", "a"], ["客服"]]}\n', "transcript-turns", "line 1"),
        ("a.jsonl", '{"turns": [["客服", 3]]}\n', "transcript-turns", "line 1"),
        ("a.jsonl", '{"turns":\n', "transcript-json", "line 1"),
        ("a.json", "[3]", "transcript-turns", "call 1"),
        ("a.json", "[]", "transcript-empty", ""),
    ],
)
def test_what_is_wrong_is_told_with_its_place(name: str, content: str, rule: str, place: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError) as found:
        read_transcripts(path)
    assert [(one.rule, one.place) for one in found.value.problems] == [(rule, place)]
    assert rule in RULES


@pytest.mark.parametrize(
    ("turn", "told"),
    [
        ('["客服", "\\ud83d"]', r"found '\ud83d' with half a character, expected"),
        ('["客服", 3]', "found 3, expected"),
        ('["客服", null]', "found null, expected"),
        ('["客服"]', "found a list of 1, expected"),
    ],
)
def test_what_is_no_turn_is_told(turn: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"turns": [["客服", "好"], {turn}]}}\n', encoding="utf-8")
    with pytest.raises(FormatError) as found:
        read_transcripts(path)
    assert told in found.value.problems[0].message


def test_only_line_ends_part_calls_of_a_file_of_json(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"turns": [["客服", "您\u2028好"], ["用户", "喂"]]}\n', encoding="utf-8")
    assert [call.turns for call in read_transcripts(path)] == [[("客服", "您_好"), ("用户", "喂")]]


def test_a_call_of_many_lines_takes_no_longer_for_each_of_them(tmp_path: Path) -> None:
    def made(size: int) -> Path:
        path = tmp_path / f"{size}.txt"
        path.write_text("\n".join(["客服: 您好", *["一" * 1000] * size]), encoding="utf-8")
        return path

    def work(path: Path) -> None:
        (call,) = read_transcripts(path)
        assert len(call.turns[0][1]) == 2 + int(path.stem) * 1001

    assert growth(made, work, 1_500) < LINEAR


def test_damaged_json_is_told_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[[", encoding="utf-8")
    with pytest.raises(FormatError, match=r"a\.json"):
        read_transcripts(tmp_path / "a.json")


BY_ROW = {
    "a.csv": "id,call,speaker,text\n1,a,客服,您好\n2,a,用户,喂\n3,b,用户,你好\n4,b,客服,请讲\n",
    "a.jsonl": (
        '{"id": 1, "call": 7, "speaker": "客服", "text": "您好"}\n'
        '{"id": 2, "call": 7, "role": "用户", "content": "喂"}\n'
        '{"id": 3, "call": 8, "speaker": "用户", "text": "你好"}\n'
        '{"id": 4, "call": 8, "speaker": "客服", "text": "请讲"}\n'
    ),
}


@pytest.mark.parametrize("name", BY_ROW)
def test_rows_of_one_utterance_are_gathered_by_call_and_not_by_row(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(BY_ROW[name], encoding="utf-8")
    calls = [call.turns for call in read_transcripts(tmp_path / name)]
    assert calls == [[("客服", "您好"), ("用户", "喂")], [("用户", "你好"), ("客服", "请讲")]]


@pytest.mark.parametrize(
    "content",
    [
        '{\n"call_id": "x",\n"segments": [\n["客服", "您好"],\n["用户", "喂"]\n]\n}\n',
        '{"turns": [["客服", "您好"], ["用户", "喂"]]}',
        '{"calls": [{"turns": [["客服", "您好"], ["用户", "喂"]]}]}',
        '{"ok": 1,\n"results": {"conversations": [{"segments": [["客服", "您好"], ["用户", "喂"]]}]}}',
        '{"data": [{"角色": "客服", "转写结果": "您好"}, {"角色": "用户", "转写结果": "喂"}]}',
    ],
)
def test_an_object_alone_is_one_call_or_holds_them(content: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(content, encoding="utf-8")
    assert [call.turns for call in read_transcripts(path)] == [[("客服", "您好"), ("用户", "喂")]]


def test_channels_are_numbers_too(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"call_id": 7, "channel": 0, "text": "您好"}\n{"call_id": 7, "channel": 1, "text": "喂"}\n', encoding="utf-8"
    )
    assert [call.turns for call in read_transcripts(path)] == [[("0", "您好"), ("1", "喂")]]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "call,speaker,role,text\n1,张三,agent,您好\n1,李四,customer,喂\n1,,agent,请讲\n"),
        (
            "a.jsonl",
            (
                '{"role": "agent", "speaker": "张三", "text": "您好"}\n'
                '{"role": "customer", "speaker": "李四", "text": "喂"}\n'
                '{"role": "agent", "speaker": "", "text": "请讲"}\n'
            ),
        ),
    ],
)
def test_who_has_a_role_and_a_name_is_called_by_both(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    (call,) = read_transcripts(tmp_path / name)
    assert call.turns == [("agent 张三", "您好"), ("customer 李四", "喂"), ("agent", "请讲")]


def test_a_speaker_who_is_a_role_has_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("speaker,role,text\n客服,人工,您好\n用户,VIP,喂\n", encoding="utf-8")
    assert [call.turns for call in read_transcripts(path)] == [[("客服", "您好"), ("用户", "喂")]]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "call,channel,start,text\n1,客服,0.5,您好\n1,客服,9,十块\n1,用户,2.5,多少钱\n"),
        ("a.csv", "通话,角色,开始时间,文本\n1,客服,10:00:01,您好\n1,客服,10:00:09,十块\n1,用户,10:00:02,多少钱\n"),
        (
            "a.json",
            (
                '{"segments": [{"role": "客服", "start": 0, "text": "您好"}, '
                '{"role": "客服", "start": 9, "text": "十块"}, {"role": "用户", "start": 2, "text": "多少钱"}]}'
            ),
        ),
    ],
)
def test_a_side_after_the_other_is_put_in_the_order_of_time(
    name: str, content: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Recognisers write a file of two channels so; all of the staff was one utterance."""
    (tmp_path / name).write_text(content, encoding="utf-8")
    (call,) = read_transcripts(tmp_path / name)
    assert call.turns == [("客服", "您好"), ("用户", "多少钱"), ("客服", "十块")]
    assert "in 1 call what is said was not in the order of its times; now it is" in caplog.text


def test_dates_in_front_of_speakers_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(
        "2026-11-03 10:23:01 客服: 您好\n[2026/11/3 10:23] 用户：喂\n2026年11月3日 10:24 客服: 请讲\n", encoding="utf-8"
    )
    (call,) = read_transcripts(path)
    assert call.turns == [("客服", "您好"), ("用户", "喂"), ("客服", "请讲")]


def test_times_in_front_of_speakers_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("[00:01] 客服: 您好\n【00:03.5】用户：喂\n00:00:07 客服: 请讲\n", encoding="utf-8")
    (call,) = read_transcripts(path)
    assert call.turns == [("客服", "您好"), ("用户", "喂"), ("客服", "请讲")]


def test_a_list_of_utterances_is_one_call(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[["客服", "您好"], ["用户", "喂"]]', encoding="utf-8")
    assert [call.turns for call in read_transcripts(path)] == [[("客服", "您好"), ("用户", "喂")]]


NAMED = {
    "a.csv": "通话编号,说话者,文字\n1,客服,您好\n1,用户,喂\n2,用户,你好\n2,客服,请讲\n",
    "b.csv": "Call ID,Speaker,Transcript\n1,客服,您好\n1,用户,喂\n2,用户,你好\n2,客服,请讲\n",
    "a.jsonl": (
        '{"录音编号": 1, "角色": "客服", "转写文本": "您好"}\n{"录音编号": 1, "角色": "用户", "转写文本": "喂"}\n'
        '{"录音编号": 2, "角色": "用户", "转写文本": "你好"}\n{"录音编号": 2, "角色": "客服", "转写文本": "请讲"}\n'
    ),
    "b.jsonl": (
        '{"callId": 1, "Speaker": "客服", "Text": "您好"}\n{"callId": 1, "Speaker": "用户", "Text": "喂"}\n'
        '{"callId": 2, "Speaker": "用户", "Text": "你好"}\n{"callId": 2, "Speaker": "客服", "Text": "请讲"}\n'
    ),
}


@pytest.mark.parametrize("name", NAMED)
def test_columns_and_keys_are_known_by_their_usual_names(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(NAMED[name], encoding="utf-8")
    calls = [call.turns for call in read_transcripts(tmp_path / name)]
    assert calls == [[("客服", "您好"), ("用户", "喂")], [("用户", "你好"), ("客服", "请讲")]]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "批次,speaker,text\n1,客服,您好\n1,用户,喂\n2,客服,请讲\n"),
        ("a.jsonl", '{"批次": 1, "speaker": "客服", "text": "您好"}\n{"批次": 2, "speaker": "用户", "text": "喂"}\n'),
    ],
)
def test_rows_become_one_call_with_a_word_of_what_was_not_read(
    name: str, content: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert len(read_transcripts(tmp_path / name)) == 1
    assert "all rows are one call; not read: 批次" in caplog.text


def test_rows_without_other_columns_are_one_call(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a.csv").write_text("speaker,text\n客服,您好\n用户,喂\n", encoding="utf-8")
    assert len(read_transcripts(tmp_path / "a.csv")) == 1
    assert not caplog.records


def test_columns_that_are_not_known_are_told_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("谁;说了什么\n客服;您好\n", encoding="utf-8")
    with pytest.raises(FormatError, match="found '谁;说了什么', expected a column"):
        read_transcripts(tmp_path / "a.csv")


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16"])
@pytest.mark.parametrize("name", FORMS)
def test_files_in_other_encodings_are_read_when_told(name: str, encoding: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FORMS[name].encode(encoding))
    with pytest.raises(FormatError, match=rf"not UTF-8; it may be {encoding}: say --encoding {encoding}"):
        read_transcripts(tmp_path / name)
    assert [call.turns for call in read_transcripts(tmp_path / name, encoding)] == CALLS


def test_a_file_that_is_utf_8_is_read_as_such_beside_others(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(FORMS["a.txt"], encoding="utf-8")
    assert [call.turns for call in read_transcripts(tmp_path / "a.txt", "gb18030")] == CALLS


def test_wrong_and_unknown_encodings_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("客服: 您好".encode("gb18030") + b"\xff")
    with pytest.raises(FormatError, match="not UTF-8; save the file as UTF-8"):
        read_transcripts(tmp_path / "a.txt", "gb18030")
    for name in ("klingon", "base64"):
        with pytest.raises(UsageError, match=f"no encoding of texts '{name}'"):
            read_transcripts(tmp_path / "a.txt", name)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "客服: 您好\n用户: 喂\n\n客服:\n用户:  \n\n客服: 请讲\n"),
        ("a.csv", "call,speaker,text\n1,客服,您好\n1,用户,喂\n2,客服,\n2,用户,\n3,客服,请讲\n"),
        (
            "a.jsonl",
            (
                '{"turns": [["客服", "您好"], ["用户", "喂"]]}\n{"turns": []}\n'
                '{"turns": [{"speaker": "客服", "text": "请讲"}, {"speaker": "用户", "text": null}]}\n'
            ),
        ),
    ],
)
def test_calls_in_which_nobody_speaks_are_counted_and_refuse_no_file(
    name: str, content: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    calls = [call.turns for call in read_transcripts(tmp_path / name)]
    assert calls == [[("客服", "您好"), ("用户", "喂")], [("客服", "请讲")]]
    assert caplog.messages == [f"{tmp_path / name}: 1 call left out, in which nobody says anything"]
