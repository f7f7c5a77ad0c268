"""Anonymisation of posts: imported ones before they are stored, collected ones on export.

Texts pass the anonymiser. People have other names and numbers, which are the same wherever they stand in a store; the
accounts that an import is about keep theirs. Ids of posts stay: threads, deletions and extraction go by them.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache
from hashlib import blake2b, sha256
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
import tomli_w

from duologue.challenges.conversation.formats import posts, stores
from duologue.core import disk
from duologue.core.errors import FormatError
from duologue.core.records import Problem
from duologue.core.typed import parse_toml
from duologue.store.database import is_database
from duologue.store.posts import NAME, PostBase
from duologue.text.anonymiser import Anonymiser
from duologue.text.personal.names import names_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from duologue.challenges.conversation.formats.posts import Post, Store
    from duologue.core.disk import Source
    from duologue.text.anonymiser import Anonymised, Replaced

    Row = dict[str, Any]

REPORT = "personal-data.toml"
"""File name of the report beside a store."""
_RECENT = 100_000
"""Cache size in posts: a reply mostly follows its parent."""
_NUMBER_BITS = 40
_FIRST = 1_000


class Pseudonyms:
    """Keyed pseudonyms for user names and ids; without the store's key names cannot be tested.

    The key comes from the first file that was imported: the same file gives the same store.
    """

    def __init__(self, key: bytes) -> None:
        """`key` has 32 bytes."""

        @lru_cache(maxsize=1 << 16)
        def digest_of(person: str) -> bytes:
            return blake2b(person.encode("utf-8", "surrogatepass"), key=key, digest_size=8).digest()

        self._digest = digest_of

    @classmethod
    def imported(cls, base: PostBase, source: Source) -> Pseudonyms:
        """Return the pseudonyms of a store for importing a file."""
        return cls(_key_of(base.setting("pseudonyms", _digest_of(source.pieces())), base.path))

    @classmethod
    def exported(cls, path: Path) -> Pseudonyms:
        """Return the pseudonyms for exporting a store; the key is derived from its first posts unless stored."""
        database = path / NAME if path.is_dir() else path
        key = None
        if is_database(database):
            with PostBase(database, writable=False) as base:
                key = base.setting("pseudonyms")
        if key is None:
            first = islice(stores.posts_in(path), _FIRST)
            key = _digest_of(f"{post.id} {post.text}\n".encode("utf-8", "surrogatepass") for post in first)
        return cls(_key_of(key, database))

    def name(self, name: str) -> str:
        """Return the case-insensitive pseudonym of a user name: `user_` and eight hexadecimal digits."""
        return f"user_{self._digest(name.lower()).hex()[:8]}"

    def number(self, number: int) -> int:
        """Return the pseudonymous user id."""
        return int.from_bytes(self._digest(f"#{number}"), "big") >> (64 - _NUMBER_BITS)


class ThreadAnonymisers:
    """One anonymiser per thread, keyed by its first known post."""

    def __init__(self, anonymiser: Anonymiser, root: Callable[[int], int]) -> None:
        self._anonymiser = anonymiser
        self._root = root
        self._known: dict[int, Anonymised] = {}

    def of(self, post: int) -> Anonymised:
        """Return the anonymiser of a post's thread."""
        root = self._root(post)
        found = self._known.get(root)
        if found is None:
            found = self._known[root] = self._anonymiser.dialogue()
        return found


