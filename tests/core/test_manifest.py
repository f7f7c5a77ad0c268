from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from duologue.core.disk import sha256
from duologue.core.errors import FormatError, UsageError
from duologue.core.manifest import CorpusManifest, corpus_key
from duologue.core.records import Record

if TYPE_CHECKING:
    from pathlib import Path


class Sizes(Record, frozen=True):
    n: int = 1


def test_the_key_changes_with_all_that_changes_bytes() -> None:
    keys = {
        corpus_key(1, recipe=Sizes(), seed=1, sources=["a", "b"]),
        corpus_key(2, recipe=Sizes(), seed=1, sources=["a", "b"]),
        corpus_key(1, recipe=Sizes(2), seed=1, sources=["a", "b"]),
        corpus_key(1, recipe=Sizes(), seed=2, sources=["a", "b"]),
        corpus_key(1, recipe=Sizes(), seed=1, sources=["ab"]),
    }
    assert len(keys) == 5
    assert corpus_key(1, recipe=Sizes(), seed=1, sources=["a", "b"]) in keys


def test_a_file_is_complete_only_as_it_was_entered(tmp_path: Path) -> None:
    path = tmp_path / "train" / "a.json"
    path.parent.mkdir()
    path.write_text("[]")
    CorpusManifest(tmp_path, "k").add(path, sha256(b"[]"))
    assert CorpusManifest(tmp_path, "k").is_complete(path)
    assert not CorpusManifest(tmp_path, "other").is_complete(path)
    path.write_text("[1]")
    assert not CorpusManifest(tmp_path, "k").is_complete(path)
    path.unlink()
    assert not CorpusManifest(tmp_path, "k").is_complete(path)


def test_files_of_another_corpus_are_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[]")
    CorpusManifest(tmp_path, "old").add(tmp_path / "a.json", sha256(b"[]"))
    for planned in ([tmp_path / "a.json"], [tmp_path / "b.json"]):
        with pytest.raises(UsageError, match=r"another recipe, seed or version of duologue \(a.json\); choose another"):
            CorpusManifest(tmp_path, "new").check_planned(planned)
    CorpusManifest(tmp_path, "old").check_planned([tmp_path / "b.json"])
    (tmp_path / "a.json").unlink()
    CorpusManifest(tmp_path, "new").check_planned([tmp_path / "a.json"])


def test_a_file_that_no_corpus_has_is_somebodys_own_unless_this_one_has_begun(tmp_path: Path) -> None:
    mine = tmp_path / "mine.json"
    mine.write_text("[]")
    with pytest.raises(UsageError, match=r"files of these names that are none of this corpus \(mine.json\)"):
        CorpusManifest(tmp_path, "k").check_planned([mine, tmp_path / "other.json"])
    CorpusManifest(tmp_path, "k").begin([])
    CorpusManifest(tmp_path, "k").check_planned([mine])  # a run was killed before it could enter it


def test_a_damaged_ledger_is_reported_and_a_strange_one_ignored(tmp_path: Path) -> None:
    path = tmp_path / ".generated.json"
    path.write_text("[1, 2]")
    assert CorpusManifest(tmp_path, "k").files == {}
    path.write_text('{"key": "k", "files": {"a.json": ' + "[" * 400 + "]" * 400 + "}}")
    assert CorpusManifest(tmp_path, "k").files == {}
    path.write_text('{"key": ')
    with pytest.raises(FormatError, match=r"generated\.json"):
        CorpusManifest(tmp_path, "k")


def test_files_of_another_version_of_duologue_are_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    key = corpus_key(1, recipe=Sizes(), seed=1)
    monkeypatch.setattr("duologue.core.manifest.__version__", "0.0.0")
    assert corpus_key(1, recipe=Sizes(), seed=1) != key


def test_what_a_killed_run_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / ".a.json.x1.part").write_text("half")
    (tmp_path / ".b.json.x1.part").write_text("somebody else's")
    CorpusManifest(tmp_path, "k").begin([tmp_path / "a.json"])
    assert sorted(path.name for path in tmp_path.iterdir()) == [".b.json.x1.part", ".generated.json"]


@pytest.mark.parametrize(
    ("count", "told"), [(3, "(a, b, c)"), (4, "(a, b, c and 1 more)"), (6, "(a, b, c and 3 more)")]
)
def test_of_files_that_would_mix_three_are_named(tmp_path: Path, count: int, told: str) -> None:
    old = CorpusManifest(tmp_path, "old")
    for name in "abcdef"[:count]:
        (tmp_path / name).write_text("[]")
        old.add(tmp_path / name, sha256(b"[]"))
    with pytest.raises(UsageError, match=re.escape(f"another recipe, seed or version of duologue {told}; choose")):
        CorpusManifest(tmp_path, "new").check_planned([])


def test_files_are_entered_in_the_order_of_their_names(tmp_path: Path) -> None:
    made = CorpusManifest(tmp_path, "k")
    for name in ("b/c", "a"):
        made.add(tmp_path / name, "0" * 3)
    text = (tmp_path / ".generated.json").read_text(encoding="utf-8")
    assert text == '{\n "key": "k",\n "files": {\n  "a": "000",\n  "b/c": "000"\n }\n}\n'
