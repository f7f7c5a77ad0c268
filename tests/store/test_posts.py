from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import json_values

from duologue.core.errors import FormatError
from duologue.store.posts import NAME, PostBase, Scan
from duologue.store.threads import Change

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Row = dict[str, Any]

TEXTS = st.text(st.characters(codec="utf-8")) | st.text(st.sampled_from("\ud83d\x00a\u00e9"))

MORE = st.dictionaries(st.text(max_size=3).map("x{}".format), json_values, max_size=3)


def post(number: int, answers: int | None = None, **more: Any) -> Row:
    return {
        "id": number,
        "id_str": str(number),
        "created_at": "Tue Sep 12 08:01:00 +0000 2017",
        "text": f"post {number}",
        "truncated": False,
        "lang": "en",
        "in_reply_to_status_id": answers,
        "user": {"id": 7, "screen_name": "anna", "name": "Anna"},
        **more,
    }


@pytest.fixture
def base(tmp_path: Path) -> Iterator[PostBase]:
    with PostBase(tmp_path / "posts.sqlite") as base:
        yield base


@settings(max_examples=60)
@given(TEXTS, TEXTS, MORE, st.integers(0, 2**63 - 1))
def test_a_post_comes_back_as_it_was_with_the_order_of_its_keys(
    tmp_path_factory: pytest.TempPathFactory, text: str, name: str, more: Row, number: int
) -> None:
    row = post(number, text=text, **more)
    row["user"]["name"] = name
    with PostBase(tmp_path_factory.mktemp("base") / "posts.sqlite") as base:
        base.add([row])
        found = base.post(row["id"])
    assert found == row
    assert found is not None
    assert list(found) == list(row)


def test_the_first_finding_of_a_post_counts(base: PostBase) -> None:
    base.add([post(1), post(2), post(1, text="other")])
    base.add([post(2, text="other")], ["{}"])
    assert [row["text"] for row in base.posts()] == ["post 1", "post 2"]
    assert base.counts() == {"accounts": 0, "dialogues": 0, "posts": 2, "absent": 0}


@pytest.mark.parametrize("row", [post(2**63), post(-1), post(1, 2**64)])
def test_an_id_that_no_service_gives_is_refused_and_nothing_is_kept(base: PostBase, row: Row) -> None:
    with pytest.raises(FormatError, match="63 bits"):
        base.add([post(5), row])
    assert base.counts()["posts"] == 0


def test_dialogues_keep_their_order_and_equal_keys_are_replaced_in_place(base: PostBase) -> None:
    base.add([post(number) for number in range(1, 7)])
    base.add_dialogues([("AirCare", 6, (1, 6)), ("AirCare", 2, (1, 2)), ("aircare", 6, (5, 6)), ("B", 2, (1, 2))])
    assert base.keys("AIRCARE") == {6: (5, 6), 2: (1, 2)}
    assert [(key, [row["id"] for row in rows]) for key, rows in base.dialogues("AirCare")] == [(6, [5, 6]), (2, [1, 2])]
    assert base.accounts() == ["AirCare", "B"]


def test_a_scan_is_taken_up_with_all_that_it_saw(base: PostBase) -> None:
    start = Scan(4, None, complete=False, timeline=(), found=())
    assert base.scan("A") is None
    base.keep_page("A", [post(9, 8), post(7)], [None, "{}"], {9: True}, start._replace(before=7))
    base.keep_found("A", [post(8, 3)], [None])
    base.keep_page("a", [post(6, 5)], [None], {6: True}, start._replace(before=6, complete=True))
    assert base.scan("A") == Scan(4, 6, complete=True, timeline=(9, 6), found=(8,))
    assert base.parents([6, 7, 8, 1]) == {6: 5, 7: None, 8: 3}
    change = Change([1], {9: (8, 9)})
    assert base.finish("A", lambda stored: change if stored == {} else Change((), {})) == change
    assert base.scan("A") is None
    assert base.keys("A") == {9: (8, 9)}


def test_a_change_sees_the_dialogues_as_they_are_now_and_counts_revisions(base: PostBase) -> None:
    assert base.revision("A") == (0, 0)
    base.add_dialogues([("A", 2, (1, 2)), ("A", 3, (1, 3))])
    assert base.revision("A") == (1, 0)
    base.finish("A", lambda stored: Change([2], {4: (*stored[2], 4)}))
    assert base.keys("A") == {3: (1, 3), 4: (1, 2, 4)}
    base.note_exported("A", 2)
    base.drop_scan("A")
    assert base.revision("A") == (2, 2)


