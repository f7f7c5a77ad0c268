from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.core.errors import FormatError
from duologue.core.records import Report
from duologue.run.stored import StoredFile, files_of, locate, stored, told

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
    (tmp_path / "data" / "deep").mkdir(parents=True)
    (tmp_path / "data" / "deep" / "link.json").symlink_to(secret)
    assert locate(named("link.json"), None, [tmp_path / "data"]) == (None, None)


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


def test_a_folder_of_too_many_entries_is_not_gone_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duologue.run.stored.MAX_ENTRIES", 2)
    for name in ("a", "b"):
        put(tmp_path / "data" / name / "x.txt")
    deep = put(tmp_path / "data" / "b" / "truth.json")
    assert locate(named("truth.json"), None, [tmp_path / "data"]).path is None
    put(tmp_path / "data" / "b" / "truth.json").unlink()
    first = put(tmp_path / "data" / "a" / "truth.json")
    assert locate(named("truth.json"), None, [tmp_path / "data"]).path == first
    assert not deep.exists()


def test_a_file_that_is_missing_is_told_with_what_to_do(tmp_path: Path) -> None:
    found = locate(named("gold.json"), tmp_path / "x.report.json")
    assert (found.path, found.changed) == (None, None)
    assert told(named("gold.json"), found).startswith("gold.json: no such file beside the report")
    assert "--in FOLDER" in told(named("gold.json"), found)


def test_the_first_of_several_changed_files_is_told(tmp_path: Path) -> None:
    beside = tmp_path / "reports" / "x.report.json"
    near, far = put(tmp_path / "reports" / "gold.json", b"1"), put(tmp_path / "data" / "gold.json", b"2")
    found = locate(named("gold.json"), beside, [tmp_path / "data"])
    assert found.changed == (near, hashlib.sha256(b"1").hexdigest())
    assert far.is_file()


def test_what_a_report_keeps_of_a_file_is_its_path_and_hash(tmp_path: Path) -> None:
    path = put(tmp_path / "x")
    digest = hashlib.sha256(CONTENT).hexdigest()
    assert stored(path) == {"path": str(path), "sha256": digest}
    assert stored(path, "vectors") == {"path": str(path), "sha256": digest, "option": "vectors"}


@pytest.mark.parametrize(
    ("pred", "data", "fine"), [(1, 0, True), (1, 1, True), (0, 0, False), (2, 0, False), (1, 2, False)]
)
def test_a_report_is_made_from_one_result_and_at_most_one_data_file(pred: int, data: int, *, fine: bool) -> None:
    one = {"path": "x", "sha256": "0"}
    told = {"pred": [one] * pred, "input": [one] * data}
    report = Report(task="t", variant="v", n=0, scores=(), rank_by="", meta={"files": told})
    if fine:
        files = files_of(report, "r")
        assert files is not None
        assert (len(files.pred), len(files.input)) == (pred, data)
    else:
        with pytest.raises(FormatError, match=f"names {pred} result files and {data} data files; one is scored"):
            files_of(report, "r")
    assert files_of(msgspec.structs.replace(report, meta={}), "r") is None
    with pytest.raises(FormatError, match="cannot be told"):
        files_of(msgspec.structs.replace(report, meta={"files": {"pred": 3}}), "r")


def test_sixty_four_parts_of_a_stored_path_are_looked_at(tmp_path: Path) -> None:
    deep = "/".join(["d"] * 63)
    kept = put(tmp_path / "reports" / deep / "x.json")
    assert locate(named(f"/was/there/{deep}/x.json"), tmp_path / "reports" / "r.json").path == kept
    deeper = put(tmp_path / "more" / "d" / deep / "x.json")
    assert locate(named(f"/was/there/d/{deep}/x.json"), tmp_path / "more" / "r.json").path is None
    assert deeper.is_file()


def test_a_changed_file_is_told_with_twelve_digits_of_both_hashes(tmp_path: Path) -> None:
    other = put(tmp_path / "gold.json", b"other")
    found = locate(named("gold.json"), tmp_path / "x.report.json")
    here, there = (hashlib.sha256(one).hexdigest()[:12] for one in (CONTENT, b"other"))
    assert told(named("gold.json"), found) == f"{other}: the file has changed: stored hash {here}, found {there}"
