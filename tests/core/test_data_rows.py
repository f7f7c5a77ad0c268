"""Rows keep the text that they have in a file, and so does what stands around them."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.core.data_rows import DataRow, DataRows, block_rows, json_rows, line_rows
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    max_leaves=12,
)


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def joined(cut: DataRows) -> str:
    return cut.start + cut.between.join(row.text for row in cut.rows()) + cut.end


@given(value=st.lists(VALUES) | st.dictionaries(st.text(), VALUES), comma=st.sampled_from([",", ", ", ",\n  "]))
def test_the_rows_of_json_together_are_the_file(value: object, comma: str, tmp_path: Path) -> None:
    text = json.dumps(value, separators=(comma, comma.replace(",", ":")), ensure_ascii=comma == ",")
    path = put(tmp_path / "a.json", text)
    cut = json_rows(path)
    assert joined(cut) == text
    rows = list(cut.rows())
    assert isinstance(value, list | dict)
    assert len(rows) == len(value)
    if isinstance(value, list):
        assert [json.loads(row.text) for row in rows] == value


def test_rows_are_called_by_their_id_or_their_number(tmp_path: Path) -> None:
    path = put(tmp_path / "a.json", '[{"dialog_id": "x"}, {"id": "y"}, [1], {"id": 3}]')
    assert [row.name for row in json_rows(path).rows()] == ["x", "y", "3", "4"]
    packed = tmp_path / "a.json.gz"
    packed.write_bytes(gzip.compress(b'{"k": [1], "l": {}}'))
    assert list(json_rows(packed).rows()) == [DataRow("k", "k", '"k": [1]'), DataRow("l", "l", '"l": {}')]


def test_a_number_is_no_file_of_rows(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="expected a JSON list or object"):
        json_rows(put(tmp_path / "a.json", "7"))


def test_lines_and_blocks(tmp_path: Path) -> None:
    path = put(tmp_path / "a.txt", "\n\na\nb\n \nc")
    assert [row.text for row in block_rows(path).rows()] == ["a\nb\n\n", "c\n\n"]
    blocks = block_rows(path, lambda block, number: f"{block[0]}{number}")
    assert [row.dialogue for row in blocks.rows()] == ["a1", "c2"]
    assert [row.name for row in line_rows(path).rows()] == list("123456")
    again = line_rows(path, lambda line, _: line).relabelled(lambda row: row.dialogue * 2)
    assert [row.dialogue for row in again.rows()] == ["", "", "aa", "bb", "  ", "cc"]


def test_a_byte_order_mark_is_no_part_of_the_first_row(tmp_path: Path) -> None:
    path = put(tmp_path / "a.txt", "\ufeffa\n\nb\n")
    for cut in (line_rows(path, lambda line, _: line), block_rows(path, lambda lines, _: lines[0])):
        first = next(iter(cut.rows()))
        assert (first.dialogue, first.text.strip()) == ("a", "a")


def test_between_rows_stands_what_stands_between_the_first_two_and_a_comma_where_there_is_one(tmp_path: Path) -> None:
    for text, between in (("[1]", ", "), ("[1,\n2, 3]", ",\n"), ("[]", ""), ('{"a": 1}', ", ")):
        assert json_rows(put(tmp_path / "a.json", text)).between == between
    assert [row.name for row in json_rows(put(tmp_path / "a.json", '[{"dialogue_id": "u", "id": "v"}, 1]')).rows()] == [
        "u",
        "2",
    ]
