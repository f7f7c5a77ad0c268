"""Store of posts, their dialogues and the state of a collector: one SQLite file, readable by its owner alone.

A post is stored once, whoever finds it and however often; the first finding counts. A dialogue is a list of ids of
stored posts under the id of its last one. Every step of a collector is one transaction, so that a process killed
anywhere leaves a store that the next run goes on from, and two that work on one store never undo each other's work.
A post that was deleted at its source is gone for good: the database itself refuses to take it again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, Self, overload

from duologue.core.decoded import is_text
from duologue.core.errors import FormatError
from duologue.core.records import Problem
from duologue.store.database import SqliteDatabase
from duologue.store.threads import Change, rebuild

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path
    from sqlite3 import Connection
    from types import TracebackType

    Row = dict[str, Any]

NAME = "posts.sqlite"
"""What the database of a store folder is called."""
_VERSION = 2
_SCHEMA = """
CREATE TABLE posts (
    id INTEGER NOT NULL UNIQUE, parent INTEGER, created TEXT, text TEXT, truncated INTEGER, lang TEXT,
    author INTEGER, screen_name TEXT, name TEXT, body TEXT, raw TEXT, read INTEGER
);
CREATE TABLE dialogues (
    place INTEGER PRIMARY KEY, account TEXT NOT NULL COLLATE NOCASE, key INTEGER NOT NULL,
    ids TEXT NOT NULL, UNIQUE (account, key)
);
CREATE TABLE accounts (
    name TEXT PRIMARY KEY COLLATE NOCASE, user INTEGER, revision INTEGER NOT NULL DEFAULT 0,
    exported INTEGER NOT NULL DEFAULT 0, reached INTEGER
);
CREATE TABLE scans (account TEXT PRIMARY KEY COLLATE NOCASE, since INTEGER, before INTEGER, complete INTEGER NOT NULL);
CREATE TABLE scanned (
    account TEXT NOT NULL COLLATE NOCASE, id INTEGER NOT NULL, timeline INTEGER NOT NULL, PRIMARY KEY (account, id)
) WITHOUT ROWID;
CREATE TABLE absent (id INTEGER PRIMARY KEY, reason TEXT NOT NULL);
CREATE TABLE deleted (id INTEGER PRIMARY KEY, reason TEXT NOT NULL);
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TRIGGER refuse_deleted BEFORE INSERT ON posts WHEN EXISTS (SELECT 1 FROM deleted WHERE id = NEW.id)
BEGIN SELECT RAISE(IGNORE); END;
CREATE INDEX posts_by_read ON posts (read) WHERE read IS NOT NULL
"""
_UPGRADES = {
    1: """
ALTER TABLE posts ADD COLUMN read INTEGER;
ALTER TABLE accounts ADD COLUMN reached INTEGER;
CREATE TABLE deleted (id INTEGER PRIMARY KEY, reason TEXT NOT NULL);
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO deleted SELECT id, reason FROM absent WHERE reason = 'deleted by its author';
DELETE FROM absent WHERE id IN (SELECT id FROM deleted);
CREATE TRIGGER refuse_deleted BEFORE INSERT ON posts WHEN EXISTS (SELECT 1 FROM deleted WHERE id = NEW.id)
BEGIN SELECT RAISE(IGNORE); END;
UPDATE posts SET read = unixepoch();
CREATE INDEX posts_by_read ON posts (read) WHERE read IS NOT NULL
"""
}
"""Stores of version 1 did not tell when a post was read: those count as read when the store is first written to."""
_STEERING = ("accounts", "scans", "scanned", "settings", "absent", "deleted")
_COLUMNS = "id, parent, created, text, truncated, lang, author, screen_name, name, body"
_ADD = f"INSERT OR IGNORE INTO posts ({_COLUMNS}, raw, read) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608  # our own column names
_ADD_PLAIN = (
    "INSERT OR IGNORE INTO posts (id, parent, created, text, truncated, lang, author, screen_name, name) "
    "VALUES (?, ?, ?, ?, 0, ?, ?, ?, '')"
)
_ONE = f"SELECT {_COLUMNS} FROM posts WHERE id = ?"  # noqa: S608  # our own column names
_ALL = f"SELECT {_COLUMNS} FROM posts ORDER BY id"  # noqa: S608  # our own column names
_DIALOGUES = "SELECT key, ids FROM dialogues WHERE account = ? ORDER BY place"
_PUT = (
    "INSERT INTO dialogues (account, key, ids) VALUES (?, ?, ?) "
    "ON CONFLICT (account, key) DO UPDATE SET ids = excluded.ids"
)
_SETTING = "SELECT value FROM settings WHERE name = ?"
_DROP = "DELETE FROM dialogues WHERE account = ? AND key = ?"
_REACHED = "SELECT account, max(key) FROM dialogues GROUP BY account"
_REACH = "UPDATE accounts SET reached = max(?, ifnull(reached, 0)) WHERE name = ?"
_REVISE = "INSERT INTO accounts (name, revision) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET revision = revision + 1"
_LARGEST = 2**63 - 1
_MAX_DIGITS = len(str(_LARGEST))
_KEYS = ["id", "id_str", "created_at", "text", "truncated", "lang", "in_reply_to_status_id", "user"]
_USER_KEYS = ["id", "screen_name", "name"]


class Scan(NamedTuple):
    """How far the reading of an account's timeline has come."""

    since: int | None
    """Only posts with larger ids are wanted."""
    before: int | None
    """Posts with smaller ids are still to be read; `None` = nothing was read yet."""
    complete: bool
    """Whether the timeline is read to its end and only posts replied to are missing."""
    timeline: tuple[int, ...]
    """Ids of the replies read so far, descending."""
    found: tuple[int, ...]
    """Ids of the posts replied to that were looked up so far, ascending."""


