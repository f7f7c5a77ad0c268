from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from duologue.exports.portable import portable, without_folders, xml_text

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_path_below_the_current_folder_is_told_from_there_and_any_other_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert portable(tmp_path / "here" / "a" / "b.json") == "a/b.json"
    assert portable(tmp_path / "b.json") == "b.json"
    assert portable("a/../../b.json") == "b.json"


def test_the_longest_path_of_a_text_goes_first() -> None:
    assert without_folders("/x/t.json.gz and /x/t.json", ["/x/t.json", "/x/t.json.gz", ""]) == "t.json.gz and t.json"


@given(st.text(st.characters()))
def test_any_text_can_stand_in_xml(text: str) -> None:
    made = ET.Element("a", {"b": xml_text(text)})
    made.text = xml_text(text)
    found = ET.fromstring(ET.tostring(made, encoding="unicode"))
    assert (found.text or "") == xml_text(text)
    assert found.get("b") == xml_text(text)
