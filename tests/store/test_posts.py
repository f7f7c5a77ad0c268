from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.strategies import json_values

from duologue.core.errors import FormatError
from duologue.store.posts import Change, PostBase, Scan

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


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60, deadline=None
)
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
    assert base.absent() == {2: "gone", 8: "protected"}


def test_numbers_of_accounts_are_kept_and_forgotten(base: PostBase) -> None:
    assert base.user("AirCare") is None
    base.note_users({"AirCare": 12})
    assert base.user("aircare") == 12
    base.add_dialogues([("aircare", 2, (1, 2))])
    base.note_users({"AIRCARE": None})
    assert base.user("AirCare") is None
    assert base.revision("AirCare") == (1, 0)
