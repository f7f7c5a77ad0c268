from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.mobilecs.formats.knowledge_files import PASSAGE, read_knowledge
from duologue.challenges.mobilecs.simulator.catalogue import make_catalogue
from duologue.challenges.mobilecs.task import DialogueTask
from duologue.core.errors import FormatError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

PRODUCT = {
    "name": "云帆套餐",
    "type": "主套餐",
    "short": "云帆",
    "fee": 47,
    "volume": 7168,
    "call_rate": 19,
    "area": "国内",
}


def written(path: Path, text: object) -> Path:
    path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    return path


def passages(path: Path) -> list[tuple[str, str]]:
    facts = read_knowledge(path)
    assert {one.relation for one in facts} == {PASSAGE}
    return [(one.subject, str(one.object)) for one in facts]


def test_a_product_is_said_as_in_calls(tmp_path: Path) -> None:
    rows = [{**PRODUCT, "duration": -7, "minutes": 120, "data_rate": 129}, {"name": "彩铃", "业务费用": "五元,一年"}]
    found = {}
    for fact in read_knowledge(written(tmp_path / "c.json", rows)):
        found[fact.subject, fact.relation] = fact.object
    own = "云帆套餐 (1)"
    assert {slot: value for (subject, slot), value in found.items() if subject == own} == {
        "name": ("云帆套餐", "云帆"),
        "type": "主套餐",
        "业务费用": "四十七块钱",
        "流量总量": "七个G",
        "国内主叫": "一分钟一毛九",
        "套餐外通话计费": "一分钟一毛九",
        "流量范围": "国内",
        "业务时长": "七天",
        "通话时长": "一百二十分钟",
        "套餐外流量计费": "一兆一块二毛九",
    }
    assert found["彩铃 (2)", "业务费用"] == "五元，一年"  # a comma would part values


def test_what_the_generator_writes_is_read(tmp_path: Path) -> None:
    catalogue = make_catalogue(1, 0.4)
    DialogueTask().generate(_recipe(), 1, tmp_path, workers=1, progress=None)
    world = DialogueTask().world(tmp_path / "catalogue.json")
    assert sum(fact.relation == "name" for fact in world) == len(catalogue)
    assert {str(fact.object) for fact in world if fact.relation == "业务费用"} >= {"免费", "十八块钱"}


def _recipe() -> Any:
    return DialogueTask.Generation(n=2, unlabelled_ratio=0.0)


def test_a_passage_is_about_its_heading_its_first_line_its_title_or_its_first_words(tmp_path: Path) -> None:
    text = "# **云帆套餐**\n\n每月47元。\n- 次月生效\n\n第二段\n\n## 彩铃\n五元\n"
    assert passages(written(tmp_path / "a.md", text)) == [
        ("云帆套餐", "每月47元。\n次月生效"),
        ("云帆套餐", "第二段"),
        ("彩铃", "五元"),
    ]
    plain = "携号 转网\n要先还清欠费。\n\n《蓝鲸流量包》每月13块钱\n\nABC套餐：一元\n"
    assert passages(written(tmp_path / "b.txt", plain)) == [
        ("携号转网", "要先还清欠费。"),
        ("蓝鲸流量包", "蓝鲸流量包每月13块钱"),
        ("abc套餐", "ABC套餐：一元"),
    ]
    rows = '{"text": "五元", "title": "彩铃"}\n\n{"text": "手机报收费三元"}\n'
    assert passages(written(tmp_path / "c.jsonl", rows)) == [("彩铃", "五元"), ("手机报", "手机报收费三元")]


def test_a_folder_is_its_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "b.md.gz").write_bytes(gzip.compress("# 彩铃\n五元".encode()))
    written(tmp_path / ".hidden.md", "# 手机报\n三元")
    written(tmp_path / "a.json", [PRODUCT])
    written(tmp_path / "notes.csv", "1,2")
    assert [fact.subject for fact in read_knowledge(tmp_path)][-1] == "彩铃"
    assert DialogueTask().world(tmp_path).name == tmp_path.name


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ([{"id": "x", "KB": {}}], "product 1: there is no field 'name'; found 'id', 'KB'"),
        ([{**PRODUCT, "fee": "47"}], "product 1, fee: found '47'; expected a whole number from 0"),
        ([{**PRODUCT, "fee": -1}], "product 1, fee: found -1"),
        ([{**PRODUCT, "type": "车"}], "product 1, type: found '车'; expected one of 业务, "),
        ([{**PRODUCT, "labelled": 1}], "product 1, labelled: found 1; expected true or false"),
        ([{**PRODUCT, "price": 1}], "product 1, price: found 1; expected name, type and slots such as 业务费用"),
        ([{"name": " "}], "product 1, name: found ' '; expected a text"),
        ([3], "product 1: found 3 in place of an object"),
        ('{"text": 3}', "line 1: field 'text' is 3 in place of a text"),
        ('{"text": " "}', "line 1: field 'text' is empty"),
        ('{"body": "x"}', "line 1: unknown field 'body'; expected {"),
        ('{"text": "五元", "title": "彩铃"}\nx', "line 2: this is no JSON"),
        ('{"text": "五元", "title": "彩铃"}\n[]', "line 2: found a list of 0 in place of an object"),
        ("，，，", "line 1: found '，，，', which does not say what it is about; give it a title"),
        (" \n", "found no product and no passage; write one product or rule in each paragraph"),
        ("[]", "found no product and no passage"),
    ],
)
def test_a_file_that_is_none_is_refused_with_place_found_and_expected(text: object, told: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        read_knowledge(written(tmp_path / "kb", text))
    assert told in str(caught.value)
    assert str(tmp_path / "kb") in str(caught.value)


def test_a_folder_without_knowledge_and_no_file_at_all_are_refused(tmp_path: Path) -> None:
    written(tmp_path / "notes.csv", "1,2")
    with pytest.raises(FormatError, match=r"found notes\.csv.*a folder holds files \.json, \.jsonl, \.md, \.txt"):
        read_knowledge(tmp_path)
    with pytest.raises(UsageError, match="no catalogue is built in"):
        DialogueTask().world(None)
