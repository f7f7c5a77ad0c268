"""What two parts of a split have in common: accounts, posts, whole dialogues."""

from __future__ import annotations

import hashlib
from itertools import chain, combinations
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from duologue.challenges.conversation import posts
from duologue.challenges.conversation.collecting.hydrate import read_wanted
from duologue.challenges.conversation.twitter import sources
from duologue.core.disk import Source
from duologue.core.lines import Lines
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet
    from pathlib import Path

Thing = TypeVar("Thing")


class Part(NamedTuple):
    """One part of a split, as far as its file tells."""

    name: str
    accounts: AbstractSet[str] | None = None
    """In lower case; `None` where the file names none."""
    posts: AbstractSet[int] | None = None
    dialogues: AbstractSet[bytes] | None = None
    """Hashes of their texts, without the speakers."""


class Overlap(Record, frozen=True, kw_only=True):
    """What two parts have in common; `None` where their files cannot tell."""

    first: str
    second: str
    accounts: int | None = None
    posts: int | None = None
    dialogues: int | None = None
    examples: tuple[str, ...] = ()
    """Some accounts and posts that are in both."""

    def any(self) -> bool:
        """Tell whether there is something in common."""
        return bool(self.accounts or self.posts or self.dialogues)

    def told(self) -> str:
        """Return this as a line of text."""
        known = {"accounts": self.accounts, "posts": self.posts, "dialogues": self.dialogues}
        found = [f"{count:,} {what}" for what, count in known.items() if count is not None]
        shown = f" ({', '.join(self.examples)})" if self.examples else ""
        return f"{self.first} and {self.second}: {', '.join(found) or 'nothing to compare'} in both{shown}"


def read_part(name: str, path: Path, store: Path | None = None) -> Part:
    """Return a part from its file: dialogue text, a list of ids (one per line, or the challenge's JSON), or accounts.

    With a store, the posts of listed accounts are known too. A dialogue is what its lines say, whoever says it.
    Raises `FormatError`, `StorageError`, and what `sources.read` raises.
    """
    start = next(iter(Lines(Source(path), unmarked=True)), "").strip()
    if start[:2] in {"U:", "S:"}:
        return Part(name, dialogues=set(_dialogues(Lines(Source(path), unmarked=True))))
    if start[:1] == "[" or (start.isascii() and start.isdigit() and len(start) > 5):
        return Part(name, posts=set(read_wanted(path)))
    accounts = posts.read_accounts(path)
    found = None
    if store is not None:
        found = {
            post.id for one in sources.read(store, accounts) for dialogue in one.dialogues.values() for post in dialogue
        }
    return Part(name, accounts={account.lower() for account in accounts}, posts=found)


def compare(parts: Iterable[Part]) -> list[Overlap]:
    """Return what each two parts have in common."""
    found = []
    for one, other in combinations(parts, 2):
        accounts = _shared(one.accounts, other.accounts)
        common = _shared(one.posts, other.posts)
        dialogues = _shared(one.dialogues, other.dialogues)
        found.append(
            Overlap(
                first=one.name,
                second=other.name,
                accounts=None if accounts is None else len(accounts),
                posts=None if common is None else len(common),
                dialogues=None if dialogues is None else len(dialogues),
                examples=(*sorted(accounts or ())[:5], *map(str, sorted(common or ())[:5])),
            )
        )
    return found


def _shared(one: AbstractSet[Thing] | None, other: AbstractSet[Thing] | None) -> AbstractSet[Thing] | None:
    return None if one is None or other is None else one & other


def _dialogues(lines: Iterable[str]) -> Iterator[bytes]:
    said: list[str] = []
    for line in chain(lines, ("",)):
        words = line.split()
        if words:
            said.append(" ".join(words[1:]))
        elif said:
            yield hashlib.blake2b("\n".join(said).encode(), digest_size=12).digest()
            said = []
