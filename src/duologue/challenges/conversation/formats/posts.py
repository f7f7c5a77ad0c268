"""Readers and writers of account stores, id lists and account lists (specification, section 1).

An account store is one JSON object: the id of a dialogue's last post -> the dialogue's posts, oldest first, as the
programming interface gave them. Nothing of a post is lost: what was read is written back with its key order, its
indent and its way of writing letters beyond ASCII.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core import disk
from duologue.core.disk import Source
from duologue.core.errors import FormatError
from duologue.core.json_objects import decode
from duologue.core.lines import Lines
from duologue.core.problems import PROBLEM_LIMIT, capped
from duologue.core.records import Problem, Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
"""Month names in `created_at`."""
_ID = re.compile(r"[0-9]{1,20}")
_FIELDS: tuple[tuple[str, tuple[type, ...], str], ...] = (
    ("id", (int,), "an integer"),
    ("created_at", (str,), "a text"),
    ("text", (str,), "a text"),
    ("truncated", (bool,), "true or false"),
    ("lang", (str,), "a text"),
    ("in_reply_to_status_id", (int, type(None)), "an integer or null"),
    ("user", (dict,), "an object"),
)
_USER_FIELDS: tuple[tuple[str, tuple[type, ...], str], ...] = (
    ("id", (int,), "an integer"),
    ("screen_name", (str,), "a text"),
    ("name", (str,), "a text"),
)


class Post(Record, frozen=True, kw_only=True):
    """A tweet with the fields that extraction needs."""

    id: int
    created_at: str
    """In Twitter's format, such as `Tue Sep 12 08:01:00 +0000 2017`."""
    text: str
    truncated: bool
    lang: str
    reply_to: int | None
    """Id of the post replied to."""
    author: int
    screen_name: str
    name: str
    source: dict[str, Any]
    """The decoded object with all its fields."""


class JsonLayout(NamedTuple):
    """Formatting of a JSON file."""

    indent: int | None = 2
    ascii: bool = True
    """Whether letters beyond ASCII are written as `\\uXXXX`."""
    newline: bool = False
    """Whether the file ends with a line end."""


class Store(Record, frozen=True, kw_only=True):
    """The dialogues of one account."""

    account: str
    """Screen name: the file's name without its endings."""
    dialogues: dict[str, tuple[Post, ...]]
    """Id of the last post -> posts, oldest first, in the order of the file."""
    layout: JsonLayout = JsonLayout()


class TurnIds(Record, frozen=True, kw_only=True):
    """A turn of an id list: speaker and ascending post ids; none where hidden."""

    speaker: str
    """`U` or `S`."""
    ids: tuple[int, ...]
    source: dict[str, Any] | None = None
    """The decoded object; the two official lists order its keys differently."""


def read_store(path: Path) -> Store:
    """Return an account store, plain or gzip.

    Raises `FormatError` with all problems: wrong or missing fields with their JSON pointers, keys given twice
    (JSON would silently keep the last), dialogues without posts. Raises `StorageError` when the file
    cannot be read.
    """
    decoded, text = _decode(path)
    problems: list[Problem] = []
    if not isinstance(decoded, dict):
        raise FormatError(path, [_wrong("", decoded, "an object of dialogues")])
    for key, posts in decoded.items():
        pointer = f"/{_escaped(key)}"
        if not _ID.fullmatch(key):
            problems.append(_wrong(pointer, key, "a decimal id as the key"))
        problems += _dialogue_problems(posts, pointer)
        if len(problems) >= PROBLEM_LIMIT:
            break
    if problems:
        raise FormatError(path, problems[:PROBLEM_LIMIT])
    dialogues = {key: tuple(map(post_of, posts)) for key, posts in decoded.items()}
    account = path.name.removesuffix(".gz").removesuffix(".json")
    return Store(account=account, dialogues=dialogues, layout=_layout_of(text))


def write_store(store: Store, path: Path, *, private: bool = False) -> None:
    """Write an account store: in the layout it was read with, else as the official collector (indent 2).

    A `private` one is readable by its owner alone.
    """
    dialogues = {key: [post.source for post in posts] for key, posts in store.dialogues.items()}
    disk.write_text(path, _encode(dialogues, store.layout), private=private)


def read_ids(path: Path) -> list[tuple[TurnIds, ...]]:
    """Return an id list: per dialogue its turns with the ids of their posts. Raises as `read_store` does."""
    decoded, _ = _decode(path)
    problems = list(_id_problems(decoded))[:PROBLEM_LIMIT]
    if problems:
        raise FormatError(path, problems)
    return [
        tuple(TurnIds(speaker=turn["speaker"], ids=tuple(turn["ids"]), source=turn) for turn in turns)
        for turns in decoded
    ]


def write_ids(dialogues: Iterable[Sequence[TurnIds]], path: Path) -> None:
    """Write an id list on one line, as the official ones are."""
    rows = [[turn.source or {"speaker": turn.speaker, "ids": list(turn.ids)} for turn in turns] for turns in dialogues]
    disk.write_text(path, json.dumps(rows))


def read_limits(path: Path) -> dict[str, dict[int, int]]:
    """Return begin and end ids: account -> last post of a dialogue -> its first. Raises as `read_store` does."""
    decoded, _ = _decode(path)
    problems = []
    if not isinstance(decoded, dict):
        raise FormatError(path, [_wrong("", decoded, "an object of accounts")])
    for account, limits in decoded.items():
        pointer = f"/{_escaped(account)}"
        if not isinstance(limits, dict):
            problems.append(_wrong(pointer, limits, "an object from end id to begin id"))
            continue
        for end, begin in limits.items():
            if not _ID.fullmatch(end) or not _is(begin, (int,)):
                problems.append(_wrong(f"{pointer}/{_escaped(end)}", begin, "an id, under an id as its key"))
    if problems:
        raise FormatError(path, problems[:PROBLEM_LIMIT])
    return {account: {int(end): begin for end, begin in limits.items()} for account, limits in decoded.items()}


