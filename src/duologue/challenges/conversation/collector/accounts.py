"""Incremental collection of the dialogues of accounts (specification, section 1.3).

Each page and each batch is kept in the store as it comes. A run that is killed, or stopped by its budget, goes on from
the page at which it was; what appeared meanwhile is read afterwards.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from duologue.challenges.conversation.collector.client import CallError, GoneError, RefusedError
from duologue.challenges.conversation.collector.rate_limits import BudgetSpentError
from duologue.challenges.conversation.formats import stores
from duologue.core.locks import held
from duologue.core.records import Record
from duologue.store.posts import Scan
from duologue.store.threads import rebuild

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from duologue.challenges.conversation.collector.api import Api, FetchedPost
    from duologue.store.posts import PostBase

    Parents = dict[int, int | None]
    """Post id -> id of the post it replies to."""


class CollectionResult(Record, frozen=True, kw_only=True):
    """Result of a run."""

    accounts: int = 0
    """Number of accounts read completely."""
    gone: dict[str, str] = {}
    """Missing or protected accounts -> reason."""
    failed: dict[str, str] = {}
    """Accounts that failed repeatedly -> error."""
    busy: tuple[str, ...] = ()
    """Accounts locked by another collector."""
    fresh: int = 0
    """Increase in dialogues over the accounts read."""
    stopped: str | None = None
    """Why the run stopped before its end."""


class AccountCollector:
    """Collects accounts into a store folder."""

    def __init__(
        self,
        api: Api,
        base: PostBase,
        folder: Path,
        *,
        limit: int | None = None,
        files: bool = True,
        say: Callable[[str], object] = lambda _: None,
    ) -> None:
        """`limit` bounds the replies read per account and run; with `files` account files are kept up to date.

        An account file that was there before the store is taken over into it.
        """
        self._api = api
        self._base = base
        self._folder = folder
        self._limit = limit
        self._files = files
        self._say = say

    def run(self, accounts: Iterable[str]) -> CollectionResult:
        """Collect accounts. Stops when the budget is spent, or when the service fails on two accounts in a row."""
        gone: dict[str, str] = {}
        failed: dict[str, str] = {}
        busy: list[str] = []
        done = fresh = 0
        stopped = None
        failing = False
        for account in _once(accounts):
            try:
                with ExitStack() as stack:
                    if not stack.enter_context(held(stores.lock_of(self._folder, account))).free:
                        busy.append(account)
                        continue
                    fresh += self.account(account)
                done += 1
                failing = False
            except GoneError as error:
                gone[account] = str(error)
                self._say(f"{account}: {error}; left out")
            except BudgetSpentError as error:
                stopped = str(error)
                break
            except CallError as error:
                failed[account] = str(error)
                self._say(f"{account}: {error}")
                if failing or isinstance(error, RefusedError):
                    stopped = str(error)
                    break
                failing = True
        return CollectionResult(accounts=done, gone=gone, failed=failed, busy=tuple(busy), fresh=fresh, stopped=stopped)

    def account(self, account: str) -> int:
        """Collect new dialogues of an account; return the increase. Raises as `Api` does."""
        stores.adopt(self._base, self._folder, account)
        before = len(self._base.keys(account))
        resumed = self._base.scan(account)
        if resumed is not None:
            self._say(f"{account}: going on where the last run stopped")
            self._scan(account, resumed)
            self._export(account)  # what comes next may fail
        last = [*self._base.keys(account), self._base.reached(account) or 0]  # expired dialogues are read no more
        self._scan(account, Scan(max(last) or None, None, complete=False, timeline=(), found=()))
        self._export(account)
        now = len(self._base.keys(account))
        self._say(f"{account}: {now - before} new dialogues, {now} in all")
        return now - before

    def _export(self, account: str) -> None:
        if self._files:
            stores.tidy(self._folder, account)
            stores.export_account(self._base, self._folder, account)

    def _scan(self, account: str, scan: Scan) -> None:
        """Read a timeline, look up parent posts, and update the dialogues."""
        timeline = self._base.parents(scan.timeline)
        found = self._base.parents(scan.found)
        if not scan.complete:
            try:
                self._read_timeline(account, scan, timeline, found)
            except GoneError:
                self._base.drop_scan(account)
                raise
        if not timeline:
            self._base.drop_scan(account)
            return
        stored = self._base.keys(account)
        known = self._base.parents({number for ids in stored.values() for number in ids})
        self._look_up(account, timeline, found, known)
        self._base.finish(account, lambda stored: rebuild(stored, sorted(timeline, reverse=True), known))

    def _read_timeline(self, account: str, scan: Scan, timeline: Parents, found: Parents) -> None:
        """Add the account's replies to `timeline`, and posts delivered with them to `found`."""
        before = scan.before
        left = None if self._limit is None else self._limit - len(timeline)
        pages = self._api.timeline(account, since=scan.since, before=before, limit=self._limit)
        for page in pages if left is None or left > 0 else ():
            replies = [sent.post for sent in page.posts if sent.post["in_reply_to_status_id"] is not None]
            if left is not None:
                replies, left = replies[:left], left - len(replies)
            timeline |= {post["id"]: post["in_reply_to_status_id"] for post in replies}
            found |= {sent.post["id"]: sent.post["in_reply_to_status_id"] for sent in page.beside}
            before = page.before
            seen = dict.fromkeys((sent.post["id"] for sent in page.beside), False)
            seen |= dict.fromkeys((post["id"] for post in replies), True)
            self._keep(account, [*page.posts, *page.beside], seen, scan._replace(before=before))
            if left is not None and left <= 0:
                break
        if timeline:
            self._keep(account, (), {}, scan._replace(before=before, complete=True))

    def _keep(self, account: str, sent: Sequence[FetchedPost], seen: dict[int, bool], scan: Scan) -> None:
        self._base.keep_page(account, [one.post for one in sent], [one.raw for one in sent], seen, scan)

    def _look_up(self, account: str, timeline: Parents, found: Parents, known: Parents) -> None:
        """Add new posts and, transitively, their parents to the known posts.

        A parent counts as unknown at the moment at which the post that names it is added, as in the official program:
        there a parent that stands further down in the same timeline is looked up too. Thrifty interfaces leave these
        out, and ids that were asked for in vain, which changes no dialogue.
        """
        known |= found
        if self._api.thrifty:
            known |= timeline
        wanted: set[int] = set()
        for number in sorted(timeline, reverse=True):
            known[number] = timeline[number]
            _want(wanted, timeline[number], known)
        for parent in found.values():
            _want(wanted, parent, known)
        vain: set[int] = set()
        while wanted:
            more: set[int] = set()
            for batch in self._api.look_up(sorted(wanted)):
                self._base.keep_found(account, [one.post for one in batch.posts], [one.raw for one in batch.posts])
                vain.update(batch.absent)
                for sent in batch.posts:
                    known[sent.post["id"]] = sent.post["in_reply_to_status_id"]
                    _want(more, sent.post["in_reply_to_status_id"], known)
            wanted = more - vain if self._api.thrifty else more


def _want(wanted: set[int], parent: int | None, known: Parents) -> None:
    if parent is not None and parent not in known:
        wanted.add(parent)


def _once(accounts: Iterable[str]) -> list[str]:
    """Return the names without case-insensitive duplicates."""
    return list({name.lower(): name for name in reversed(list(accounts))}.values())[::-1]