class PostAnonymiser:
    """Anonymises imported posts."""

    def __init__(self, base: PostBase, source: Source, accounts: Iterable[str]) -> None:
        """Names of `accounts` are kept."""
        self._base = base
        self._accounts = {name.lower() for name in accounts}
        self._people = Pseudonyms.imported(base, source)
        self.anonymiser = Anonymiser(keep=self._accounts, handle=self._people.name)
        self._recent: OrderedDict[int, tuple[int | None, list[str]]] = OrderedDict()
        self._above: dict[int, int] = {}
        """Posts far above others in their threads, so that no thread is gone through post by post twice."""
        self._threads = ThreadAnonymisers(self.anonymiser, self._root)

    def post(self, row: Row, mentioned: Iterable[str] = ()) -> Row:
        """Return the anonymised post; `mentioned` are display names of mentioned users."""
        user, parent = row["user"], row["in_reply_to_status_id"]
        is_account = user["screen_name"].lower() in self._accounts
        own = [] if is_account else names_in(user["name"])
        self._recent[row["id"]] = parent, own
        if len(self._recent) > _RECENT:
            self._recent.popitem(last=False)
        known = dict.fromkeys(own)
        if parent in self._recent:
            known |= dict.fromkeys(self._recent[parent][1])
        for name in mentioned:
            known |= dict.fromkeys(names_in(name))
        text = self.anonymiser.text(row["text"], lambda: self._threads.of(row["id"]), known)
        if not is_account:
            name = self._people.name(user["screen_name"])
            user = {"id": self._people.number(user["id"]), "screen_name": name, "name": ""}
        return {**row, "text": text, "user": user}

    def author(self, number: int) -> int:
        """Return the pseudonymous id of an author."""
        return self._people.number(number)

    def _root(self, post: int) -> int:
        """Return the first known post of a thread, from this import or the store."""
        seen = {post}
        while True:
            above = self._above.get(post)
            if above is None:
                above = self._recent[post][0] if post in self._recent else self._base.parents([post]).get(post)
            if above is None or above in seen:
                break
            seen.add(above)
            post = above
        if len(self._above) + len(seen) > _RECENT:
            self._above.clear()
        self._above.update(dict.fromkeys(seen - {post}, post))
        return post


class StoreAnonymiser:
    """Anonymises the dialogues of a store for export."""

    def __init__(self, path: Path) -> None:
        self._people = Pseudonyms.exported(path)
        self.anonymiser = Anonymiser(handle=self._people.name)

    def store(self, store: Store) -> Store:
        """Return an account's dialogues anonymised; fields that extraction needs are kept."""
        self.anonymiser.keep([store.account])
        own = store.account.lower()
        dialogues: dict[str, tuple[Post, ...]] = {}
        for key, dialogue in store.dialogues.items():
            one = self.anonymiser.dialogue()
            known = [name for post in dialogue if post.screen_name.lower() != own for name in names_in(post.name)]
            dialogues[key] = tuple(self._post(post, own, one, known) for post in dialogue)
        return posts.Store(account=store.account, dialogues=dialogues, layout=store.layout)

    def _post(self, post: Post, own: str, one: Anonymised, known: Sequence[str]) -> Post:
        people = self._people
        user: Row = {"id": people.number(post.author), "screen_name": people.name(post.screen_name), "name": ""}
        if post.screen_name.lower() == own:
            user = {"id": post.author, "screen_name": post.screen_name, "name": post.name}
        return posts.post_of(
            {
                "id": post.id,
                "id_str": str(post.id),
                "created_at": post.created_at,
                "text": one.text(post.text, known),
                "truncated": post.truncated,
                "lang": post.lang,
                "in_reply_to_status_id": post.reply_to,
                "user": user,
            }
        )


def _key_of(text: str, path: Path) -> bytes:
    """Decode the key of a store. Raises `FormatError` where it is damaged."""
    try:
        return bytes.fromhex(text)
    except (TypeError, ValueError) as error:
        problem = Problem(
            rule="store-setting",
            message=f"the setting 'pseudonyms' is {text!r:.80}; expected hexadecimal digits: the store is damaged",
            advice="take the store from a copy, or import into a new one",
        )
        raise FormatError(path, [problem]) from error


def _digest_of(pieces: Iterable[bytes]) -> str:
    digest = sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def write_report(folder: Path, name: str, replaced: Replaced | None) -> Path:
    """Add an import to the report of replaced personal data beside a store; return its path.

    `None` is an import that kept personal data. A file that is imported again has its place.
    """
    path = disk.regular(folder / REPORT)
    rows = _imports_in(path) if path.is_file() else []
    if rows is None:
        path.replace(path.with_suffix(".damaged"))
    entry: Row = {"file": name} | ({"kept": True} if replaced is None else replaced.as_dict())
    others = [row for row in rows or () if row.get("file") != name]
    disk.write_text(path, tomli_w.dumps({"imports": [*others, entry]}), private=True)
    return path


def _imports_in(path: Path) -> list[Row] | None:
    """Return what a report of replaced personal data lists; `None` where it is damaged."""
    try:
        rows = parse_toml(disk.decode_text(disk.read_bytes(path), path)[0]).get("imports", [])
    except msgspec.DecodeError:
        return None
    return rows if isinstance(rows, list) and all(isinstance(row, dict) for row in rows) else None
