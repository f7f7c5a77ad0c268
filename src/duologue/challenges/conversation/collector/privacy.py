"""What becomes of the people in posts: of imported ones before they are stored, of collected ones where they leave.

Texts pass the anonymiser. People have other names and numbers, which are the same wherever they stand in a store; the
accounts that an import is about keep theirs. Ids of posts stay: threads, deletions and extraction go by them.
"""

from __future__ import annotations

import tomllib
from collections import OrderedDict
from functools import lru_cache
from hashlib import blake2b, sha256
from itertools import islice
from typing import TYPE_CHECKING, Any

import tomli_w

from duologue.challenges.conversation.formats import posts, stores
from duologue.core import disk
from duologue.core.errors import FormatError
from duologue.core.records import Problem
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
"""What the report beside a store is called."""
_RECENT = 100_000
"""Posts whose thread and author are remembered: a reply mostly follows what it answers."""
_NUMBER_BITS = 40
_FIRST = 1_000


class Pseudonyms:
    """Other names and numbers for people: made with a key that only the store has, so that nobody can try names out.

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
        """Return those of a store, which a file is imported into."""
        return cls(_key_of(base.setting("pseudonyms", _digest_of(source.pieces())), base.path))

    @classmethod
    def exported(cls, path: Path) -> Pseudonyms:
        """Return those of a store folder, database or account file: from its first posts, unless a key is there."""
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
        """Return a person's other name, for the same one in any case: `user_` and eight hexadecimal digits."""
        return f"user_{self._digest(name.lower()).hex()[:8]}"

    def number(self, number: int) -> int:
        """Return a person's other number."""
        return int.from_bytes(self._digest(f"#{number}"), "big") >> (64 - _NUMBER_BITS)


class ThreadAnonymisers:
    """The dialogues' anonymisers by the first post of their thread, as far as it is known."""

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
    """Makes posts of a dump such that they may be stored."""

    def __init__(self, base: PostBase, source: Source, accounts: Iterable[str]) -> None:
        """`accounts` are those whose names stay."""
        self._base = base
        self._accounts = {name.lower() for name in accounts}
        self._people = Pseudonyms.imported(base, source)
        self.anonymiser = Anonymiser(keep=self._accounts, handle=self._people.name)
        self._recent: OrderedDict[int, tuple[int | None, list[str]]] = OrderedDict()
        self._threads = ThreadAnonymisers(self.anonymiser, self._root)

    def post(self, row: Row, mentioned: Iterable[str] = ()) -> Row:
        """Return a post as it may be stored; `mentioned` are display names of people whom it speaks to."""
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
        """Return the number under which posts of a person stand in the store."""
        return self._people.number(number)

    def _root(self, post: int) -> int:
        """Return the first post of a thread that is known, from this import or from the store."""
        seen = {post}
        while True:
            parent = self._recent[post][0] if post in self._recent else self._base.parents([post]).get(post)
            if parent is None or parent in seen:
                return post
            seen.add(parent)
            post = parent


class StoreAnonymiser:
    """Makes the dialogues of a store such that they may leave it."""

    def __init__(self, path: Path) -> None:
        self._people = Pseudonyms.exported(path)
        self.anonymiser = Anonymiser(handle=self._people.name)

    def store(self, store: Store) -> Store:
        """Return an account's dialogues with anonymous texts and people; fields that extraction needs stay."""
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
    """Return the key that a store keeps. Raises `FormatError` where it is damaged: others would get the names."""
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
    """Write what an import of a file replaced beside a store, after what others did; return the report's path.

    `None` is an import that kept personal data. A file that is imported again has its place.
    """
    path = folder / REPORT
    rows: list[Row] = []
    if path.is_file():
        try:
            rows = tomllib.loads(disk.decode_text(disk.read_bytes(path), path)[0]).get("imports", [])
        except tomllib.TOMLDecodeError:
            path.replace(path.with_suffix(".damaged"))
    entry: Row = {"file": name} | ({"kept": True} if replaced is None else replaced.as_dict())
    rows = [row for row in rows if row.get("file") != name]
    disk.write_text(path, tomli_w.dumps({"imports": [*rows, entry]}), private=True)
    return path
