"""The X API v2 (specification, section 4.1). Answers may use either spelling, `tweet...` or `post...`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from duologue.challenges.conversation.collector.api import BATCH, Api, FetchedPost, TimelinePage
from duologue.challenges.conversation.collector.client import CallError, GoneError
from duologue.challenges.conversation.collector.conversions import id_of, is_retweet, to_v1
from duologue.challenges.conversation.collector.rate_limits import TIMELINE_MINIMUM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from duologue.challenges.conversation.collector.client import HttpClient
    from duologue.challenges.conversation.collector.rate_limits import Budget
    from duologue.store.posts import PostBase

    Row = dict[str, Any]

BASE_URL = "https://api.x.com"
Spelling = Literal["tweet", "post"]
_NAME = re.compile(r"[A-Za-z0-9_]{1,15}", re.ASCII)
_SEARCH_PAGE = 100
_TIMELINE_FAMILY = "/2/users/:id/tweets"


class _Body(NamedTuple):
    """Parts of a response."""

    rows: list[Row]
    users: dict[str, Row]
    beside: list[Row]
    errors: list[Row]
    more: str | None


class V2(Api):
    """X API v2; user ids are looked up by name in batches of a hundred, and cached in the store."""

    thrifty = True

    def __init__(
        self,
        caller: HttpClient,
        budget: Budget,
        numbers: PostBase | None,
        *,
        accounts: Sequence[str] = (),
        spelling: Spelling = "tweet",
        say: Callable[[str], object] = lambda _: None,
    ) -> None:
        """`accounts` will be requested in this order, so that name look-ups fill their batches.

        `numbers` keeps user ids by name; a search needs none.
        """
        super().__init__(caller, budget, say)
        self._store = numbers
        self._accounts = list(accounts)
        self._spelling = spelling
        self._unknown: dict[str, str] = {}

    @property
    def _numbers(self) -> PostBase:
        assert self._store is not None, "a search of users needs no ids"
        return self._store

    def timeline(
        self, account: str, *, since: int | None, before: int | None, limit: int | None
    ) -> Iterator[TimelinePage]:
        """Yield the pages, with the posts replied to unless a budget is set."""
        user = self.user_of(account)
        if user is None:
            raise GoneError(404, self._unknown[account.lower()])
        expansions = ["author_id", "in_reply_to_user_id"]
        if not self.budget.limited:  # how many posts come along is not known before the call
            expansions.insert(1, f"referenced_{self._spelling}s.id")
        params = self._fields(expansions)
        params["exclude"] = "retweets"
        if since is not None:
            params["since_id"] = since
        if before is not None:
            params["until_id"] = before
        while True:
            wanted = max(TIMELINE_MINIMUM, min(limit or BATCH, BATCH))
            params["max_results"] = self.budget.afford_posts(wanted, least=TIMELINE_MINIMUM)
            body = self._get(f"/2/users/{user}/tweets", params, _TIMELINE_FAMILY, gone=account)
            if body.errors and not body.rows and not body.more:
                reason = self._reason(body.errors[0])
                if "not found" in reason.lower():
                    self._numbers.note_users({account: None})  # the name may belong to another account now
                raise GoneError(401, reason)
            ids = [number for row in body.rows if (number := id_of(row.get("id"))) is not None]
            before = min([*ids, *([before] if before is not None else [])], default=None)
            rows = [row for row in body.rows if not is_retweet(row)]
            sent = self._sent(rows, body.users)
            answered = {one.post["in_reply_to_status_id"] for one in sent}  # quoted posts come along as well
            beside = self._sent(body.beside, body.users, known_only=True)
            yield TimelinePage(sent, [one for one in beside if one.post["id"] in answered], before)
            if body.more is None:
                return
            if params.get("pagination_token") == body.more:
                raise CallError(f"timeline of {account}: the service repeats its pagination token")
            params["pagination_token"] = body.more

    def _batch(self, ids: Sequence[int]) -> tuple[list[FetchedPost], dict[int | None, str]]:
        params = {"ids": ",".join(map(str, ids)), **self._fields(["author_id"])}
        body = self._get("/2/tweets", params, "/2/tweets")
        reasons = {id_of(error.get("resource_id") or error.get("value")): self._reason(error) for error in body.errors}
        return self._sent(body.rows, body.users), reasons

    def search_users(self, words: str, limit: int) -> Iterator[Row]:
        """Yield users; needs a user-context token."""
        params: dict[str, str | int] = {"query": words, "user.fields": "name,username"}
        got = 0
        while got < limit:
            params["max_results"] = self.budget.afford_users(min(_SEARCH_PAGE, limit - got))
            body = self._get("/2/users/search", params, "/2/users/search", users=True)
            for row in body.rows[: limit - got]:
                got += 1
                yield row
            if body.more is None or params.get("next_token") == body.more:
                return
            params["next_token"] = body.more

    def user_of(self, account: str) -> int | None:
        """Return an account's user id; the call looks up the next hundred names too."""
        known = self._numbers.user(account)
        if known is not None or account.lower() in self._unknown:
            return known
        if not _NAME.fullmatch(account):
            self._unknown[account.lower()] = "no account can have this name: 1 to 15 letters, digits and _"
            return None
        names = [account]
        wanted = {account.lower()}
        for name in self._accounts:
            if name.lower() in wanted or name.lower() in self._unknown or not _NAME.fullmatch(name):
                continue
            if self._numbers.user(name) is None:
                wanted.add(name.lower())
                names.append(name)
        names = names[: self.budget.afford_users(min(len(names), BATCH))]
        params: dict[str, str | int] = {"usernames": ",".join(names), "user.fields": "name,username"}
        body = self._get("/2/users/by", params, "/2/users/by", users=True)
        found = {str(row.get("username")).lower(): id_of(row.get("id")) for row in body.rows}
        self._numbers.note_users({name: found[name.lower()] for name in names if found.get(name.lower()) is not None})
        reasons = {str(error.get("value")).lower(): self._reason(error) for error in body.errors}
        for name in names:
            if found.get(name.lower()) is None:
                self._unknown[name.lower()] = reasons.get(name.lower(), "there is no such account")
        return self._numbers.user(account)

    def _reason(self, error: Row) -> str:
        return self._caller.shown(str(error.get("title") or error.get("detail") or "no reason given"), 200)

    def _fields(self, expansions: list[str]) -> dict[str, str | int]:
        names = f"created_at,lang,conversation_id,in_reply_to_user_id,referenced_{self._spelling}s,author_id"
        return {
            f"{self._spelling}.fields": f"{names},note_{self._spelling}",
            "expansions": ",".join(expansions),
            "user.fields": "name,username",
        }

    def _get(
        self, endpoint: str, params: dict[str, str | int], family: str, *, users: bool = False, gone: str | None = None
    ) -> _Body:
        answer = self._caller.get(endpoint, params, family=family, fine=(404,) if gone else ())
        if answer.status == 404:
            self._numbers.note_users({str(gone): None})
            raise GoneError(404, "there is no such account (404)")
        body = _parts(answer.body, endpoint)
        if users:
            self.budget.users += len(body.rows)
        else:
            self.budget.posts += len(body.rows) + len(body.beside)
        return body

    def _sent(self, rows: list[Row], users: dict[str, Row], *, known_only: bool = False) -> list[FetchedPost]:
        """Convert posts; with `known_only` only those whose author was delivered."""
        made = []
        for row in rows:
            if known_only and str(row.get("author_id")) not in users:
                continue
            post = to_v1(row, users)
            if post is not None:
                made.append(FetchedPost(post, json.dumps(row)))
        self._tell_incomplete(0 if known_only else len(rows) - len(made), len(rows))
        return made


def _parts(body: Any, endpoint: str) -> _Body:
    if not isinstance(body, dict):
        raise CallError(f"{endpoint}: found {type(body).__name__}, expected an object; is --base-url right?")
    includes, meta = _object(body.get("includes")), _object(body.get("meta"))
    users = {str(user.get("id")): user for user in _rows(includes.get("users"))}
    beside = _rows(includes.get("tweets")) or _rows(includes.get("posts"))
    more = meta.get("next_token")
    return _Body(_rows(body.get("data")), users, beside, _rows(body.get("errors")), str(more) if more else None)


def _object(value: Any) -> Row:
    return value if isinstance(value, dict) else {}


def _rows(value: Any) -> list[Row]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
