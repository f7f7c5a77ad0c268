from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from duologue.challenges.conversation.collector.conversions import is_retweet, old_time, to_v1

USERS = {"7": {"id": "7", "username": "anna", "name": "Anna B"}}


def row(**more: Any) -> dict[str, Any]:
    made = {"id": "12", "author_id": "7", "created_at": "2017-09-12T08:01:00.000Z", "text": "hi", "lang": "en"}
    return {**made, **more}


def test_a_post_gets_the_eight_old_fields_in_their_order() -> None:
    assert list((to_v1(row(referenced_tweets=[{"type": "replied_to", "id": "11"}]), USERS) or {}).items()) == [
        ("id", 12),
        ("id_str", "12"),
        ("created_at", "Tue Sep 12 08:01:00 +0000 2017"),
        ("text", "hi"),
        ("truncated", False),
        ("lang", "en"),
        ("in_reply_to_status_id", 11),
        ("user", {"id": 7, "screen_name": "anna", "name": "Anna B"}),
    ]


@pytest.mark.parametrize("kind", ["tweet", "post"])
def test_both_spellings_are_read(kind: str) -> None:
    references = [{"type": "quoted", "id": "3"}, {"type": "replied_to", "id": "11"}]
    post = to_v1(row(**{f"referenced_{kind}s": references, f"note_{kind}": {"text": "long"}}), USERS)
    assert post is not None
    assert (post["in_reply_to_status_id"], post["text"], post["truncated"]) == (11, "long", False)


def test_a_long_post_whose_text_was_not_sent_is_truncated() -> None:
    post = to_v1(row(note_tweet={}), USERS)
    assert post is not None
    assert post["truncated"]


def test_what_did_not_come_along_is_named_by_its_id() -> None:
    post = to_v1(row(author_id="8", lang=None), USERS)
    assert post is not None
    assert post["user"] == {"id": 8, "screen_name": "8", "name": "8"}
    assert post["lang"] == "und"


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "x"}, {"author_id": None}, {"text": None}, {"created_at": "yesterday"},
        {"created_at": "0001-01-01T00:00:00+14:00"}, {"created_at": "9999-12-31T23:59:00-14:00"},
    ],
)  # fmt: skip
def test_what_lacks_a_field_is_no_post(changes: dict[str, Any]) -> None:
    assert to_v1(row(**changes), USERS) is None


def test_retweets_are_told_from_quotes_and_replies() -> None:
    assert is_retweet(row(referenced_posts=[{"type": "retweeted", "id": "3"}]))
    assert not is_retweet(row(referenced_tweets=[{"type": "quoted", "id": "3"}]))


def test_times_are_utc_in_english() -> None:
    assert old_time(datetime.fromisoformat("2020-03-01T01:30:00+02:00")) == "Sat Feb 29 23:30:00 +0000 2020"
    assert old_time(datetime(2017, 9, 2, tzinfo=UTC)) == "Sat Sep 02 00:00:00 +0000 2017"
