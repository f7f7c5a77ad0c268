from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.proactive.formats.graph_file import read_graph
from duologue.core.errors import FormatError
from duologue.core.records import Fact

if TYPE_CHECKING:
    from pathlib import Path

TRIPLES = [["灯塔", "导演", "沈一帆"], ["灯塔", "类型", "剧情"], ["沈一帆", "职业", "导演"]]
FACTS = [Fact(subject=one, relation=two, object=three) for one, two, three in TRIPLES]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(TRIPLES),
        "\n".join(map(json.dumps, TRIPLES)) + "\n",
        "\n".join("\t".join(one) for one in [*TRIPLES, TRIPLES[0], ["沈一帆", "评论", ""]]) + "\n",
        json.dumps({"灯塔": TRIPLES[:2], "沈一帆": TRIPLES[2:]}, indent=1),
        json.dumps({"goal": [["START", "灯塔", "沈一帆"], TRIPLES[0]], "knowledge": TRIPLES, "conversation": []}),
    ],
    ids=["list", "lines", "tabs", "entities", "session"],
)
def test_a_graph_is_read_in_each_of_its_forms(tmp_path: Path, text: str) -> None:
    path = tmp_path / "graph"
    path.write_text(text, encoding="utf-8")
    assert read_graph(path) == FACTS


def test_only_line_ends_part_the_triples_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "graph"
    path.write_text('["灯塔", "简介", "一\u2028二"]\n["灯塔", "类型", "剧情"]\n', encoding="utf-8")
    assert [fact.object for fact in read_graph(path)] == ["一\u2028二", "剧情"]


@pytest.mark.parametrize(
    ("text", "rule"),
    [("a\tb\n", "graph-triple"), ('[["a", "b", 3]]', "graph-triple"), ("", "graph-empty"), ("{", "not-json")],
)
def test_what_is_no_graph_is_refused_with_its_place(tmp_path: Path, text: str, rule: str) -> None:
    path = tmp_path / "graph"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as raised:
        read_graph(path)
    assert rule in {one.rule for one in raised.value.problems}


def test_a_line_of_a_graph_that_is_cut_off_is_told_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "graph"
    path.write_text('["灯塔", "简介", "一"]\n["灯塔", "类型"]\n["灯塔", "类\n', encoding="utf-8")
    with pytest.raises(FormatError, match=r"line 3, column 8: .* was the line cut off"):
        read_graph(path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '{"灯塔": [["灯塔", "类型", "剧情"], ["灯塔", "又名", ["塔", "灯"]]]}',
            "/灯塔/1: the object is a list of 2, expected",
        ),
        ('[["a", "b", "c"], ["a", null, "c"]]', "/1: the relation is null, expected"),
        ('["a", "b", "c"]\n["a", "b"]\n', "line 2: found a list of 2, expected three texts"),
        (
            '{"knowledge": [["a", "b", 3]], "goal": [["START", "x", "y"], ["a", "b"]]}',
            "/goal/1: found a list of 2, expected",
        ),
        ("a\tb\n", "line 1: found a list of 2, expected three texts"),
    ],
)
def test_what_is_no_triple_is_told_by_its_place_and_its_part(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "graph"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as raised:
        read_graph(path)
    assert told in str(raised.value)
