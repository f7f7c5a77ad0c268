from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.mobilecs.formats import dialogue_views
from duologue.core.annotation import Bilingual
from duologue.core.errors import FormatError
from duologue.core.marked_text import MarkedText

if TYPE_CHECKING:
    from pathlib import Path


def saved(rows: Any, path: Path) -> Path:
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_an_annotated_call_has_its_marks_in_the_order_of_their_lines(golden: Path) -> None:
    first = next(dialogue_views.views(golden / "extraction/contract/raw.json"))
    said = first.utterances[2]
    assert (said.speaker, list(said.notes)) == ("staff", [Bilingual(en="intents: 通知 (inform)", zh="意图：通知")])
    assert isinstance(said.text, MarkedText)
    assert [said.text.text[one.start : one.end] for one in said.text.stretches] == ["青松套餐", "四十六元", "七个G"]
    assert [one if isinstance(one, str) else one.en for one in said.legend] == [
        "青松套餐: ent-1 is 主套餐 (main plan)",
        "四十六元: ent-1 has 业务费用 (fee)",
        "七个G: ent-1 has 流量总量 (data volume)",
    ]
    assert said.legend[1] == Bilingual(en="四十六元: ent-1 has 业务费用 (fee)", zh="四十六元：ent-1 的业务费用")
    assert not first.tables


def test_track_2_has_knowledge_base_and_goal_and_what_a_system_said(golden: Path, tmp_path: Path) -> None:
    path = golden / "dialogue/contract/dialogues.json"
    base, goal = next(dialogue_views.views(path)).tables
    assert (base.title, base.rows[0], base.rows[1]) == (
        "knowledge base",
        (Bilingual(en="ent-1", zh="ent-1"), "name", "青松套餐"),
        ("", "type", Bilingual(en="主套餐 (main plan)", zh="主套餐")),
    )
    fee, asked = Bilingual(en="业务费用 (fee)", zh="业务费用"), Bilingual(en="asked", zh="询问")
    assert ("", fee, asked, "") in goal.rows
    rows = json.loads(path.read_text(encoding="utf-8"))[:1]
    rows[0]["content"][0] |= {"用户意图-生成": "询问", "客服意图-生成": "通知", "客服-生成": "四十六元"}
    made = next(dialogue_views.views(saved(rows, tmp_path / "made.json"))).utterances[2]
    assert (made.speaker, made.text, made.role) == ("system", "四十六元", "answer")
    assert list(made.notes) == [
        Bilingual(en="understood: 询问 (ask)", zh="理解为：询问"),
        Bilingual(en="chosen: 通知 (inform)", zh="选择：通知"),
    ]


def test_a_result_of_track_1_is_two_tables(tmp_path: Path) -> None:
    row = {
        "id": "a",
        "entities": [{"id": "ent-1", "name": "青松套餐", "type": "主套餐", "turn_id": 3, "position": [0, 4]}],
        "triples": [{"ent-id": "NA", "prop": "账户余额", "value": "十块", "turn_id": 4}],
    }
    mentions, values = next(dialogue_views.views(saved([row], tmp_path / "a.json"))).tables
    place = Bilingual(en="turn 3, characters 0-4", zh="轮次 3，字符 0-4")
    assert list(mentions.rows) == [(place, "青松套餐", "ent-1", Bilingual(en="主套餐 (main plan)", zh="主套餐"))]
    place, user = Bilingual(en="turn 4", zh="轮次 4"), Bilingual(en="user", zh="用户")
    balance = Bilingual(en="账户余额 (account balance)", zh="账户余额")
    assert list(values.rows) == [(place, "十块", user, balance)]


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError):
        list(dialogue_views.views(saved({"no": "list"}, tmp_path / "a.json")))
