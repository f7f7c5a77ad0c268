"""Putting imported posts into a store, and the dialogues that they make."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from duologue.core.records import Record
from duologue.store.threads import rebuild
from duologue.text.anonymiser import Replaced  # noqa: TC001  # a field of a record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from duologue.store.posts import PostBase

    Row = dict[str, Any]

_PORTION = 10_000
DELETED = "deleted by its author"
"""Why a post is gone for which there is a notice."""


class ImportResult(Record, frozen=True, kw_only=True):
    """What an import brought."""

    posts: int
    """Posts that the file holds."""
    dialogues: int
    """Dialogues of the accounts afterwards."""
    accounts: int
    """Accounts with dialogues among those that the import was about."""
    skipped: dict[str, int] = {}
    """What was left out -> how many."""
    replaced: Replaced | None = None
    """The personal data that was replaced, `None` where it was kept."""


def add(base: PostBase, posts: Iterable[Row], deleted: set[int] | None = None) -> int:
    """Add posts, ten thousand at a time; return how many there were.

    What is in `deleted` by then, which going through `posts` may fill, was deleted at its source: it is taken out of
    the store first and for good, so that no deleted post is ever in it, not even when the import is killed.
    """
    total = 0
    rows = iter(posts)
    while True:
        portion = list(islice(rows, _PORTION))
        if deleted:
            base.forget(deleted, DELETED)
            deleted.clear()
        if not portion:
            return total
        base.add(portion)
        total += len(portion)


def thread(base: PostBase, replies: dict[str, list[int]]) -> tuple[int, int]:
    """Make the dialogues that accounts' replies end, from the posts of the store; return accounts and dialogues."""
    accounts = dialogues = 0
    for account, ids in replies.items():
        parents = _ancestry(base, ids)
        timeline = sorted(set(ids) & parents.keys(), reverse=True)
        base.finish(account, lambda stored, timeline=timeline, parents=parents: rebuild(stored, timeline, parents))  # type: ignore[misc]  # mypy infers no lambda with defaults
        found = len(base.keys(account))
        accounts += found > 0
        dialogues += found
    return accounts, dialogues


def _ancestry(base: PostBase, ids: Iterable[int]) -> dict[int, int | None]:
    """Return posts and what they answer, up to the first posts of their threads."""
    known: dict[int, int | None] = {}
    wanted = set(ids)
    while wanted:
        found = base.parents(sorted(wanted))
        known |= found
        wanted = {parent for parent in found.values() if parent is not None and parent not in known}
    return known


def counted(rows: Iterable[Row | str], skipped: dict[str, int]) -> Iterator[Row]:
    """Yield the posts among rows; a text is why a row was left out, and is counted."""
    for row in rows:
        if isinstance(row, str):
            skipped[row] = skipped.get(row, 0) + 1
        else:
            yield row
