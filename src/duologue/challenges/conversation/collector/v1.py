"""REST API 1.1 with the call sequence of the official collector (specification, sections 1.3 to 1.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.conversation.collector.api import BATCH, Api, FetchedPost, LookupResult, TimelinePage
from duologue.challenges.conversation.collector.client import CallError, GoneError
from duologue.challenges.conversation.collector.conversions import UNKNOWN_LANGUAGE, id_of
from duologue.challenges.conversation.formats.posts import is_post

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.challenges.conversation.collector.client import HttpResponse

    Row = dict[str, Any]

BASE_URL = "https://api.twitter.com/1.1"
_STATUS = "/application/rate_limit_status"
_TIMELINE = "/statuses/user_timeline"
_LOOKUP = "/statuses/lookup"
_SEARCH = "/users/search"
_GONE = (401, 404)
_PER_SEARCH_PAGE = 20


class V1(Api):
    """REST API 1.1; queries rate limits before timelines and look-ups, as the official tool does."""

    thrifty = False
    _may_look_up = False

    def timeline(
        self, account: str, *, since: int | None, before: int | None, limit: int | None
    ) -> Iterator[TimelinePage]:
        """Yield the pages until an empty one."""
        self._may_look_up = False
        self._ask_limits()
        while True:
            count = self.budget.afford_posts(min(limit or BATCH, BATCH))
            params: dict[str, str | int] = {"count": count, "exclude_replies": "false", "include_rts": "false"}
            params["screen_name"] = account
            if since is not None:
                params["since_id"] = since
            if before is not None:
                params["max_id"] = before - 1
            answer = self._get(_TIMELINE, params, fine=_GONE)
            if answer.status in _GONE:
                raise GoneError(answer.status, _WHY[answer.status])
            rows = self._rows(answer, _TIMELINE)
            if not rows:
                return
            last = id_of(rows[-1].get("id")) if isinstance(rows[-1], dict) else None
            if last is None or (before is not None and last >= before):
                raise CallError(f"{_TIMELINE}: the page after id {before} ends with id {last}: it leads nowhere")
            before = last
            yield TimelinePage(self._posts(rows), (), before)

    def look_up(self, ids: Sequence[int]) -> Iterator[LookupResult]:
        """Yield the posts; deleted and protected ones are missing from the response.

        The limits are asked for before the first look-up that follows a timeline.
        """
        if not self._may_look_up:
            self._ask_limits()
            self._may_look_up = True
        yield from super().look_up(ids)

    def _batch(self, ids: Sequence[int]) -> tuple[list[FetchedPost], dict[int | None, str]]:
        answer = self._get(_LOOKUP, {"id": ",".join(map(str, ids))})
        return self._posts(self._rows(answer, _LOOKUP)), {}

    def search_users(self, words: str, limit: int) -> Iterator[Row]:
        """Yield users, 20 per page, until there are `limit`, or a page has no new ones."""
        seen: set[int | None] = set()
        page = 1
        while True:
            self.budget.afford_users(_PER_SEARCH_PAGE)
            answer = self._get(_SEARCH, {"q": words, "page": page, "count": _PER_SEARCH_PAGE})
            rows = [row for row in self._rows(answer, _SEARCH, users=True) if isinstance(row, dict)]
            fresh = [row for row in rows if id_of(row.get("id")) not in seen]
            for row in fresh:
                if len(seen) == limit:
                    return
                seen.add(id_of(row.get("id")))
                yield row
            if not fresh or len(seen) == limit:
                return
            page += 1

    def _get(self, name: str, params: dict[str, str | int], fine: tuple[int, ...] = ()) -> HttpResponse:
        answer = self._caller.get(f"{name}.json", params, family=name, fine=fine)
        if not answer.limited and answer.status not in fine:
            self._ask_limits()
        return answer

    def _ask_limits(self) -> None:
        """Query all rate limits; later calls wait where none is left."""
        body = self._caller.get(f"{_STATUS}.json", {}, family=_STATUS).body
        resources = body.get("resources") if isinstance(body, dict) else None
        for families in resources.values() if isinstance(resources, dict) else ():
            for family, limit in families.items() if isinstance(families, dict) else ():
                left, reset = (limit.get("remaining"), limit.get("reset")) if isinstance(limit, dict) else (None, None)
                if isinstance(left, int) and isinstance(reset, int | float):
                    self._caller.limits.set(family, left, reset)

    def _rows(self, answer: HttpResponse, name: str, *, users: bool = False) -> list[Any]:
        rows = answer.body
        if not isinstance(rows, list):
            raise CallError(f"{name}: found {type(rows).__name__}, expected a list; is --base-url right?")
        if users:
            self.budget.users += len(rows)
        else:
            self.budget.posts += len(rows)
        return rows

    def _posts(self, rows: list[Any]) -> list[FetchedPost]:
        posts = [FetchedPost(post) for row in rows if is_post(post := _completed(row))]
        self._tell_incomplete(len(rows) - len(posts), len(rows))
        return posts


def _completed(row: Any) -> Any:
    """Fill in the two fields that the service may omit or set to null."""
    if not isinstance(row, dict):
        return row
    missing = {name: value for name, value in _DEFAULTS.items() if row.get(name) is None}
    return {**row, **missing} if missing else row


_DEFAULTS = {"lang": UNKNOWN_LANGUAGE, "truncated": False}
_WHY = {401: "protected or suspended (401)", 404: "there is no such account (404)"}
