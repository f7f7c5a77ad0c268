from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.conversation.formats import posts, stores
from duologue.core.errors import FormatError, StorageError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    Row = dict[str, Any]


def post(number: int, name: str = "anna") -> Row:
    return {
        "id": number,
        "id_str": str(number),
        "created_at": "Tue Sep 12 08:01:00 +0000 2017",
        "text": f"post {number}",
        "truncated": False,
        "lang": "en",
        "in_reply_to_status_id": None,
        "user": {"id": len(name), "screen_name": name, "name": name},
    }


def write(folder: Path, account: str, *keys: int) -> None:
    folder.mkdir(exist_ok=True)
    rows = {str(key): [post(key - 1), post(key, account)] for key in keys}
    (folder / f"{account}.json").write_text(json.dumps(rows, indent=2))


def accounts(path: Path) -> dict[str, list[str]]:
    return {store.account: list(store.dialogues) for store in stores.stores_in(path)}


def test_account_files_alone_are_a_store(tmp_path: Path) -> None:
    write(tmp_path, "ShopHelp", 4, 2)
    write(tmp_path, "AirCare", 6)
    assert list(accounts(tmp_path).items()) == [("AirCare", ["6"]), ("ShopHelp", ["4", "2"])]
    assert accounts(tmp_path / "ShopHelp.json") == {"ShopHelp": ["4", "2"]}
    assert [found.id for found in stores.posts_in(tmp_path, {5, 4, 99})] == [5, 4]


def test_what_the_database_knows_it_tells_and_files_add_other_accounts(tmp_path: Path) -> None:
    write(tmp_path, "AirCare", 2)
    write(tmp_path, "ShopHelp", 8)
    with stores.open_base(tmp_path) as base:
        stores.adopt(base, tmp_path, "AirCare")
        base.add([post(3)])
        base.add_dialogues([("AirCare", 3, (2, 3))])
    assert list(accounts(tmp_path).items()) == [("AirCare", ["2", "3"]), ("ShopHelp", ["8"])]
    assert accounts(tmp_path / "posts.sqlite") == {"AirCare": ["2", "3"]}
    assert [found.id for found in stores.posts_in(tmp_path)] == [7, 8, 1, 2, 3]
    assert [found.id for found in stores.posts_in(tmp_path, {3, 7})] == [7, 3]


def test_a_post_of_two_dialogues_is_one_record(tmp_path: Path) -> None:
    with stores.open_base(tmp_path) as base:
        base.add([post(1), post(2), post(3)])
        base.add_dialogues([("A", 2, (1, 2)), ("A", 3, (1, 3))])
    (store,) = stores.stores_in(tmp_path)
    assert store.dialogues["2"][0] is store.dialogues["3"][0]


def test_an_account_file_is_taken_over_once_and_written_when_it_changed(tmp_path: Path) -> None:
    write(tmp_path, "AirCare", 2)
    with stores.open_base(tmp_path) as base:
        stores.adopt(base, tmp_path, "AirCare")
        stores.adopt(base, tmp_path, "AirCare")
        assert stores.export_account(base, tmp_path, "AirCare") is None
        base.add([post(3)])
        base.add_dialogues([("AirCare", 3, (2, 3))])
        assert stores.export_account(base, tmp_path, "AirCare") == tmp_path / "AirCare.json"
        assert stores.export_account(base, tmp_path, "AirCare") is None
        assert stores.export_account(base, tmp_path, "Nobody") is None
        (tmp_path / "AirCare.json").unlink()
        assert stores.export_account(base, tmp_path, "AirCare") is not None
    assert list(posts.read_store(tmp_path / "AirCare.json").dialogues) == ["2", "3"]


def test_an_export_is_what_the_files_were(tmp_path: Path) -> None:
    write(tmp_path / "one", "AirCare", 4, 2)
    with stores.open_base(tmp_path / "one") as base:
        stores.adopt(base, tmp_path / "one", "AirCare")
    stores.export(tmp_path / "one", tmp_path / "two")
    assert (tmp_path / "two" / "AirCare.json").read_bytes() == (tmp_path / "one" / "AirCare.json").read_bytes()


def test_what_killed_runs_left_of_a_file_is_removed(tmp_path: Path) -> None:
    for name in (".AirCare.json.x1.part", ".AirCare2.json.x1.part"):
        (tmp_path / name).touch()
    stores.tidy(tmp_path, "AirCare")
    assert [path.name for path in tmp_path.iterdir()] == [".AirCare2.json.x1.part"]


@pytest.mark.parametrize("name", ["../evil", ".hidden", "a/b", "", "a\nb"])
def test_a_name_that_is_no_file_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        stores.account_file(tmp_path, name)


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no store"):
        list(stores.stores_in(tmp_path / "none"))
    with pytest.raises(StorageError, match="no store"):
        list(stores.stores_in(tmp_path))
    (tmp_path / "file").write_text("{}")
    with pytest.raises(UsageError, match="is a file"):
        stores.open_base(tmp_path / "file")
    (tmp_path / "A.json").write_text("[]")
    with stores.open_base(tmp_path) as base, pytest.raises(FormatError):
        stores.adopt(base, tmp_path, "A")
    with sqlite3.connect(tmp_path / "posts.sqlite") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(FormatError, match="version 99"):
        list(stores.stores_in(tmp_path))
