"""Insertion of imported posts into a store, and threading into dialogues."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from duologue.core.records import Record
from duologue.store.threads import rebuild
from duologue.text.anonymiser import Replaced  # a field of a record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from duologue.store.posts import PostBase

    Row = dict[str, Any]

_PORTION = 10_000
DELETED = "deleted by its author"
"""Deletion reason of posts with a deletion notice."""


class ImportResult(Record, frozen=True, kw_only=True):
    """Result of an import."""

    posts: int
    """Posts in the file."""
    dialogues: int
    """Dialogues of the accounts after the import."""
    accounts: int
    """Imported accounts that have dialogues."""
    skipped: dict[str, int] = {}
    """Reason -> number of skipped rows."""
    replaced: Replaced | None = None
    """Replaced personal data; `None` where it was kept."""


def add(base: PostBase, posts: Iterable[Row], deleted: set[int] | None = None) -> int:
    """Add posts in batches of ten thousand; return their number.

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
    """Thread accounts' replies into dialogues; return the numbers of accounts and dialogues."""
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
    """Return the parents of posts, transitively up to the roots."""
    known: dict[int, int | None] = {}
    wanted = set(ids)
    while wanted:
        found = base.parents(sorted(wanted))
        known |= found
        wanted = {parent for parent in found.values() if parent is not None and parent not in known}
    return known


def counted(rows: Iterable[Row | str], skipped: dict[str, int]) -> Iterator[Row]:
    """Yield the posts; rows that are a skip reason (text) are counted in `skipped`."""
    for row in rows:
        if isinstance(row, str):
            skipped[row] = skipped.get(row, 0) + 1
        else:
            yield row
