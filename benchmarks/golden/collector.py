"""Golden cases of the collector: worlds, the calls that the official tool made of them, and the stores it left."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from duologue.challenges.conversation.collector.accounts import AccountCollector
from duologue.challenges.conversation.collector.client import HttpResponse
from duologue.challenges.conversation.collector.rate_limits import Budget, RateLimits
from duologue.challenges.conversation.collector.v1 import V1
from duologue.challenges.conversation.formats import stores
from golden.cases import Case, files_below, read, read_lines, same

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from duologue.challenges.conversation.collector.client import HttpClient
    from golden.cases import Differences

KIND = "collection"
_TIMELINE = "/statuses/user_timeline.json"


class _Run(NamedTuple):
    """One run of the official tool: what there was, what it called, and what it left."""

    world: dict[str, Any]
    calls: list[dict[str, Any]]
    store: dict[str, Any]


def find(golden: Path) -> Iterator[Case]:
    """Yield a case per folder that holds worlds: its runs follow one another on one store.

    The last world and store also stand for runs beyond them, in which there was nothing new.
    """
    folders = sorted({path.parent for path in files_below(golden, "*.json") if _is_world(read(path))})
    for folder in folders:
        files = sorted(folder.glob("*.json"), key=_numbered)
        decoded = [read(path) for path in files]
        worlds = [one for one in decoded if _is_world(one)]
        left = [one for one in decoded if not _is_world(one) and isinstance(one, dict)]
        calls = [read_lines(path) for path in sorted(folder.glob("*.jsonl"), key=_numbered)]
        runs = [
            _Run(worlds[min(at, len(worlds) - 1)], made, left[min(at, len(left) - 1)]) for at, made in enumerate(calls)
        ]
        yield Case(KIND, folder.name, partial(_compare, runs))


def _is_world(decoded: Any) -> bool:
    return isinstance(decoded, dict) and {"tweets", "timelines"} <= decoded.keys()


def _numbered(path: Path) -> tuple[list[int], str]:
    return [int(digits) for digits in re.findall(r"[0-9]+", path.name)], path.name


def _compare(runs: list[_Run], scratch: Path) -> Differences:
    differences = []
    for number, run in enumerate(runs, start=1):
        service = _Service(run.world)
        accounts = dict.fromkeys(call["params"]["screen_name"] for call in run.calls if call["endpoint"] == _TIMELINE)
        with stores.open_base(scratch) as base:
            api = V1(cast("HttpClient", service), Budget())
            AccountCollector(api, base, scratch).run(accounts)
        differences += same(f"run {number}, calls", service.calls, [_plain(call) for call in run.calls])
        found = {path.name: read(path) for path in sorted(scratch.glob("*.json"))}
        differences += same(f"run {number}, store", list(found.values()), [run.store] if run.store else [])
    return differences


class _Service:
    """Answers as the world that the official tool saw; stands in for a `HttpClient`."""

    def __init__(self, world: dict[str, Any]) -> None:
        self.limits = RateLimits()
        self.calls: list[dict[str, Any]] = []
        self._world = world
        self._posts = {post["id"]: post for post in world["tweets"]}

    def get(self, endpoint: str, params: Mapping[str, str | int], **_: Any) -> HttpResponse:
        """Note a call and answer it."""
        self.calls.append(_plain({"endpoint": endpoint, "params": dict(params)}))
        if endpoint.endswith("rate_limit_status.json"):
            return HttpResponse(200, {}, limited=True)
        if endpoint != _TIMELINE:
            ids = [int(one) for one in str(params["id"]).split(",")]
            return HttpResponse(200, [self._posts[one] for one in ids if one in self._posts], limited=True)
        name = params["screen_name"]
        if name in self._world.get("errors", {}) or name not in self._world["timelines"]:
            return HttpResponse(self._world.get("errors", {}).get(name, 404), None, limited=True)
        low, high = int(params.get("since_id", 0)), int(params.get("max_id", 2**63))
        ids = [one for one in self._world["timelines"][name] if low < one <= high]
        size = self._world.get("page") or int(params["count"])
        return HttpResponse(200, [self._posts[one] for one in ids[:size]], limited=True)


def _plain(call: dict[str, Any]) -> dict[str, Any]:
    """Return a call with ids in order and numbers as texts, so that spelling does not matter."""
    params = {name: str(value) for name, value in call["params"].items()}
    if "id" in params:
        params["id"] = ",".join(sorted(params["id"].split(","), key=int))
    return {"endpoint": call["endpoint"], "params": params}
