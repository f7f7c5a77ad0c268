from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from duologue.core.errors import FormatError, UsageError
from duologue.core.manifest import MANIFEST_NAME
from duologue.exports.generated_corpus import read_corpus

if TYPE_CHECKING:
    from pathlib import Path


def test_a_corpus_is_told_with_rows_columns_seed_and_proved_hashes(booking: Path) -> None:
    corpus = read_corpus("restaurant", booking)
    assert corpus.seed == "3"
    assert "subtask = 1" in corpus.recipe
    kb, answers, data = corpus.files
    assert (kb.name, kb.rows, kb.columns) == ("extendedkb1.txt", None, {})
    assert (answers.rows, data.rows) == (4, 4)
    assert data.columns["dialog_id"] == "text"
    assert data.size == (booking / data.name).stat().st_size


def test_a_file_that_was_changed_or_lies_elsewhere_is_told(booking: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.json").write_text("[]", encoding="utf-8")
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.json").write_text("[1]", encoding="utf-8")
    listed = dict.fromkeys(["a.json", "../outside.json", "/etc/hostname", "gone.json", "\udfff.json", "\0.json"], "00")
    (folder / MANIFEST_NAME).write_text(json.dumps({"key": "k", "files": listed}), encoding="utf-8")
    with pytest.raises(FormatError) as told:
        read_corpus("restaurant", folder)
    said = {one.place: one.message for one in told.value.problems}
    assert said.pop("a.json") == "the file is not what was written"
    assert set(said.values()) == {"there is no such file in the corpus"}
    assert len(said) == 5


def test_what_is_no_corpus_of_a_simulator_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no corpus of"):
        read_corpus("restaurant", tmp_path)
    with pytest.raises(UsageError, match="proactive"):
        read_corpus("proactive", tmp_path)
    (tmp_path / MANIFEST_NAME).write_text("[]", encoding="utf-8")
    with pytest.raises(FormatError, match="no manifest"):
        read_corpus("restaurant", tmp_path)