def test_a_forgotten_post_is_gone_from_its_dialogues(base: PostBase) -> None:
    base.add([post(number) for number in range(1, 6)])
    base.add_dialogues([("A", 4, (1, 2, 3, 4)), ("A", 5, (2, 5)), ("A", 2, (1, 2))])
    base.forget([2], "deleted")
    assert [(key, [row["id"] for row in rows]) for key, rows in base.dialogues("A")] == [(4, [3, 4])]
    assert base.absent() == {2: "deleted"}
    base.note_absent({2: "gone", 8: "protected"})
    assert base.absent() == {2: "deleted", 8: "protected"}


def test_numbers_of_accounts_are_kept_and_forgotten(base: PostBase) -> None:
    assert base.user("AirCare") is None
    base.note_users({"AirCare": 12})
    assert base.user("aircare") == 12
    base.add_dialogues([("aircare", 2, (1, 2))])
    base.note_users({"AIRCARE": None})
    assert base.user("AirCare") is None
    assert base.revision("AirCare") == (1, 0)


def dialogue(base: PostBase, account: str, *ids: int) -> None:
    """Store posts in which the account, whose numbers are even, answers anna."""
    for number, above in zip(ids, (None, *ids), strict=False):
        user = {"id": number % 2, "screen_name": "anna" if number % 2 else account, "name": ""}
        base.add([post(number, above, user=user)])
    base.add_dialogues([(account, ids[-1], ids)])


def test_a_deleted_post_never_comes_back_by_whatever_way(base: PostBase) -> None:
    dialogue(base, "A", 1, 2)
    assert base.forget([2, 9], "deleted") == 1
    base.add([post(2), post(9), post(5)])
    base.add_plain([(2, None, "", "post 2", "en", 1, "x")])
    scan = Scan(None, None, complete=False, timeline=(), found=())
    base.keep_page("A", [post(2, 1)], [None], {2: True}, scan)
    base.keep_found("A", [post(9)], ["{}"])
    assert [row["id"] for row in base.posts()] == [1, 5]
    assert base.deleted() == {2: "deleted", 9: "deleted"}
    base.note_absent({2: "not found"})
    assert base.absent()[2] == "deleted"


def test_dialogues_around_a_deleted_post_are_those_that_a_fresh_collection_would_find(base: PostBase) -> None:
    dialogue(base, "A", 1, 2, 3, 4, 5, 6)
    dialogue(base, "B", 11, 12, 13, 14)
    base.note_exported("A", 1)
    base.forget([3], "deleted")
    assert base.keys("A") == {2: (1, 2), 6: (4, 5, 6)}
    assert base.keys("B") == {14: (11, 12, 13, 14)}
    base.forget([14], "deleted")
    assert base.keys("B") == {12: (11, 12)}
    assert base.revision("A") == (2, 1)
    base.forget([1, 2, 4, 5, 6], "deleted")
    assert base.keys("A") == {}
    assert base.known() == ["A", "B"]
    assert base.accounts() == ["B"]


def test_a_branch_that_another_dialogue_goes_on_from_makes_none_of_its_own(base: PostBase) -> None:
    dialogue(base, "A", 1, 2, 3, 4)
    dialogue(base, "A", 1, 2, 5, 6)
    base.forget([4], "deleted")
    assert base.keys("A") == {6: (1, 2, 5, 6)}


