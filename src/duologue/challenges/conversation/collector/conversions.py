"""Conversion of API v2 posts to the REST API 1.1 form of stores and extraction (specification, section 4.1)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from duologue.challenges.conversation.formats.posts import MONTHS

if TYPE_CHECKING:
    from collections.abc import Mapping

    Row = dict[str, Any]

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
UNKNOWN_LANGUAGE = "und"
"""Language code of the service for an undetermined language."""
_LARGEST = 2**63 - 1
_YEARS = range(1900, 3000)


def to_v1(row: Row, users: Mapping[str, Row]) -> Row | None:
    """Convert a post to the 1.1 form; `None` for one without id, author, time or text.

    `users` are the authors that came along, by their ids. An author who did not is called by its id. The text is the
    full one of a long post; one whose full text was not sent counts as truncated.
    """
    number, author = id_of(row.get("id")), id_of(row.get("author_id"))
    text, created = row.get("text"), row.get("created_at")
    if number is None or author is None or not isinstance(text, str) or not isinstance(created, str):
        return None
    moment = iso_moment(created)
    if moment is None:
        return None
    note = row.get("note_tweet", row.get("note_post"))
    full = note.get("text") if isinstance(note, dict) else None
    user = users.get(str(row["author_id"]), {})
    return {
        "id": number,
        "id_str": str(number),
        "created_at": old_time(moment),
        "text": full if isinstance(full, str) else text,
        "truncated": note is not None and not isinstance(full, str),
        "lang": row["lang"] if isinstance(row.get("lang"), str) else UNKNOWN_LANGUAGE,
        "in_reply_to_status_id": _reference(row, "replied_to"),
        "user": {
            "id": author,
            "screen_name": str(user.get("username", author)),
            "name": str(user.get("name", author)),
        },
    }


def is_retweet(row: Row) -> bool:
    """Tell whether a post is a retweet."""
    return _reference(row, "retweeted") is not None


def old_time(moment: datetime) -> str:
    """Format a time as REST API 1.1 does; times without a zone are UTC.

    >>> old_time(datetime(2017, 9, 12, 8, 1))
    'Tue Sep 12 08:01:00 +0000 2017'
    """
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    day, month = _DAYS[moment.weekday()], MONTHS[moment.month - 1]
    return f"{day} {month} {moment.day:02} {moment:%H:%M:%S} +0000 {moment.year:04}"


def iso_moment(text: str) -> datetime | None:
    """Return the moment that an ISO time says, in UTC, which is its zone where it names none; `None` for other texts.

    Years beyond `_YEARS` are none: days and zones added to the first and the last that there are would lead beyond.

    >>> iso_moment("2017-09-12T08:01:00+02:00"), iso_moment("9999-12-31")
    (datetime.datetime(2017, 9, 12, 6, 1, tzinfo=datetime.timezone.utc), None)
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.year not in _YEARS:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _reference(row: Row, kind: str) -> int | None:
    """Return the id of the post replied to or retweeted, in either spelling."""
    references = row.get("referenced_tweets") or row.get("referenced_posts")
    for reference in references if isinstance(references, list) else ():
        if isinstance(reference, dict) and reference.get("type") == kind:
            return id_of(reference.get("id"))
    return None


def id_of(value: object) -> int | None:
    """Return the id that a number or a text of digits says, of 63 bits; `None` for anything else."""
    text = str(value)
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None
    return number if number is not None and number <= _LARGEST else None
