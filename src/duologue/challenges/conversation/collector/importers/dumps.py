"""Importer of Twitter dumps: one's own archive, and streams of REST API 1.1 posts (specification, 4.2)."""

from __future__ import annotations

import json
import logging
from itertools import chain
from typing import TYPE_CHECKING, Any

from duologue.challenges.conversation.collector.conversions import UNKNOWN_LANGUAGE, id_of
from duologue.challenges.conversation.collector.importers.insertion import DELETED, ImportResult, add, counted, thread
from duologue.challenges.conversation.collector.privacy import PostAnonymiser
from duologue.challenges.conversation.formats.posts import is_post
from duologue.core import disk
from duologue.core.decompression import bunzipped, is_bzip2
from duologue.core.disk import Source
from duologue.core.errors import FormatError, StorageError, UsageError
from duologue.core.problems import ProblemCollector
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from duologue.store.posts import PostBase

    Row = dict[str, Any]

_LOG = logging.getLogger(__name__)
_NO_POST = "lines that are no posts"
_NOTICES = ("delete", "tweet_delete", "post_delete", "user_delete", "user_suspend", "user_protect")


def import_stream(
    base: PostBase, paths: Sequence[Path], accounts: Iterable[str], *, keep_personal_data: bool = False
) -> ImportResult:
    """Import JSON lines of REST API 1.1 posts, plain, gzip or bzip2, and thread the dialogues of accounts.

    Long posts are taken whole. Retweets and notices that are no posts are left out. Posts for which there is a delete
    notice, before or after them or in an earlier import, are left out and taken out for good; so are the posts here of
    an author who is gone. People and texts are made anonymous unless `keep_personal_data`. Raises
    `FormatError` with all lines that are no JSON, and `StorageError` for what the disk refuses.
    """
    replies: dict[str, list[int]] = {name: [] for name in accounts}
    wanted = {name.lower(): name for name in replies}
    skipped: dict[str, int] = {}
    gone = _Gone()
    total = 0
    privacy: PostAnonymiser | None = None

    def kept(rows: Iterable[Row | str]) -> Iterator[Row]:
        for post in counted(rows, skipped):
            mentioned = post.pop("mentioned")
            name = wanted.get(post["user"]["screen_name"].lower())
            if name is not None and post["in_reply_to_status_id"] is not None:
                replies[name].append(post["id"])
            yield post if privacy is None else privacy.post(post, mentioned)

    for path in paths:
        source = Source(path)
        if privacy is None and not keep_personal_data:
            privacy = PostAnonymiser(base, source, wanted)
        total += add(base, kept(_stream(source, gone)), gone.posts)
    authors = gone.authors if privacy is None else gone.authors | {privacy.author(one) for one in gone.authors}
    base.forget(base.posts_of(authors), DELETED)
    made, dialogues = thread(base, replies)
    replaced = None if privacy is None else privacy.anonymiser.replaced()
    return ImportResult(posts=total, dialogues=dialogues, accounts=made, skipped=skipped, replaced=replaced)


def import_archive(
    base: PostBase, path: Path, account: str | None, *, keep_personal_data: bool = False
) -> ImportResult:
    """Import one's own archive: its unpacked folder, or its `tweets.js` alone, which needs `account`.

    An archive holds its owner's posts only, so its dialogues are the owner's threads, unless the store has what they
    answer. Their texts, and the people named there, are made anonymous unless `keep_personal_data`; the owner is the
    account and stays. Raises `FormatError` for files that are none of an archive, `UsageError` where the
    account is unknown.
    """
    folder = path / "data" if (path / "data").is_dir() else path
    files = sorted([*folder.glob("tweets*.js"), *folder.glob("tweet*.js")]) if folder.is_dir() else [path]
    files = list(dict.fromkeys(file for file in files if "headers" not in file.name))
    if folder.is_dir():
        files = [disk.regular(file) for file in files]
    if not files:
        raise StorageError(f"there is no tweets.js in {path} or {path / 'data'}")
    owner = _owner(files[0].with_name("account.js"), account)
    skipped: dict[str, int] = {}
    replies: list[int] = []

    privacy = None if keep_personal_data else PostAnonymiser(base, Source(files[0]), [owner["screen_name"]])

    def kept() -> Iterator[Row]:
        for file in files:
            for post in counted(_archived(file, owner), skipped):
                if post["in_reply_to_status_id"] is not None:
                    replies.append(post["id"])
                mentioned = post.pop("mentioned")
                yield post if privacy is None else privacy.post(post, mentioned)

    total = add(base, kept())
    made, dialogues = thread(base, {owner["screen_name"]: replies})
    replaced = None if privacy is None else privacy.anonymiser.replaced()
    return ImportResult(posts=total, dialogues=dialogues, accounts=made, skipped=skipped, replaced=replaced)


