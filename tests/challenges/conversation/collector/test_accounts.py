from __future__ import annotations

import json
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.twitter.service import Service
from tests.twitter.world import World

from duologue.challenges.conversation.collector.rate_limits import Budget, Prices, RetryPolicy
from duologue.challenges.conversation.formats import stores
from duologue.core.locks import LockState, held
from duologue.store.posts import PostBase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.challenges.conversation.collector.conftest import Time

    from duologue.challenges.conversation.collector.accounts import CollectionResult

    Collect = Callable[..., CollectionResult]

NAMES = ["AirCare", "ShopHelp"]
APIS = pytest.mark.parametrize("api", ["v1", "v2"])


class KilledError(BaseException):
    """Stands for a kill: nothing of ours catches it."""


@pytest.fixture
def world() -> World:
    """Two accounts and a few dozen threads, read in pages of seven."""
    world = World()
    for name in NAMES:
        world.open_account(name)
    world.grow(Random(3), 12)
    world.page = 7
    return world


@pytest.fixture
def small() -> World:
    """One account with a handful of threads, in two pages."""
    world = World()
    world.open_account("AirCare")
    world.grow(Random(3), 4)
    world.page = 5
    return world


def found(folder: Path) -> dict[str, Any]:
    return {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}


def expected(world: World) -> dict[str, Any]:
    return {name: world.dialogues(name) for name in NAMES}


@APIS
@pytest.mark.parametrize("short_pages", [False, True])
def test_run_after_run_has_all_dialogues_of_a_world_that_goes_on(
    world: World, collect: Collect, tmp_path: Path, api: str, *, short_pages: bool
) -> None:
    with Service(world, short_pages=short_pages) as service:
        for _ in range(3):
            outcome = collect(service, NAMES, api=api)
            assert outcome.accounts == 2
            assert found(tmp_path / "store") == expected(world)
            world.grow(Random(4), 5)


@APIS
def test_failures_of_all_kinds_change_nothing(world: World, collect: Collect, tmp_path: Path, api: str) -> None:
    with Service(world, rate=0.3, seed=2, trickle_seconds=0.001) as service:
        collect(service, NAMES, api=api)
        assert len(service.calls) > 12
    assert found(tmp_path / "store") == expected(world)


@APIS
def test_a_run_killed_at_any_call_is_taken_up_where_it_was(
    small: World, collect: Collect, tmp_path: Path, api: str
) -> None:
    calls = deaths = 0
    while True:
        folder = tmp_path / f"after-{calls}"
        with Service(small) as service:
            calls += 1
            take = service.take

            def dying(*call: Any, limit: int = calls, service: Service = service, take: Any = take) -> Any:
                if len(service.calls) == limit:
                    raise OSError  # the answer never comes
                return take(*call)

            service.take = dying  # type: ignore[method-assign, assignment]  # a server that dies
            try:
                collect(service, ["AirCare"], api=api, folder=folder, clock=Dead())
            except KilledError:
                deaths += 1
            else:
                break
        with Service(small) as service:
            outcome = collect(service, ["AirCare"], api=api, folder=folder)
        assert found(folder) == {"AirCare": small.dialogues("AirCare")}
        assert outcome.failed == {}
    assert deaths > 1


class Dead:
    """A clock that kills whoever would wait."""

    def now(self) -> float:
        return 0.0

    def sleep(self, seconds: float) -> None:
        raise KilledError


@APIS
def test_a_run_killed_at_any_write_is_taken_up_where_it_was(
    small: World, collect: Collect, tmp_path: Path, api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = ("add", "keep_page", "keep_found", "finish", "note_users", "note_exported")
    left = [0]

    def counting(write: Callable[..., Any], *, after: bool) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] == 0 and not after:
                raise KilledError
            made = write(*given, **named)
            if left[0] == 0:
                raise KilledError
            return made

        return counted

    for after in (False, True):
        with monkeypatch.context() as patch:
            for name in writes:
                patch.setattr(PostBase, name, counting(getattr(PostBase, name), after=after))
            with Service(small) as service:
                for write in range(1, 100):
                    left[0] = write
                    folder = tmp_path / f"{after}-{write}"
                    try:
                        collect(service, ["AirCare"], api=api, folder=folder)
                    except KilledError:
                        left[0] = -1
                        collect(service, ["AirCare"], api=api, folder=folder)
                        assert found(folder) == {"AirCare": small.dialogues("AirCare")}
                    else:
                        break
        assert write > 4


def test_a_run_that_goes_on_does_not_read_pages_again(world: World, collect: Collect, tmp_path: Path) -> None:
    with Service(world) as service:
        outcome = collect(service, ["AirCare"], budget=Budget(max_posts=10))
        assert outcome.stopped is not None
        before = len(service.calls)
        collect(service, ["AirCare"])
        assert "max_id" in service.calls[before + 1].params
    assert found(tmp_path / "store")["AirCare"] == world.dialogues("AirCare")


