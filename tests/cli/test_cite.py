"""`duologue cite`."""

from __future__ import annotations

import json
from typing import Any


def test_a_task_is_cited_with_its_data_as_text_and_bibtex(duologue: Any) -> None:
    said = duologue("cite", "spoken").out
    assert "Hao Zhou, Chujie Zheng, Kaili Huang, Minlie Huang and Xiaoyan Zhu. KdConv" in said
    assert said.count("\n@") == 3
    only = duologue("cite", "spoken", "--only", "kdconv", "--bibtex").out
    assert only.startswith("@inproceedings{zhou-2020-kdconv,\n")
    assert "huawei" not in only
    assert "@" not in duologue("cite", "mobilecs/dialogue", "--plain").out
    rows = json.loads(duologue("cite", "restaurant", "--json").out)
    assert [row["key"] for row in rows] == ["hori-2019-overview", "bordes-2017-learning", "duologue"]
    assert json.loads(duologue("cite", "--json").out)[0]["key"] == "duologue"


def test_what_cannot_be_cited_is_told(duologue: Any) -> None:
    assert "did you mean 'restaurant'" in duologue("cite", "restaurnat").err
    assert "name the task" in duologue("cite", "--only", "kdconv").err
    assert "give one of the two" in duologue("cite", "--plain", "--bibtex").err
