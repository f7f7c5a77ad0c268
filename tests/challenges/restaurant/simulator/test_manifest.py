from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.challenges.restaurant.simulator.manifest import CorpusManifest, corpus_key
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.core.disk import sha256
from duologue.core.errors import FormatError, UsageError
from duologue.core.records import Fact

if TYPE_CHECKING:
    from pathlib import Path

FACTS = [Fact(subject="x", relation="price", object="cheap")]


def test_the_key_changes_with_all_that_changes_bytes_and_with_nothing_else() -> None:
    key = corpus_key(Generation(), 1, [FACTS])
    assert key == corpus_key(Generation(part="tst1", subtask=2, n=7, train_dialogs=3), 1, [FACTS])
    changed = [msgspec.structs.replace(FACTS[0], object="dear")]
    others = {
        corpus_key(Generation(), 2, [FACTS]),
        corpus_key(Generation(hedge_info=0.1), 1, [FACTS]),
        corpus_key(Generation(release="b"), 1, [FACTS]),
        corpus_key(Generation(), 1, [changed]),
    }
    assert len(others) == 4
    assert key not in others


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


def test_files_of_another_corpus_are_replaced_all_or_not_at_all(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text("[]")
        CorpusManifest(tmp_path, "old").add(tmp_path / name, sha256(b"[]"))
    with pytest.raises(UsageError, match=r"another recipe, seed or version of duologue \(b.json\)"):
        CorpusManifest(tmp_path, "new").check_planned([tmp_path / "a.json"])
    CorpusManifest(tmp_path, "new").check_planned([tmp_path / "a.json", tmp_path / "b.json"])
    CorpusManifest(tmp_path, "old").check_planned([tmp_path / "a.json"])


def test_a_damaged_ledger_is_reported_and_a_strange_one_ignored(tmp_path: Path) -> None:
    path = tmp_path / ".generated.json"
    path.write_text("[1, 2]")
    assert CorpusManifest(tmp_path, "k").files == {}
    path.write_text('{"key": ')
    with pytest.raises(FormatError, match=r"generated\.json"):
        CorpusManifest(tmp_path, "k")


def test_files_of_another_version_of_duologue_are_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    key = corpus_key(Generation(), 1, [FACTS])
    monkeypatch.setattr("duologue.challenges.restaurant.simulator.manifest.__version__", "0.0.0")
    assert corpus_key(Generation(), 1, [FACTS]) != key