def test_what_a_stopped_run_had_is_in_its_file_even_if_the_account_is_gone_by_now(
    world: World, collect: Collect, tmp_path: Path
) -> None:
    with Service(world) as service:
        read = len(world.timelines["AirCare"])
        collect(service, ["AirCare"], budget=Budget(max_posts=read))  # the timeline, and none of what it answers
        assert found(tmp_path / "store") == {}
        take = service.take

        def vanishing(*call: Any) -> Any:
            if "since_id" in call[1]:
                world.errors["AirCare"] = 404
            return take(*call)

        service.take = vanishing  # type: ignore[method-assign, assignment]  # the account goes after the first reading
        assert list(collect(service, ["AirCare"]).gone) == ["AirCare"]
    assert found(tmp_path / "store")["AirCare"] == world.dialogues("AirCare")


def test_two_collectors_on_one_account_leave_what_one_would_have_left(
    world: World, collect: Collect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the lock, and one of them always a page ahead of the other."""
    monkeypatch.setattr("duologue.challenges.conversation.collector.accounts.held", _never_held)
    with Service(world) as service:
        other: list[int] = []
        take = service.take

        def meeting(*call: Any) -> Any:
            if len(service.calls) == 4 and not other:
                other.append(1)
                collect(service, NAMES, api="v2")  # runs to its end while the first one waits for its answer
            return take(*call)

        service.take = meeting  # type: ignore[method-assign, assignment]  # a server at which the second collector comes in
        collect(service, NAMES)
    assert other
    assert found(tmp_path / "store") == expected(world)


@contextmanager
def _never_held(_: Path) -> Iterator[LockState]:
    yield LockState(free=True)


def test_an_account_that_another_collector_reads_is_left_to_it(world: World, collect: Collect, tmp_path: Path) -> None:
    with Service(world) as service, held(stores.lock_of(tmp_path / "store", "aircare")) as mine:
        assert mine.free
        outcome = collect(service, NAMES)
    assert outcome.busy == ("AirCare",)
    assert list(found(tmp_path / "store")) == ["ShopHelp"]


@APIS
def test_accounts_that_are_gone_or_protected_are_left_out_and_keep_what_they_had(
    world: World, collect: Collect, tmp_path: Path, api: str
) -> None:
    with Service(world) as service:
        collect(service, NAMES, api=api)
        before = found(tmp_path / "store")
        world.errors = {"AirCare": 401, "ShopHelp": 404}
        world.grow(Random(8), 5)
        outcome = collect(service, [*NAMES, "Nobody"], api=api)
        assert list(outcome.gone) == [*NAMES, "Nobody"] if api == "v1" else ["AirCare", "Nobody"]
        assert "protected" in outcome.gone["AirCare"] or "Authorization" in outcome.gone["AirCare"]
        assert found(tmp_path / "store")["AirCare"] == before["AirCare"]
        world.errors = {}
        collect(service, NAMES, api=api)
    assert found(tmp_path / "store") == expected(world)


@APIS
def test_deleted_posts_end_a_chain(collect: Collect, tmp_path: Path, api: str) -> None:
    world = World()
    world.open_account("AirCare")
    question = world.say("anna", "where ?")
    answer = world.say("AirCare", "here", question)
    more = world.say("anna", "and now ?", answer)
    last = world.say("AirCare", "there", more)
    world.delete(question)
    with Service(world) as service:
        collect(service, ["AirCare"], api=api)
    assert [post["id"] for post in found(tmp_path / "store")["AirCare"][str(last)]] == [answer, more, last]


@pytest.mark.parametrize("spelling", ["tweet", "post"])
def test_a_budget_of_posts_is_never_exceeded_and_several_runs_come_to_the_end(
    world: World, collect: Collect, tmp_path: Path, spelling: str
) -> None:
    with Service(world, spelling=spelling) as service:
        for _ in range(40):
            service.delivered = 0
            budget = Budget(max_posts=11)
            outcome = collect(service, NAMES, api="v2", budget=budget, spelling=spelling)
            assert service.delivered <= 11
            assert budget.posts == service.delivered
            if outcome.stopped is None:
                break
        assert len(service.calls) > 20
    assert found(tmp_path / "store") == expected(world)


def test_a_budget_of_dollars_stops_before_names_that_it_cannot_pay(world: World, collect: Collect) -> None:
    with Service(world) as service:
        outcome = collect(service, NAMES, api="v2", budget=Budget(Prices(user=1.0), max_usd=0.5))
        assert service.calls == []
    assert outcome.stopped is not None
    assert "0.00 USD" in outcome.stopped


def test_numbers_of_accounts_are_asked_for_once(world: World, collect: Collect) -> None:
    with Service(world) as service:
        collect(service, NAMES, api="v2")
        collect(service, [*NAMES, "ok_but_absent", "much_too_long_a_name_for_twitter"], api="v2")
    asked = [call.params["usernames"] for call in service.calls if call.endpoint == "/2/users/by"]
    assert asked == ["AirCare,ShopHelp", "ok_but_absent"]


def test_posts_that_came_along_are_not_looked_up(world: World, collect: Collect, tmp_path: Path) -> None:
    with Service(world) as service:
        collect(service, NAMES, api="v2")
        along = [set(call.params["ids"].split(",")) for call in service.calls if call.endpoint == "/2/tweets"]
    with Service(world) as service:
        collect(service, NAMES, folder=tmp_path / "official")
        official = [set(call.params["id"].split(",")) for call in service.calls if "lookup" in call.endpoint]
    assert len(set().union(*along)) < len(set().union(*official)) / 2


def test_an_account_file_that_was_there_before_is_gone_on_from(world: World, collect: Collect, tmp_path: Path) -> None:
    with Service(world) as service:
        collect(service, NAMES, folder=tmp_path / "first")
        (tmp_path / "store").mkdir()
        for name in NAMES:
            (tmp_path / "first" / f"{name}.json").rename(tmp_path / "store" / f"{name}.json")
        before = len(service.calls)
        world.grow(Random(9), 4)
        collect(service, NAMES)
        assert "since_id" in service.calls[before + 1].params
    assert found(tmp_path / "store") == expected(world)


def test_at_most_so_many_replies_are_read(world: World, collect: Collect, tmp_path: Path) -> None:
    world.page = None
    with Service(world) as service:
        collect(service, ["AirCare"], limit=3)
        timeline = [call.params for call in service.calls if "timeline" in call.endpoint]
        assert {params["count"] for params in timeline} == {"3"}
    newest = [one for one in world.timelines["AirCare"] if world.posts[one]["in_reply_to_status_id"] is not None][:3]
    kept = {key: rows for key, rows in world.dialogues("AirCare").items() if int(key) in newest}
    assert set(kept) <= set(found(tmp_path / "store")["AirCare"])
    assert len(found(tmp_path / "store")["AirCare"]) <= 3


def test_names_that_differ_in_case_only_are_one_account(world: World, collect: Collect) -> None:
    with Service(world) as service:
        outcome = collect(service, ["AirCare", "aircare", "AIRCARE"])
    assert outcome.accounts == 1


def test_without_files_the_store_has_the_database_alone(world: World, collect: Collect, tmp_path: Path) -> None:
    with Service(world) as service:
        collect(service, NAMES, files=False)
    assert found(tmp_path / "store") == {}
    exported = stores.export(tmp_path / "store", tmp_path / "out")
    assert [path.name for path in exported] == ["AirCare.json", "ShopHelp.json"]
    assert found(tmp_path / "out") == expected(world)


def test_a_service_that_fails_at_two_accounts_in_a_row_stops_the_run(world: World, collect: Collect) -> None:
    with Service(world, rate=1.0, trickle_seconds=0.001) as service:
        service.chance.choice = lambda _: "500"  # type: ignore[method-assign, assignment, return-value]  # this fault only
        outcome = collect(service, [*NAMES, "Third"], patience=RetryPolicy(tries=2))
        assert len(service.calls) == 4
    assert list(outcome.failed) == NAMES
    assert outcome.stopped is not None


@APIS
def test_limits_are_kept_and_nothing_is_refused(
    world: World, collect: Collect, tmp_path: Path, time: Time, api: str
) -> None:
    limits = {"/statuses/user_timeline": 2, "/statuses/lookup": 1, "/2/users/:id/tweets": 1, "/2/tweets": 1}
    with Service(world, limits=limits, now=time.now) as service:
        collect(service, NAMES, api=api)
        assert service.refused == 0
    assert found(tmp_path / "store") == expected(world)
    assert sum(time.slept) > 900


def test_where_headers_tell_no_limits_the_old_interface_is_asked_for_them(
    world: World, collect: Collect, tmp_path: Path
) -> None:
    with Service(world, headers=False) as service:
        collect(service, ["AirCare"])
        endpoints = service.endpoints()
    data = [at for at, endpoint in enumerate(endpoints) if "status.json" not in endpoint]
    assert all(endpoints[at + 1].endswith("rate_limit_status.json") for at in data)
    assert found(tmp_path / "store")["AirCare"] == world.dialogues("AirCare")
