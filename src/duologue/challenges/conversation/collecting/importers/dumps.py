"""Posts as the service itself gave them out: one's own archive, and streams of REST API 1.1 (specification, 4.2)."""

from __future__ import annotations

import bz2
import json
import zlib
from itertools import chain
from typing import TYPE_CHECKING, Any

from duologue.challenges.conversation.collecting.api import is_post
from duologue.challenges.conversation.collecting.convert import UNKNOWN_LANGUAGE
from duologue.challenges.conversation.collecting.importers.placing import Imported, add, counted, thread
from duologue.core import disk
from duologue.core.disk import Source
from duologue.core.errors import FormatError, StorageError, UsageError
from duologue.core.findings import Findings
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from duologue.store.posts import PostBase

    Row = dict[str, Any]

_BZIP2 = b"BZh"
_LARGEST = 2**63 - 1


def import_stream(base: PostBase, paths: Sequence[Path], accounts: Iterable[str]) -> Imported:
    """Bring JSON lines of REST API 1.1 into a store, plain, gzip or bzip2, and make the dialogues of accounts.

    Long posts are taken whole. Retweets and notices that are no posts are left out. Posts for which there is a delete
    notice, before or after them, are left out and taken out. Raises `FormatError` with all lines that are no JSON, and
    `StorageError` for what the disk refuses.
    """
    replies: dict[str, list[int]] = {name: [] for name in accounts}
    wanted = {name.lower(): name for name in replies}
    skipped: dict[str, int] = {}
    deleted: set[int] = set()
    total = 0

    def kept(rows: Iterable[Row | str]) -> Iterator[Row]:
        for post in counted(rows, skipped):
            name = wanted.get(post["user"]["screen_name"].lower())
            if name is not None and post["in_reply_to_status_id"] is not None:
                replies[name].append(post["id"])
            yield post

    for path in paths:
        total += add(base, kept(_stream(path, deleted)))
    base.forget(sorted(deleted), "deleted by its author")
    made, dialogues = thread(base, replies)
    return Imported(posts=total, dialogues=dialogues, accounts=made, skipped=skipped)


def import_archive(base: PostBase, path: Path, account: str | None) -> Imported:
    """Bring one's own archive into a store: its unpacked folder, or its `tweets.js` alone, which needs the account.

    An archive holds its owner's posts only, so its dialogues are the owner's threads, unless the store has what they
    answer. Raises `FormatError` for files that are none of an archive, `UsageError` where the account is unknown.
    """
    folder = path / "data" if (path / "data").is_dir() else path
    files = sorted([*folder.glob("tweets*.js"), *folder.glob("tweet*.js")]) if folder.is_dir() else [path]
    files = list(dict.fromkeys(file for file in files if "headers" not in file.name))
    if not files:
        raise StorageError(f"there is no tweets.js in {path} or {path / 'data'}")
    owner = _owner(files[0].with_name("account.js"), account)
    skipped: dict[str, int] = {}
    replies: list[int] = []

    def kept() -> Iterator[Row]:
        for file in files:
            for post in counted(_archived(file, owner), skipped):
                if post["in_reply_to_status_id"] is not None:
                    replies.append(post["id"])
                yield post

    total = add(base, kept())
    made, dialogues = thread(base, {owner["screen_name"]: replies})
    return Imported(posts=total, dialogues=dialogues, accounts=made, skipped=skipped)