class PostBase:
    """The store's database; made where there is none. Use it in a `with` block.

    Raises `StorageError` for what the disk refuses and `FormatError` for a file that is no such database.
    """

    def __init__(self, path: Path, *, writable: bool = True, durable: bool = True, read: int | None = None) -> None:
        """Open the database; `durable` as `SqliteDatabase` says.

        `read` is the second since 1970 at which a service was asked for the posts that are added: they can expire.
        """
        self._base = SqliteDatabase(
            path,
            schema=_SCHEMA,
            version=_VERSION,
            upgrades=_UPGRADES,
            writable=writable,
            durable=durable,
            private=True,
        )
        self.path = path
        try:
            self._expect_types()
        except BaseException:
            self._base.close()
            raise
        self._read = read

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._base.close()

    def add(self, posts: Iterable[Row], raw: Iterable[str | None] | None = None) -> None:
        """Add posts as one transaction; those that are there already stay as they are, deleted ones stay away.

        `raw` is per post what the service sent, where that says more than the post does. Raises `FormatError` for
        an id beyond 63 bits.
        """
        with self._base.writing() as connection:
            connection.executemany(_ADD, self._values(posts, raw))

    def add_plain(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Add posts given as id, parent, created, text, language, author's id and screen name, for bulk imports.

        They have no display name and are not truncated.
        """
        with self._base.writing() as connection:
            connection.executemany(_ADD_PLAIN, rows)

    def _values(self, posts: Iterable[Row], raw: Iterable[str | None] | None) -> Iterator[Sequence[Any]]:
        sent = iter(raw) if raw is not None else None
        for post in posts:
            yield (*_values_of(post, self.path), next(sent) if sent is not None else None, self._read)

    def post(self, number: int) -> Row | None:
        """Return a post as the service gave it, `None` for one that is not here."""
        if not 0 <= number <= _LARGEST:
            return None
        with self._base.guarded():
            values = self._base.connection.execute(_ONE, (number,)).fetchone()
        return None if values is None else self._post_of(values)

    def parents(self, numbers: Iterable[int]) -> dict[int, int | None]:
        """Return what posts answer, for those of the ids that are here."""
        query = "SELECT parent FROM posts WHERE id = ?"
        with self._base.guarded():
            known = (one for one in numbers if 0 <= one <= _LARGEST)
            found = ((one, self._base.connection.execute(query, (one,)).fetchone()) for one in known)
            parents = {one: row[0] for one, row in found if row is not None}
        odd = next((one for one, parent in parents.items() if parent is not None and not _is_small(parent)), None)
        if odd is not None:
            raise self._damaged(f"post {odd}: what it answers is {parents[odd]!r:.60}, which is no id")
        return parents

    def posts(self) -> Iterator[Row]:
        """Yield all posts by ascending id."""
        with self._base.guarded():
            for values in self._base.connection.execute(_ALL):
                yield self._post_of(values)

    def posts_of(self, authors: Iterable[int]) -> list[int]:
        """Return the ids of the posts of authors, given by their numbers."""
        wanted = sorted(set(authors))
        with self._base.guarded():
            query = "SELECT id FROM posts WHERE author IN (SELECT value FROM json_each(?))"  # authors have no index
            return sorted(
                self._ids(number for (number,) in self._base.connection.execute(query, (json.dumps(wanted),)))
            )

    def counts(self) -> dict[str, int]:
        """Return how many accounts with dialogues, dialogues, posts and vanished posts there are."""
        queries = {
            "accounts": "SELECT count(DISTINCT account) FROM dialogues",
            "dialogues": "SELECT count(*) FROM dialogues",
            "posts": "SELECT count(*) FROM posts",
            "absent": "SELECT count(*) FROM absent",
        }
        with self._base.reading() as connection:
            return {name: connection.execute(query).fetchone()[0] for name, query in queries.items()}

    def forget(self, numbers: Iterable[int], reason: str) -> int:
        """Take out posts that were deleted at their source, for good; return how many were here.

        No later import or collection brings them back. Dialogues lose them: what is left on either side of a gap is
        a dialogue where it ends as one. All of it is one transaction; the bytes are overwritten.
        """
        wanted = sorted(set(numbers))
        if not wanted:
            return 0
        with self._base.writing() as connection:
            rows = ((number, reason) for number in wanted)
            connection.executemany("INSERT OR IGNORE INTO deleted VALUES (?, ?)", rows)
            gone = self._take_out(connection, wanted)
        if gone:
            self._base.settle()
        return gone

    def expire(self, before: int) -> int:
        """Take out posts that a service was asked for before a moment (seconds since 1970); return how many.

        They are not deleted: what needs them may read them again. Where timelines were read to is kept.
        """
        query = "SELECT id FROM posts WHERE read < ?"
        with self._base.writing() as connection:
            found = self._ids(number for (number,) in connection.execute(query, (max(before, 0),)))
            for account, reached in connection.execute(_REACHED).fetchall() if found else ():
                connection.execute(_REACH, (reached, account))
            gone = self._take_out(connection, found)
        if gone:
            self._base.settle()
        return gone

    def reached(self, account: str) -> int | None:
        """Return the last dialogue's key that an account had when posts expired, `None` where none ever did."""
        with self._base.guarded():
            query = "SELECT reached FROM accounts WHERE name = ?"
            row = self._base.connection.execute(query, (account,)).fetchone()
        return row[0] if row else None

    def deleted(self) -> dict[int, str]:
        """Return the ids of posts that were deleted at their source, whether they ever were here or not."""
        if self._base.version < 2:
            return {}
        with self._base.guarded():
            return dict(self._base.connection.execute("SELECT id, reason FROM deleted"))

    def _take_out(self, connection: Connection, numbers: Sequence[int]) -> int:
        """Delete posts and mend the dialogues that they stood in; return how many there were."""
        query = "SELECT 1 FROM posts WHERE id = ?"
        gone = {number for number in numbers if connection.execute(query, (number,)).fetchone() is not None}
        if not gone:
            return 0
        for table in ("posts", "scanned"):
            connection.executemany(f"DELETE FROM {table} WHERE id = ?", ((one,) for one in sorted(gone)))  # noqa: S608  # our own names
        names: dict[str, str] = {}
        broken: dict[str, dict[int, tuple[int, ...]]] = {}
        for account, *row in connection.execute("SELECT account, key, ids FROM dialogues ORDER BY place"):
            if not isinstance(account, str):
                raise self._damaged(f"account {account!r:.60} is no name")
            ((key, numbers),) = self._keys([(row[0], row[1])]).items()
            if not gone.isdisjoint(numbers):
                names.setdefault(account.lower(), account)
                broken.setdefault(names[account.lower()], {})[key] = numbers
        for account, dialogues in broken.items():
            self._mend(connection, account, dialogues, gone)
        return len(gone)

    def _mend(
        self, connection: Connection, account: str, broken: Mapping[int, Sequence[int]], gone: AbstractSet[int]
    ) -> None:
        """Put what is left of an account's dialogues in their place."""
        parents: dict[int, int | None] = {}
        for ids in broken.values():
            above: int | None = None
            for number in ids:
                if number not in gone:
                    parents[number] = above
                above = number
        ends = {key for key in broken if key not in gone}
        for number in parents:
            post = connection.execute(_ONE, (number,)).fetchone()
            if post is not None and _account_of(self._post_of(post)).lower() == account.lower():
                ends.add(number)
        connection.executemany(_DROP, ((account, key) for key in broken))
        stored = self._keys(connection.execute(_DIALOGUES, (account,)))
        self._change(connection, account, rebuild(stored, sorted(ends, reverse=True), parents))
        connection.execute(_REVISE, (account,))

    def _change(self, connection: Connection, account: str, change: Change) -> None:
        connection.executemany(_DROP, ((account, key) for key in change.removed))
        connection.executemany(_PUT, ((account, key, _joined(ids)) for key, ids in change.added.items()))

    @overload
    def setting(self, name: str, value: str) -> str: ...

    @overload
    def setting(self, name: str) -> str | None: ...

    def setting(self, name: str, value: str | None = None) -> str | None:
        """Return what the store keeps under a name: `value` from the first call with one on, `None` before."""
        if value is None:
            if self._base.version < 2:
                return None
            with self._base.guarded():
                row = self._base.connection.execute(_SETTING, (name,)).fetchone()
            return row[0] if row else None
        with self._base.writing() as connection:
            connection.execute("INSERT OR IGNORE INTO settings VALUES (?, ?)", (name, value))
            found: str = connection.execute(_SETTING, (name,)).fetchone()[0]
        return found

    def note_absent(self, reasons: dict[int, str]) -> None:
        """Remember ids that the service has no post for, with its reasons."""
        with self._base.writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO absent VALUES (?, ?)", reasons.items())

    def absent(self) -> dict[int, str]:
        """Return the ids known to be without a post, with the reasons; deleted ones are among them."""
        with self._base.guarded():
            found = dict(self._base.connection.execute("SELECT id, reason FROM absent"))
        return found | self.deleted()

    def accounts(self) -> list[str]:
        """Return the names of the accounts that have dialogues, in the order of their letters' numbers."""
        query = "SELECT account FROM dialogues GROUP BY account"
        with self._base.guarded():
            names = [name for (name,) in self._base.connection.execute(query)]
        odd = [name for name in names if not isinstance(name, str)]
        if odd:
            raise self._damaged(f"account {odd[0]!r:.60} is no name")
        return sorted(names)

    def known(self) -> list[str]:
        """Return the names of the accounts that have or had dialogues, in the order of their letters' numbers."""
        with self._base.guarded():
            rows = self._base.connection.execute("SELECT name FROM accounts WHERE revision > 0")
            return sorted(name for (name,) in rows)

    def keys(self, account: str) -> dict[int, tuple[int, ...]]:
        """Return the dialogues of an account as ids of posts, under the ids of their last ones, in stored order."""
        with self._base.guarded():
            return self._keys(self._base.connection.execute(_DIALOGUES, (account,)))

    def dialogues(self, account: str) -> Iterator[tuple[int, list[Row]]]:
        """Yield the dialogues of an account: key and posts, oldest first, in stored order.

        Where a post was forgotten the dialogue begins after it, and one with fewer than two posts left is left out.
        """
        for key, ids in self.keys(account).items():
            posts: list[Row] = []
            for number in ids:
                post = self.post(number)
                if post is None:
                    posts = []
                else:
                    posts.append(post)
            if len(posts) > 1:
                yield key, posts

    def add_dialogues(self, rows: Iterable[tuple[str, int, Sequence[int]]]) -> None:
        """Add dialogues given as account, key and ids, whose posts are added already; equal keys are replaced."""
        accounts: set[str] = set()

        def values() -> Iterator[tuple[str, int, str]]:
            for account, key, ids in rows:
                accounts.add(account)
                yield account, key, _joined(ids)

        with self._base.writing() as connection:
            connection.executemany(_PUT, values())
            for account in sorted(accounts):
                connection.execute(_REVISE, (account,))

    def user(self, account: str) -> int | None:
        """Return the number that the service knows an account by, `None` where it was not asked yet."""
        with self._base.guarded():
            row = self._base.connection.execute("SELECT user FROM accounts WHERE name = ?", (account,)).fetchone()
        return row[0] if row else None

    def note_users(self, users: Mapping[str, int | None]) -> None:
        """Remember accounts' numbers."""
        query = "INSERT INTO accounts (name, user) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET user = excluded.user"
        with self._base.writing() as connection:
            connection.executemany(query, users.items())

    def scan(self, account: str) -> Scan | None:
        """Return the scan of an account that was begun and not finished."""
        with self._base.reading() as connection:
            query = "SELECT since, before, complete FROM scans WHERE account = ?"
            row = connection.execute(query, (account,)).fetchone()
            if row is None:
                return None
            query = "SELECT id, timeline FROM scanned WHERE account = ? ORDER BY id"
            seen = connection.execute(query, (account,)).fetchall()
        timeline = tuple(number for number, own in reversed(seen) if own)
        found = tuple(number for number, own in seen if not own)
        return Scan(row[0], row[1], bool(row[2]), timeline, found)

    def keep_page(
        self, account: str, posts: Sequence[Row], raw: Sequence[str | None], seen: dict[int, bool], scan: Scan
    ) -> None:
        """Keep a page of an account's timeline and where to go on, as one transaction.

        `seen` has the ids that the scan is to know: `True` for the account's own replies, which may end dialogues.
        """
        with self._base.writing() as connection:
            connection.executemany(_ADD, self._values(posts, raw))
            rows = ((account, number, own) for number, own in seen.items())
            connection.executemany("INSERT OR REPLACE INTO scanned VALUES (?, ?, ?)", rows)
            values = (account, scan.since, scan.before, scan.complete)
            connection.execute("INSERT OR REPLACE INTO scans VALUES (?, ?, ?, ?)", values)

    def keep_found(self, account: str, posts: Sequence[Row], raw: Sequence[str | None]) -> None:
        """Keep posts replied to that were looked up for a scan, as one transaction."""
        with self._base.writing() as connection:
            connection.executemany(_ADD, self._values(posts, raw))
            rows = ((account, post["id"]) for post in posts)
            connection.executemany("INSERT OR IGNORE INTO scanned VALUES (?, ?, 0)", rows)

    def finish(self, account: str, change: Callable[[dict[int, tuple[int, ...]]], Change]) -> Change:
        """End a scan: give `change` the dialogues as they are now, make the change it names, forget the scan.

        All of it is one transaction, in which no other process writes.
        """
        with self._base.writing() as connection:
            made = change(self._keys(connection.execute(_DIALOGUES, (account,))))
            self._change(connection, account, made)
            if made.added or made.removed:
                connection.execute(_REVISE, (account,))
            connection.execute("DELETE FROM scans WHERE account = ?", (account,))
            connection.execute("DELETE FROM scanned WHERE account = ?", (account,))
        return made

    def drop_scan(self, account: str) -> None:
        """Forget how far the reading of an account had come."""
        self.finish(account, lambda _: Change((), {}))

    def revision(self, account: str) -> tuple[int, int]:
        """Return how often an account's dialogues changed, and at which of these states they were last exported."""
        query = "SELECT revision, exported FROM accounts WHERE name = ?"
        with self._base.guarded():
            row = self._base.connection.execute(query, (account,)).fetchone()
        return (row[0], row[1]) if row else (0, 0)

    def note_exported(self, account: str, revision: int) -> None:
        """Remember that an account's dialogues were exported as they were at a revision."""
        with self._base.writing() as connection:
            connection.execute("UPDATE accounts SET exported = ? WHERE name = ?", (revision, account))

    def _ids(self, numbers: Iterable[Any]) -> list[int]:
        found = list(numbers)
        odd = next((one for one in found if not _is_small(one)), None)
        if odd is not None:
            raise self._damaged(f"post {odd!r:.60}: this is no id")
        return found

    def _keys(self, rows: Iterable[tuple[int, str]]) -> dict[int, tuple[int, ...]]:
        found: dict[int, tuple[int, ...]] = {}
        for key, ids in rows:
            numbers = ids.split() if isinstance(ids, str) else [""]
            if not isinstance(key, int) or not all(_is_id(number) for number in numbers):
                raise self._damaged(f"dialogue {key!r}: its posts are {ids!r:.60}, which are no ids")
            found[key] = tuple(map(int, numbers))
        return found

    def _post_of(self, values: Sequence[Any]) -> Row:
        body = values[-1]
        if body is None:
            if not _are_plain(values):
                raise self._damaged(f"post {values[0]!r:.60}: a value is of the wrong type")
            return _plain_post(values)
        try:
            post = json.loads(body)
        except (ValueError, TypeError, RecursionError) as error:
            raise self._damaged(f"post {values[0]!r}: what the service gave is no JSON: {error}") from error
        if not isinstance(post, dict) or not _is_small(post.get("id")):
            raise self._damaged(f"post {values[0]!r}: what the service gave is no post")
        return post

    def _expect_types(self) -> None:
        """Raise `FormatError` for values of another type than their column's: SQLite keeps whatever it is given.

        Looked through are the tables that steer a collector, which are small; posts and dialogues are judged when they
        are read.
        """
        for table in _STEERING:
            with self._base.guarded():
                columns = self._base.connection.execute(f"PRAGMA table_info({table})").fetchall()
                odd = " OR ".join(
                    f"typeof({name}) NOT IN ('{kind.lower()}', '{kind.lower() if key else 'null'}')"
                    for _, name, kind, _, _, key in columns  # SQLite lets a key be NULL
                )
                query = f"SELECT * FROM {table} WHERE {odd} LIMIT 1"  # noqa: S608  # our own names
                row = self._base.connection.execute(query).fetchone() if odd else None  # a store of the first version
            if row is not None:
                raise self._damaged(f"table {table}: a value is of the wrong type in {row!r:.100}")

    def _damaged(self, message: str) -> FormatError:
        problem = Problem(rule="store-damaged", message=message, advice="use another copy of the store")
        return FormatError(self.path, [problem])


def _joined(ids: Sequence[int]) -> str:
    return " ".join(map(str, ids))


def _values_of(post: Row, path: Path) -> Sequence[Any]:
    """Return a post's columns. Only what is more than the eight usual fields is kept as JSON."""
    number, parent = post["id"], post.get("in_reply_to_status_id")
    if not 0 <= number <= _LARGEST or (parent is not None and not 0 <= parent <= _LARGEST):
        message = f"post {number} (reply to {parent}) has an id beyond 63 bits"
        raise FormatError(path, [Problem(rule="post-id", message=message)])
    if _is_plain(post):
        user = post["user"]
        values = (post["created_at"], post["text"], post["truncated"], post["lang"])
        return (number, parent, *values, user["id"], user["screen_name"], user["name"], None)
    return (number, parent, *[None] * 7, json.dumps(post))


def _is_plain(post: Row) -> bool:
    """Tell whether the columns give the post back as it is, with its order of keys."""
    user = post.get("user")
    if list(post) != _KEYS or post["id_str"] != str(post["id"]) or not isinstance(post["truncated"], bool):
        return False
    if not isinstance(user, dict) or list(user) != _USER_KEYS or not _is_small(user["id"]):
        return False
    texts = (post["created_at"], post["text"], post["lang"], user["screen_name"], user["name"])
    return all(map(is_text, texts))


def _is_small(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= _LARGEST


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS and int(text) <= _LARGEST


def _account_of(post: Row) -> str:
    """Return the screen name of a post's author; empty where the service gave none."""
    user = post.get("user")
    name = user.get("screen_name") if isinstance(user, dict) else None
    return name if isinstance(name, str) else ""


def _are_plain(values: Sequence[Any]) -> bool:
    """Tell whether columns are of the types in which they were written."""
    number, parent, created, text, truncated, lang, author, screen_name, name, _ = values
    known = _is_small(number) and _is_small(author) and (parent is None or _is_small(parent))
    told = all(one is None or isinstance(one, str) for one in (created, text, lang, screen_name, name))
    return known and told and isinstance(truncated, int)


def _plain_post(values: Sequence[Any]) -> Row:
    number, parent, created, text, truncated, lang, author, screen_name, name, _ = values
    return {
        "id": number,
        "id_str": str(number),
        "created_at": created,
        "text": text,
        "truncated": bool(truncated),
        "lang": lang,
        "in_reply_to_status_id": parent,
        "user": {"id": author, "screen_name": screen_name, "name": name},
    }
