from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.mobilecs.formats.transcripts import read_transcripts
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

CALLS = [
    [("agent", "hello"), ("customer", "hi_how much"), ("agent", "ten")],
    [("customer", "hi"), ("agent", "yes")],
]
SIDES = {
    "rounds.csv": "call,agent,customer\n1,hello,hi\n1,,how much\n1,ten,\n2,,hi\n2,yes,\n",
    "turns.csv": "Call ID;Customer text;Agent_Text\n1;;hello\n1;hi;\n1;how much;\n1;;ten\n2;hi;yes\n",
    "rows.jsonl": (
        '{"call": 1, "agent": "hello", "customer": null}\n{"call": 1, "agent": "", "customer": "hi\\nhow much"}\n'
        '{"call": 1, "agent": "ten"}\n{"call": 2, "customer": "hi", "agent": "yes"}\n'
    ),
    "calls.jsonl": (
        '{"turns": [{"agent": "hello", "customer": "hi"}, {"agent": "", "customer": "how much"}, '
        '{"agent": "ten", "customer": ""}]}\n{"turns": [{"customer": "hi", "agent": "yes"}]}\n'
    ),
}


@pytest.mark.parametrize("name", [name for name in SIDES if name != "rows.jsonl"])
def test_each_side_may_have_a_column(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(SIDES[name], encoding="utf-8")
    assert [call.turns for call in read_transcripts(tmp_path / name)] == CALLS


def test_sides_may_have_chinese_names_and_a_time(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("时间,客服内容,客户说\n10:05,十块,\n10:01,您好,喂\n", encoding="gb18030")
    (call,) = read_transcripts(path, "gb18030")
    assert call.turns == [("客服", "您好"), ("客户", "喂"), ("客服", "十块")]


def test_what_is_not_read_beside_sides_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "a.csv"
    path.write_text("call,agent,customer,mood\n1,hello,hi,good\n", encoding="utf-8")
    read_transcripts(path)
    assert caplog.messages == [f"{path}: agent and customer are taken for what each side says; not read: mood"]


@pytest.mark.parametrize(
    ("table", "problems"),
    [
        ("call,agent,operator,customer\n1,a,b,c\n", [("transcript-columns", "line 1")]),
        ("call,agent,customer,text\n1,Anna,Kim,hello\n", [("transcript-columns", "line 1")]),
        ("id,agent,customer\n1,a,b\n2,c,d\n", [("transcript-calls", "")]),
        ("call,agent,customer\n1,a\n1,b,c,d\n", [("transcript-row", "line 2"), ("transcript-row", "line 3")]),
        ("call,speaker,text\n1,agent,a\n,customer,b\n , agent ,c\n", [("transcript-calls", "line 3 and 1 more")]),
        ("call,speaker,text\n1,agent,a\n1,,b\n1, ,c\n", [("transcript-row", "line 3"), ("transcript-row", "line 4")]),
    ],
)
def test_what_a_row_does_not_tell_is_told(table: str, problems: list[tuple[str, str]], tmp_path: Path) -> None:
    """A row without a speaker became the staff's, and those of merged cells one more call."""
    path = tmp_path / "a.csv"
    path.write_text(table, encoding="utf-8")
    with pytest.raises(FormatError) as found:
        read_transcripts(path)
    assert [(one.rule, one.place) for one in found.value.problems] == problems
    assert all(one.advice or one.rule == "transcript-row" for one in found.value.problems)


def test_blanks_around_what_tells_calls_apart_tell_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("call,speaker,text\n1,agent,a\n1 ,customer,b\n", encoding="utf-8")
    assert [call.turns for call in read_transcripts(path)] == [[("agent", "a"), ("customer", "b")]]


def test_times_that_cannot_be_compared_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "a.csv"
    path.write_text("call,speaker,start,text\n1,agent,5,a\n1,customer,1:02,b\n", encoding="utf-8")
    read_transcripts(path)
    (told,) = caplog.messages
    assert told.endswith("in 1 call not all times are told in one form; what is said stays in the order of the file")