def read_accounts(path: Path) -> list[str]:
    """Return the names of a list of accounts, one per line; lines that start with `#` are remarks.

    Raises `FormatError` for an empty line, which the official collector takes for an account without a name.
    """
    lines = Lines(Source(path), unmarked=True)
    problems = capped(
        Problem(rule="account-empty", place=f"line {number}", message="the line is empty", advice="take it out")
        for number, line in enumerate(lines, start=1)
        if not line.strip()
    )
    if problems:
        raise FormatError(path, problems)
    return [line.strip() for line in lines if not line.startswith("#")]


def post_of(row: dict[str, Any]) -> Post:
    """Convert a validated JSON object to a post."""
    return Post(
        id=row["id"],
        created_at=row["created_at"],
        text=row["text"],
        truncated=row["truncated"],
        lang=row["lang"],
        reply_to=row["in_reply_to_status_id"],
        author=row["user"]["id"],
        screen_name=row["user"]["screen_name"],
        name=row["user"]["name"],
        source=row,
    )


def kept_post(row: dict[str, Any], path: Path) -> Post:
    """Convert a database row to a post. Raises `FormatError` for an invalid one."""
    problems = [*_field_problems(row, f"post {row['id']}", _FIELDS)]
    if isinstance(row.get("user"), dict):
        problems += _field_problems(row["user"], f"post {row['id']}/user", _USER_FIELDS)
    if problems:
        raise FormatError(path, problems)
    return post_of(row)


def _decode(path: Path) -> tuple[Any, str]:
    text, _ = disk.decode_text(disk.read_bytes(path), path)
    decoded = decode(text, path)
    if decoded.repeated:
        message = "the key is given twice in one object; JSON would keep only the last"
        twice = [key for _, keys in decoded.repeated.values() for key in sorted(keys)]
        problems = [Problem(rule="key-repeated", place=repr(key)[:80], message=message) for key in twice]
        raise FormatError(path, problems[:PROBLEM_LIMIT])
    return decoded.value, text


def _escaped(key: str) -> str:
    short = ascii(key)[1:-1] if not key.isprintable() else key
    return short[:40].replace("~", "~0").replace("/", "~1")


def _wrong(pointer: str, found: Any, expected: str) -> Problem:
    told = ascii(found)
    message = f"found {told if len(told) <= 60 else told[:57] + '...'}, expected {expected}"
    return Problem(rule="store-value", place=pointer or "the file", message=message)


def _is(value: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))


def is_post(row: object) -> bool:
    """Tell whether a row is a REST API 1.1 post with all the fields that extraction needs."""
    if not isinstance(row, dict) or not _has_fields(row, _FIELDS) or not _has_fields(row["user"], _USER_FIELDS):
        return False
    return bool(row["id"] >= 0)


def _has_fields(row: dict[str, Any], fields: Sequence[tuple[str, tuple[type, ...], str]]) -> bool:
    return all(name in row and _is(row[name], kinds) for name, kinds, _ in fields)


def _dialogue_problems(posts: Any, pointer: str) -> Iterator[Problem]:
    if not isinstance(posts, list) or not posts:
        yield _wrong(pointer, posts, "a list of posts, at least one")
        return
    for number, post in enumerate(posts):
        place = f"{pointer}/{number}"
        if not isinstance(post, dict):
            yield _wrong(place, post, "a post, which is an object")
            continue
        yield from _field_problems(post, place, _FIELDS)
        if isinstance(post.get("user"), dict):
            yield from _field_problems(post["user"], f"{place}/user", _USER_FIELDS)


def _field_problems(
    row: dict[str, Any], place: str, fields: Sequence[tuple[str, tuple[type, ...], str]]
) -> Iterator[Problem]:
    for name, kinds, expected in fields:
        if name not in row:
            yield Problem(rule="store-field-missing", place=place, message=f"there is no '{name}'")
        elif not _is(row[name], kinds):
            yield _wrong(f"{place}/{name}", row[name], expected)


def _id_problems(decoded: Any) -> Iterator[Problem]:
    if not isinstance(decoded, list):
        yield _wrong("", decoded, "a list of dialogues")
        return
    for number, turns in enumerate(decoded):
        if not isinstance(turns, list) or not turns:
            yield _wrong(f"/{number}", turns, "a list of turns")
            continue
        for place, turn in enumerate(turns):
            pointer = f"/{number}/{place}"
            if not isinstance(turn, dict):
                yield _wrong(pointer, turn, "an object with speaker and ids")
                continue
            if turn.get("speaker") not in ("U", "S"):
                yield _wrong(f"{pointer}/speaker", turn.get("speaker"), "'U' or 'S'")
            ids = turn.get("ids")
            if not isinstance(ids, list) or not all(_is(one, (int,)) for one in ids):
                yield _wrong(f"{pointer}/ids", ids, "a list of integers")


def _layout_of(text: str) -> JsonLayout:
    """Detect the formatting of a JSON text."""
    body = text.rstrip("\n")
    second = body.partition("\n")[2]
    indent = len(second) - len(second.lstrip(" ")) if second else None
    return JsonLayout(indent=indent, ascii=body.isascii(), newline=text != body)


def _encode(rows: Any, layout: JsonLayout) -> str:
    text = json.dumps(rows, indent=layout.indent, ensure_ascii=layout.ascii)
    return text + "\n" if layout.newline else text
