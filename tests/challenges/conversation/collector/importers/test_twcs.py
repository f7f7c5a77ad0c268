from __future__ import annotations

import csv
import gzip
import io
from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.growth import LINEAR, growth

from duologue.challenges.conversation.collector.importers import twcs
from duologue.challenges.conversation.collector.importers.twcs import COLUMNS, import_twcs
from duologue.challenges.conversation.formats import stores
from duologue.core.errors import FormatError, StorageError

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.challenges.conversation.collector.importers.insertion import ImportResult

ROWS = [
    ["9", "AirCare", "False", "Tue Oct 10 15:16:08 +0000 2017", "@7 in a minute", "8", "12"],
    ["12", "7", "True", "Tue Oct 10 15:10:00 +0000 2017", '@AirCare where\nis it, "please"?', "9", ""],
    ["8", "7", "True", "Tue Oct 10 15:20:00 +0000 2017", "@AirCare thanks", "3,4", "9"],
    ["3", "AirCare", "False", "Tue Oct 10 15:21:00 +0000 2017", "@7 you are welcome", "", "8"],
    ["4", "ShopHelp", "False", "Tue Oct 10 15:22:00 +0000 2017", "@7 hello", "", "8"],
    ["5", "ShopHelp", "False", "Tue Oct 10 15:23:00 +0000 2017", "@8 sorry", "", "99"],
]
"""Ids neither in time order nor in file order, a line break, two companies in one thread, a missing parent."""


def table(rows: list[list[str]], header: list[str] = COLUMNS) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *rows])
    return out.getvalue().encode()


def imported(folder: Path, data: bytes, name: str = "twcs.csv") -> ImportResult:
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(data)
    with stores.open_base(folder / "store") as base:
        return import_twcs(base, folder / name)


def texts(folder: Path) -> dict[str, list[list[str]]]:
    found = stores.stores_in(folder / "store")
    return {store.account: [[post.text for post in posts] for posts in store.dialogues.values()] for store in found}


def test_each_companys_replies_end_dialogues_in_the_order_of_time(tmp_path: Path) -> None:
    done = imported(tmp_path, table(ROWS))
    assert (done.posts, done.dialogues, done.accounts) == (6, 2, 2)
    first, second, third = '@AirCare where\nis it, "please"?', "@7 in a minute", "@AirCare thanks"
    assert texts(tmp_path) == {
        "AirCare": [[first, second, third, "@7 you are welcome"]],
        "ShopHelp": [[first, second, third, "@7 hello"]],
    }


def test_new_ids_are_in_time_order_and_links_follow_them(tmp_path: Path) -> None:
    imported(tmp_path, table(ROWS))
    for store in stores.stores_in(tmp_path / "store"):
        for posts in store.dialogues.values():
            ids = [post.id for post in posts]
            assert ids == sorted(ids)
            assert [post.reply_to for post in posts] == [None, *ids[:-1]]
    found = {post.text: post for post in stores.posts_in(tmp_path / "store")}
    assert found["@8 sorry"].reply_to == 99
    assert found["@7 hello"].id & 0xFFFFFFFF == 4
    assert found["@7 hello"].created_at == "Tue Oct 10 15:22:00 +0000 2017"
    assert found["@AirCare thanks"].author == 7


@pytest.mark.parametrize("name", ["plain.csv", "packed.csv"])
def test_the_order_of_rows_and_doing_it_again_change_nothing(tmp_path: Path, name: str) -> None:
    data = table(ROWS)
    imported(tmp_path / "first", data)
    shuffled = ROWS.copy()
    Random(2).shuffle(shuffled)
    data = table(shuffled)
    imported(tmp_path / "second", gzip.compress(data) if name == "packed.csv" else b"\xef\xbb\xbf" + data)
    again = imported(tmp_path / "second", data)
    assert again.dialogues == 2
    assert {key: sorted(rows) for key, rows in texts(tmp_path / "first").items()} == texts(tmp_path / "second")