def _stream(path: Path, deleted: set[int]) -> Iterator[Row | str]:
    """Yield posts, and why other lines are left out; adds deleted ids."""
    findings = Findings()
    for number, line in enumerate(_lines(Source(path)), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            findings.add(Problem(rule="stream-json", place=f"line {number}", message=f"not valid JSON: {error}"))
            continue
        if not isinstance(row, dict):
            yield "lines that are no posts"
        elif "delete" in row:
            status = row["delete"].get("status") if isinstance(row["delete"], dict) else None
            gone = _number(status.get("id_str", status.get("id"))) if isinstance(status, dict) else None
            if gone is not None:
                deleted.add(gone)
            yield "delete notices"
        elif row.get("retweeted_status"):
            yield "retweets"
        else:
            post = _slim(row)
            yield post if post is not None else "lines that are no posts"
    if problems := findings.problems():
        raise FormatError(path, problems)


def _slim(row: Row) -> Row | None:
    """Return the fields that extraction looks at, with the whole text of a long post; `None` for what is no post."""
    extended = row.get("extended_tweet")
    full = extended.get("full_text") if isinstance(extended, dict) else row.get("full_text")
    user = row.get("user")
    if not isinstance(user, dict):
        return None
    post = {
        "id": row.get("id"),
        "id_str": str(row.get("id")),
        "created_at": row.get("created_at"),
        "text": full if isinstance(full, str) else row.get("text"),
        "truncated": bool(row.get("truncated")) and not isinstance(full, str),
        "lang": row.get("lang") or UNKNOWN_LANGUAGE,
        "in_reply_to_status_id": row.get("in_reply_to_status_id"),
        "user": {name: user.get(name) for name in ("id", "screen_name", "name")},
    }
    return post if is_post(post) else None


def _archived(path: Path, owner: Row) -> Iterator[Row | str]:
    rows = _assigned(path)
    if not isinstance(rows, list):
        raise FormatError(path, [Problem(rule="archive-list", message="found no list of posts")])
    for row in rows:
        tweet = row.get("tweet", row) if isinstance(row, dict) else None
        if not isinstance(tweet, dict):
            yield "entries that are no posts"
            continue
        text = tweet.get("full_text", tweet.get("text"))
        if isinstance(text, str) and text.startswith("RT @"):  # an archive marks retweets in no other way
            yield "retweets"
            continue
        number = _number(tweet.get("id_str", tweet.get("id")))
        answered = tweet.get("in_reply_to_status_id_str", tweet.get("in_reply_to_status_id"))
        post = {
            "id": number,
            "id_str": str(number),
            "created_at": tweet.get("created_at"),
            "text": text,
            "truncated": False,
            "lang": tweet.get("lang") or UNKNOWN_LANGUAGE,
            "in_reply_to_status_id": _number(answered),
            "user": owner,
        }
        yield post if is_post(post) else "entries that are no posts"


def _owner(path: Path, account: str | None) -> Row:
    """Return the archive's owner as a user object, from `account.js` where it is there."""
    if path.is_file():
        rows = _assigned(path)
        found = rows[0].get("account") if isinstance(rows, list) and rows and isinstance(rows[0], dict) else None
        if not isinstance(found, dict) or _number(found.get("accountId")) is None or "username" not in found:
            message = "found no account with accountId and username"
            raise FormatError(path, [Problem(rule="archive-account", message=message)])
        name = str(found["username"])
        shown = str(found.get("accountDisplayName", name))
        return {"id": _number(found["accountId"]), "screen_name": account or name, "name": shown}
    if account is None:
        raise UsageError(f"there is no {path.name} beside the posts: say whose they are with --account")
    return {"id": 0, "screen_name": account, "name": account}


def _assigned(path: Path) -> Any:
    """Return what a JavaScript file assigns: `window.YTD.tweets.part0 = [...]`. Raises `FormatError`."""
    text, _ = disk.decode_text(disk.read_bytes(path), path)
    start = min((at for at in (text.find("["), text.find("{")) if at >= 0), default=-1)
    if start < 0 or (start > 0 and "=" not in text[:start]):
        message = "found no assignment of a list (window.YTD... = [...])"
        raise FormatError(path, [Problem(rule="archive-script", message=message)])
    return disk.decode_json(text[start:].rstrip().rstrip(";"), path)


def _lines(source: Source) -> Iterator[bytes]:
    rest = b""
    for piece in _unpacked(source):
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
    yield rest


def _unpacked(source: Source) -> Iterator[bytes]:
    """Yield the bytes of a file; bzip2 is unpacked here, in one or several streams, and gzip by the source."""
    pieces = source.pieces()
    first = next(pieces, b"")
    if not first.startswith(_BZIP2):
        yield from chain([first], pieces)
        return
    unpacker = bz2.BZ2Decompressor()
    try:
        for piece in chain([first], pieces):
            rest = piece
            while rest:
                if unpacker.eof:
                    unpacker = bz2.BZ2Decompressor()
                yield unpacker.decompress(rest)
                rest = unpacker.unused_data
    except (OSError, ValueError, EOFError, zlib.error) as error:
        _refuse(source.path, str(error), error)
    if not unpacker.eof:
        _refuse(source.path, "it ends too early", None)


def _refuse(path: Path, why: str, error: Exception | None) -> None:
    message = f"the bzip2 data cannot be unpacked ({why})"
    problem = Problem(rule="bzip2-damaged", message=message, advice="copy or download the file again")
    raise FormatError(path, [problem]) from error


def _number(value: object) -> int | None:
    text = str(value)
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None
    return number if number is not None and number <= _LARGEST else None
