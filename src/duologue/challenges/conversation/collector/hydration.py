"""Fetching posts by their ids: an id list such as that of the official test set becomes posts in a store."""

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
    """What became of an id list."""

    asked: int
    """Different ids of the list."""
    stored: int
    """Posts of the list that are in the store now."""
    absent: int
    """Ids without a post: deleted, protected, or never there."""
    stopped: str | None = None
    """Why the run stopped before its end."""


def missing_ids(base: PostBase, wanted: Sequence[int], *, again: bool = False) -> list[int]:
    """Return the ids that are neither in the store nor known to be absent; with `again` those too, unless deleted."""
    done = base.parents(wanted).keys() | base.deleted().keys() | (set() if again else set(base.absent()))
    return [one for one in wanted if one not in done]


def hydrate(
    api: Api, base: PostBase, wanted: Sequence[int], *, again: bool = False, progress: Progress | None = None
) -> HydrationResult:
    """Fetch what is missing, a hundred ids per call; each call's posts are kept as they come.

    `again` asks for absent ids once more. Raises `CallError` as `Caller.get` does.
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