class _Gone:
    """Deletions named by notices: post ids and author ids."""

    def __init__(self) -> None:
        self.posts: set[int] = set()
        self.authors: set[int] = set()

    def note(self, row: Row) -> bool:
        """Add a deletion notice; return whether the row is one."""
        found = _notice(row)
        if found is None:
            return False
        kind, number = found
        if number is not None:
            (self.authors if kind == "user" else self.posts).add(number)
        return True


def _notice(row: Row) -> tuple[str, int | None] | None:
    """Parse a deletion notice: `post` or `user`, and its id; `None` for any other row.

    Notices of streams (`{"delete": {"status": {"id": 1}}}`, `{"user_delete": {"id": 1}}`), of streams of the API v2
    (`{"data": {"delete": {"tweet": {"id": "1"}}}}`), and rows of its compliance jobs
    (`{"id": "1", "action": "delete"}`).
    """
    if row.get("action") in ("delete", "deleted") and "text" not in row:
        return ("user" if "username" in row or row.get("type") == "users" else "post"), id_of(row.get("id"))
    data = row.get("data")
    inner = data if isinstance(data, dict) else row
    for name in _NOTICES:
        said = inner.get(name)
        if not isinstance(said, dict):
            if name in inner and name == "delete":
                return "post", None
            continue
        about = next(
            (said[one] for one in ("status", "tweet", "post", "user") if isinstance(said.get(one), dict)), said
        )
        return ("user" if name.startswith("user_") else "post"), id_of(about.get("id_str", about.get("id")))
    return None


def _stream(source: Source, gone: _Gone) -> Iterator[Row | str]:
    """Yield posts, and skip reasons of other lines; deletion notices are added to `gone`."""
    path = source.path
    findings = ProblemCollector()
    known = False
    for number, line in enumerate(_lines(source), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            findings.add(Problem(rule="stream-json", place=f"line {number}", message=f"not valid JSON: {error}"))
            continue
        told = _told(row, gone)
        known = known or told != _NO_POST
        yield told
    if problems := findings.problems():
        raise FormatError(path, problems)
    if not known:
        _LOG.warning("%s holds no post; expected one JSON object per line, with id, text and user", path)


def _told(row: Any, gone: _Gone) -> Row | str:
    """Return the post of a line, or why it is none."""
    if not isinstance(row, dict):
        return _NO_POST
    if gone.note(row):
        return "delete notices"
    if row.get("retweeted_status"):
        return "retweets"
    post = _slim(row)
    return _NO_POST if post is None else post


def _slim(row: Row) -> Row | None:
    """Return the fields that extraction needs, with the full text of long posts; `None` for non-posts."""
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
    return post | {"mentioned": _mentioned(row)} if is_post(post) else None


def _mentioned(row: Row) -> list[str]:
    """Return the display names of mentioned users, from the post's entities."""
    found: list[str] = []
    for part in (row, row.get("extended_tweet")):
        entities = part.get("entities") if isinstance(part, dict) else None
        mentions = entities.get("user_mentions") if isinstance(entities, dict) else None
        for mention in mentions if isinstance(mentions, list) else ():
            name = mention.get("name") if isinstance(mention, dict) else None
            found += [name] if isinstance(name, str) else []
    return found


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
        number = id_of(tweet.get("id_str", tweet.get("id")))
        answered = tweet.get("in_reply_to_status_id_str", tweet.get("in_reply_to_status_id"))
        post = {
            "id": number,
            "id_str": str(number),
            "created_at": tweet.get("created_at"),
            "text": text,
            "truncated": False,
            "lang": tweet.get("lang") or UNKNOWN_LANGUAGE,
            "in_reply_to_status_id": id_of(answered),
            "user": owner,
        }
        yield post | {"mentioned": _mentioned(tweet)} if is_post(post) else "entries that are no posts"


def _owner(path: Path, account: str | None) -> Row:
    """Return the archive's owner as a user object, from `account.js` if present."""
    if path.is_file():
        rows = _assigned(path)
        found = rows[0].get("account") if isinstance(rows, list) and rows and isinstance(rows[0], dict) else None
        if not isinstance(found, dict) or id_of(found.get("accountId")) is None or "username" not in found:
            message = "found no account with accountId and username"
            raise FormatError(path, [Problem(rule="archive-account", message=message)])
        name = str(found["username"])
        shown = str(found.get("accountDisplayName", name))
        return {"id": id_of(found["accountId"]), "screen_name": account or name, "name": shown}
    if account is None:
        raise UsageError(f"there is no {path.name} beside the posts: say whose they are with --account")
    return {"id": 0, "screen_name": account, "name": account}


def _assigned(path: Path) -> Any:
    """Parse the assigned value of `window.YTD.tweets.part0 = [...]`. Raises `FormatError`."""
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
    """Yield the bytes of a file, decompressed if bzip2; gzip is handled by the source."""
    pieces = source.pieces()
    first = next(pieces, b"")
    whole = chain([first], pieces)
    return bunzipped(whole, source.path) if is_bzip2(first) else whole