def test_a_deletion_that_is_killed_leaves_all_or_nothing(base: PostBase, monkeypatch: pytest.MonkeyPatch) -> None:
    dialogue(base, "A", 1, 2)
    with monkeypatch.context() as patch:
        patch.setattr("duologue.store.posts.rebuild", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            base.forget([2], "deleted")
    assert (base.keys("A"), base.deleted()) == ({2: (1, 2)}, {})
    base.forget([2], "deleted")
    assert base.keys("A") == {}


def test_the_bytes_of_a_deleted_post_are_overwritten(tmp_path: Path) -> None:
    with PostBase(tmp_path / "posts.sqlite") as base:
        base.add([post(number, text=f"a quite private word {number:04}") for number in range(1, 400)])
        base.forget(range(1, 300), "deleted")
        bytes_left = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"word 0299" not in bytes_left
    assert b"word 0300" in bytes_left


def test_expired_posts_are_gone_may_come_again_and_are_remembered_as_read(tmp_path: Path) -> None:
    with PostBase(tmp_path / "posts.sqlite", read=1_000) as base:
        dialogue(base, "A", 1, 2)
    with PostBase(tmp_path / "posts.sqlite", read=2_000) as base:
        dialogue(base, "A", 3, 4)
        assert base.reached("A") is None
        assert base.expire(-(10**20)) == 0, "nothing is older than a moment that no store can hold"
        assert base.expire(1_000) == 0
        assert base.expire(2_000) == 2
        assert base.keys("A") == {4: (3, 4)}
        assert base.reached("A") == 4
        base.add([post(1)])
        assert [row["id"] for row in base.posts()] == [1, 3, 4]


def test_a_store_of_the_first_version_is_read_as_it_is_and_upgraded_when_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "posts.sqlite"
    with PostBase(path) as base:
        dialogue(base, "A", 1, 2)
        connection = base._base.connection
        for statement in ("DROP TRIGGER refuse_deleted", "DROP INDEX posts_by_read", "DROP TABLE deleted"):
            connection.execute(statement)
        for statement in ("DROP TABLE settings", "ALTER TABLE posts DROP COLUMN read"):
            connection.execute(statement)
        connection.execute("ALTER TABLE accounts DROP COLUMN reached")
        connection.execute("INSERT INTO absent VALUES (7, 'deleted by its author'), (8, 'protected')")
        connection.execute("PRAGMA user_version = 1")
    with PostBase(path, writable=False) as base:
        assert (base.keys("A"), base.deleted()) == ({2: (1, 2)}, {})
    with PostBase(path) as base:
        assert base.deleted() == {7: "deleted by its author"}
        assert base.absent() == {7: "deleted by its author", 8: "protected"}
        base.add([post(7), post(9)])
        assert [row["id"] for row in base.posts()] == [1, 2, 9]
        assert base.expire(1_000) == 0
        assert base.expire(2**40) == 2


def test_a_store_is_for_its_owner_alone(tmp_path: Path) -> None:
    with PostBase(tmp_path / "new" / "posts.sqlite") as base:
        base.add([post(1)])
        modes = {file.name: file.stat().st_mode & 0o777 for file in (tmp_path / "new").iterdir()}
    assert set(modes.values()) == {0o600}
    assert len(modes) == 3
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    (tmp_path / "new" / "posts.sqlite").chmod(0o644)
    with PostBase(tmp_path / "new" / "posts.sqlite"):
        pass
    assert (tmp_path / "new" / "posts.sqlite").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("change", ["revision = 'x'", "exported = 0.5", "name = x'00'", "user = 'none'"])
def test_a_value_of_another_type_in_a_small_table_is_said_when_the_store_is_opened(tmp_path: Path, change: str) -> None:
    path = tmp_path / "posts.sqlite"
    with PostBase(path) as base:
        base.note_users({"Shop": 1})
    with closing(sqlite3.connect(path)) as raw:
        raw.execute(f"UPDATE accounts SET {change}")
        raw.commit()
    with pytest.raises(FormatError, match="table accounts: a value is of the wrong type in"):
        PostBase(path)


def test_an_account_without_a_name_is_damage(tmp_path: Path) -> None:
    """SQLite lets a key be NULL."""
    path = tmp_path / NAME
    with PostBase(path):
        pass
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO accounts (name, revision) VALUES (NULL, 1)")
        connection.commit()
    with pytest.raises(FormatError, match="table accounts: a value is of the wrong type"), PostBase(path) as base:
        base.known()


DAMAGE = {
    "UPDATE posts SET parent = '../secret.json' WHERE id = 2": "what it answers is",
    "UPDATE posts SET author = 'x' WHERE id = 2": "a value is of the wrong type",
    "UPDATE posts SET screen_name = x'00' WHERE id = 2": "a value is of the wrong type",
    "UPDATE posts SET id = 'x' WHERE id = 2": "this is no id",
    "UPDATE dialogues SET ids = x'00'": "which are no ids",
    "UPDATE dialogues SET account = x'00'": "is no name",
    "INSERT INTO scanned VALUES ('anna', 'x', 1)": "table scanned: a value is of the wrong type",
    "INSERT INTO deleted VALUES (9, x'00')": "table deleted: a value is of the wrong type",
    "INSERT INTO absent VALUES (9, x'00')": "table absent: a value is of the wrong type",
}


@pytest.mark.parametrize("statement", list(DAMAGE))
def test_values_of_a_wrong_type_are_told_wherever_they_stand(tmp_path: Path, statement: str) -> None:
    """SQLite keeps in a column whatever it is given: each of these was an exception of Python once it was used."""
    path = tmp_path / "posts.sqlite"
    with PostBase(path, read=5) as base:
        base.add([post(1), post(2, 1), post(3, 2)])
        base.add_dialogues([("anna", 3, (1, 2, 3))])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    with pytest.raises(FormatError, match=DAMAGE[statement]):
        _use(path)


def _use(path: Path) -> None:
    with PostBase(path) as base:
        base.parents([1, 2, 3])
        base.posts_of([7])
        base.accounts()
        list(base.posts())
        base.expire(10)


def test_posts_of_very_many_authors_are_found_in_one_pass(tmp_path: Path) -> None:
    with PostBase(tmp_path / NAME) as base:
        base.add([post(number, user={"id": number % 3, "screen_name": "anna", "name": "Anna"}) for number in range(9)])
        looked: list[str] = []
        base._base.connection.set_trace_callback(looked.append)
        assert base.posts_of([2, 0, 2, *range(5, 5_000), 2**63]) == [0, 2, 3, 5, 6, 8]
        assert len(looked) == 1  # one for each author, and each went through all posts
