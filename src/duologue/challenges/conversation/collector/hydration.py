"""Hydration: fetches the posts of an id list, such as that of the official test set, into a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.conversation.collector.rate_limits import BudgetSpentError
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.conversation.collector.api import Api
    from duologue.core.protocols import Progress
    from duologue.store.posts import PostBase


class HydrationResult(Record, frozen=True, kw_only=True):
    """Result of a hydration."""

    asked: int
    """Distinct ids of the list."""
    stored: int
    """Posts of the list now in the store."""
    absent: int
    """Ids without a post: deleted, protected, or never there."""
    stopped: str | None = None
    """Why the run stopped before its end."""


def missing_ids(base: PostBase, wanted: Sequence[int], *, again: bool = False) -> list[int]:
    """Return the ids not in the store nor known as absent; with `again` absent ones are included, unless deleted."""
    done = base.parents(wanted).keys() | base.deleted().keys() | (set() if again else set(base.absent()))
    return [one for one in wanted if one not in done]


def hydrate(
    api: Api, base: PostBase, wanted: Sequence[int], *, again: bool = False, progress: Progress | None = None
) -> HydrationResult:
    """Fetch missing posts, a hundred ids per call; each batch is stored at once.

    `again` asks for absent ids once more. Raises `CallError` as `HttpClient.get` does.
    """
    stopped = None
    missing = missing_ids(base, wanted, again=again)
    done = 0
    try:
        for found in api.look_up(missing) if missing else ():
            base.add((sent.post for sent in found.posts), [sent.raw for sent in found.posts])
            base.note_absent(found.absent)
            done += len(found.posts) + len(found.absent)
            if progress is not None:
                progress(done, len(missing), "ids")
    except BudgetSpentError as error:
        stopped = str(error)
    there, absent = base.parents(wanted), base.absent()
    gone = sum(one in absent and one not in there for one in wanted)
    return HydrationResult(asked=len(wanted), stored=len(there), absent=gone, stopped=stopped)
