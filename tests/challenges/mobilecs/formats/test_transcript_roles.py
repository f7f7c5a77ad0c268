from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.mobilecs.formats.imported_calls import import_calls
from duologue.challenges.mobilecs.formats.transcript_roles import names_of, role_of

if TYPE_CHECKING:
    from pathlib import Path


STAFF = (
    "客服|坐席|agent|Agent 7|客服001|坐席-张三|客服小王|客服王老师|坐席张三|话务员阿李|客服代表|客服代表小王|"
    "客服专员李娜|客服主管|客服老师|坐席A|客服甲|客服小王01|Agent小王|工号123|工号 8027"
)
CUSTOMER = "用户|客户李女士|客户张三|用户小陈|顾客欧阳先生|机主王某|客户B|客户女士|Customer 3|user李明"
NEITHER = (
    "客户经理|客户代表|客户服务|客户顾问|客户管家|客户关系|客户经理小王|客户余额|客户项目|客户电话|用户要求|客服电话|客服热线|"
    "客服时间|工号|agents|users|王小明|system提示|客户客服"
)


@pytest.mark.parametrize(("speakers", "role"), [(STAFF, True), (CUSTOMER, False), (NEITHER, None)])
def test_a_role_is_told_by_a_word_alone_or_before_who_it_is_and_by_nothing_else(speakers: str, role: object) -> None:
    assert {speaker: role_of(speaker) for speaker in speakers.split("|")} == dict.fromkeys(speakers.split("|"), role)


def test_names_behind_a_role_are_those_of_people() -> None:
    assert names_of("客服小王") == ["小王"]
    assert names_of("客户李女士") == ["李女士"]
    assert names_of("客服主管") == names_of("客服A") == names_of("工号8027") == []


def test_transcripts_with_names_behind_their_roles_need_no_names_of_the_staff(tmp_path: Path) -> None:
    path = tmp_path / "calls.txt"
    text = "客服小王：您好\n客户李女士：小王你好\n客服小陈：李女士请讲\n\n工号8027：您好\n用户王先生：喂\n"
    path.write_text(text, encoding="utf-8")
    found = import_calls([path])
    assert [row["content"] for row in found.rows] == [
        [{"[SPEAKER 1]": "您好", "[SPEAKER 2]": "<NAME_1>你好"}, {"[SPEAKER 1]": "<NAME_2>请讲", "[SPEAKER 2]": ""}],
        [{"[SPEAKER 1]": "您好", "[SPEAKER 2]": "喂"}],
    ]
