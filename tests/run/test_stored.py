from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import pytest

from duologue.run.stored import StoredFile, locate, told

if TYPE_CHECKING:
    from pathlib import Path

CONTENT = b"[]"


def named(path: object) -> StoredFile:
    return StoredFile(path=str(path), sha256=hashlib.sha256(CONTENT).hexdigest())


def put(path: Path, content: bytes = CONTENT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")


def test_a_file_is_found_beside_the_report_below_named_folders_and_below_the_current_one(tmp_path: Path) -> None:
    beside = tmp_path / "reports" / "x.report.json"
    kept = put(tmp_path / "reports" / "gold.json")
    assert locate(named("/somebody/else/gold.json"), beside).path == kept
    moved = put(tmp_path / "data" / "deep" / "er" / "truth.json")
    assert locate(named("truth.json"), beside).path is None
    assert locate(named("C:\\work\\truth.json"), beside, [tmp_path / "data"]).path == moved
    here = put(tmp_path / "elsewhere" / "tst1" / "here.json")
    assert locate(named("/once/was/tst1/here.json"), beside).path is not None
    assert here.is_file()


def test_a_stored_path_is_never_opened_as_it_stands(tmp_path: Path) -> None:
    secret = put(tmp_path / "secret" / "truth.json")
    beside = put(tmp_path / "reports" / "x.report.json")
    for path in (secret, "../secret/truth.json", "a/../../secret/truth.json", f"{secret}\0", "", "/", ".."):
        assert locate(named(path), beside).path is None
        assert locate(named(path), None).path is None


def test_neither_links_that_lead_elsewhere_nor_pipes_nor_devices_are_opened(tmp_path: Path) -> None:
    beside = put(tmp_path / "reports" / "x.report.json")
    secret = put(tmp_path / "secret.json")
    (tmp_path / "reports" / "link.json").symlink_to(secret)
    (tmp_path / "reports" / "zero.json").symlink_to("/dev/zero")
    (tmp_path / "reports" / "ring.json").symlink_to("ring.json")
    os.mkfifo(tmp_path / "reports" / "pipe.json")
    for name in ("link.json", "zero.json", "ring.json", "pipe.json"):
        assert locate(named(name), beside).path is None, name


def test_the_file_with_the_stored_hash_is_taken_before_one_of_the_same_name(tmp_path: Path) -> None:
    beside = tmp_path / "reports" / "x.report.json"
    other = put(tmp_path / "reports" / "gold.json", b"other")
    found = locate(named("tst2/gold.json"), beside)
    assert found.path is None
    assert "the file has changed: stored hash 4f53cda18c2b" in told(named("tst2/gold.json"), found)
    assert found.changed is not None
    assert found.changed[0] == other
    right = put(tmp_path / "data" / "tst2" / "gold.json")
    assert locate(named("tst2/gold.json"), beside, [tmp_path / "data"]).path == right
