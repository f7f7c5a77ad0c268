from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.result_note import is_of_a_run, provenance_path, read_note

if TYPE_CHECKING:
    from pathlib import Path


def test_a_note_speaks_for_the_result_whose_hash_it_has(tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    note = provenance_path(result)
    assert note.name == "result.run.toml"
    assert provenance_path(tmp_path / "replies.txt").name == "replies.txt.run.toml"
    assert read_note(result) is None
    assert not is_of_a_run(result, "a")
    note.write_text('result_hash = "a"\n', encoding="utf-8")
    assert read_note(result) == {"result_hash": "a"}
    assert is_of_a_run(result, "a")
    assert not is_of_a_run(result, "b")
    note.write_text("no note", encoding="utf-8")
    assert read_note(result) == {}
    assert not is_of_a_run(result, "a")