@pytest.mark.parametrize("far", [str(2**13), str(2**31)])
def test_ids_far_beyond_the_number_of_rows_are_fine(tmp_path: Path, far: str) -> None:
    rows = [[far, *ROWS[1][1:]], ["9", *ROWS[0][1:6], far]]
    assert imported(tmp_path, table(rows)).dialogues == 1


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        (["x", *ROWS[0][1:]], "twcs-row"),
        (ROWS[0][:6], "twcs-row"),
        ([*ROWS[0][:3], "2017-10-10 15:16:08", *ROWS[0][4:]], "twcs-row"),
        ([*ROWS[0][:3], "Tue Okt 10 15:16:08 +0000 2017", *ROWS[0][4:]], "twcs-row"),
        ([*ROWS[0][:6], "1.0"], "twcs-row"),
        (["-1", *ROWS[0][1:]], "twcs-row"),
        ([str(2**32), *ROWS[0][1:]], "twcs-row"),
        (["9", "", *ROWS[0][2:]], "twcs-row"),
        (ROWS[1], "twcs-id"),
    ],
)
def test_a_row_that_is_none_is_told_with_its_line(tmp_path: Path, row: list[str], rule: str) -> None:
    with pytest.raises(FormatError) as caught:
        imported(tmp_path, table([ROWS[1], row, row]))
    assert [problem.rule for problem in caught.value.problems] == [rule, rule]
    assert caught.value.problems[0].place == "line 4"


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"", "twcs-columns"),
        (b"a,b\n1,2\n", "twcs-columns"),
        (table(ROWS) + b'"open', "twcs-csv"),
        (table(ROWS) + b"x" * (1 << 21), "twcs-csv"),
        (table(ROWS) + b"\xff", "not-utf8"),
        (gzip.compress(table(ROWS), mtime=0)[:-9], "gzip-damaged"),
    ],
)
def test_a_file_that_is_no_such_table_is_refused(tmp_path: Path, data: bytes, rule: str) -> None:
    with pytest.raises(FormatError) as caught:
        imported(tmp_path, data)
    assert caught.value.problems[0].rule == rule


def test_a_table_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with stores.open_base(tmp_path) as base, pytest.raises(StorageError):
        import_twcs(base, tmp_path / "none.csv")


@pytest.mark.real_data(twin="test_each_companys_replies_end_dialogues_in_the_order_of_time")
def test_the_public_sample_of_the_real_table_is_read(tmp_path: Path, real_data: Path) -> None:
    sample = real_data / "conversation" / "twcs_dialogs" / "twcs_sample.csv"
    done = imported(tmp_path, sample.read_bytes())
    assert done.posts == 93
    assert done.dialogues > 20


def test_a_thread_of_very_many_posts_has_one_root_that_is_looked_for_once() -> None:
    """Each post once went up to it by itself."""

    def chained(n: int) -> twcs._Index:
        index = twcs._Index()
        for row in range(n):
            index.put(row, row)
            index.answers.append(row - 1)
        index.link()
        return index

    def roots(index: twcs._Index) -> set[int]:
        return {index.root(row) for row in reversed(range(len(index.answers)))}

    assert roots(chained(50)) == {0}
    assert growth(chained, roots, 500) < LINEAR


def test_posts_of_a_ring_and_those_that_hang_on_it_have_one_root() -> None:
    index = twcs._Index()
    for row, answered in enumerate((2, 0, 1, 0, -1, 4, 5)):
        index.put(row, row)
        index.answers.append(answered)
    index.link()
    for _ in range(2):
        assert [index.root(row) for row in range(7)] == [1, 1, 1, 1, 4, 4, 4]


def test_a_ring_of_very_many_posts_is_gone_round_once() -> None:
    def ring(n: int) -> twcs._Index:
        index = twcs._Index()
        for row in range(n):
            index.put(row, row)
            index.answers.append((row - 1) % n)
        index.link()
        return index

    def roots(index: twcs._Index) -> set[int]:
        return {index.root(row) for row in range(len(index.answers))}

    assert len(roots(ring(50))) == 1
    assert growth(ring, roots, 500) < LINEAR
