from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.twitter.service import Service
from tests.twitter.world import World

from duologue.challenges.conversation.collector.client import HttpClient
from duologue.challenges.conversation.collector.hydration import HydrationResult, hydrate, missing_ids
from duologue.challenges.conversation.collector.rate_limits import Budget
from duologue.challenges.conversation.collector.v1 import V1
from duologue.challenges.conversation.collector.v2 import V2
from duologue.challenges.conversation.formats import stores
from duologue.challenges.conversation.formats.id_lists import read_post_ids
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.challenges.conversation.collector.conftest import Time

APIS = pytest.mark.parametrize("api", ["v1", "v2"])


@pytest.fixture
def world() -> World:
    world = World()
    for number in range(250):
        world.say("anna", f"post {number}")
    for number in (1_003, 1_100):
        world.delete(number)
    return world


def fetched(service: Service, folder: Path, api: str, time: Time, wanted: list[int], **more: Any) -> HydrationResult:
    budget = Budget(max_posts=more.pop("max_posts", None))
    with HttpClient(service.url, None, rng=Random(1), clock=time) as caller, stores.open_base(folder) as base:
        made = V1(caller, budget) if api == "v1" else V2(caller, budget, base)
        return hydrate(made, base, wanted, **more)


@APIS
def test_a_hundred_ids_go_with_each_call_and_none_is_asked_for_twice(
    world: World, tmp_path: Path, time: Time, api: str
) -> None:
    wanted = list(range(1_000, 1_250))
    with Service(world, faults=["ok", "500", "cut"]) as service:
        assert fetched(service, tmp_path, api, time, wanted) == HydrationResult(asked=250, stored=248, absent=2)
        lookups = len([one for one in service.endpoints() if "rate_limit" not in one])
        assert lookups - 3 <= 2  # three batches, and the faults
        before = len(service.calls)
        assert fetched(service, tmp_path, api, time, wanted).stored == 248
        assert len(service.calls) == before
        assert fetched(service, tmp_path, api, time, wanted, again=True).absent == 2
    assert {post.id: post.text for post in stores.posts_in(tmp_path, {1_000, 1_003})} == {1_000: "post 0"}


@APIS
def test_a_budget_is_kept_and_the_next_run_goes_on(world: World, tmp_path: Path, time: Time, api: str) -> None:
    wanted = list(range(1_000, 1_250))
    with Service(world) as service:
        first = fetched(service, tmp_path, api, time, wanted, max_posts=130)
        assert service.delivered == 130
        assert first.stopped is not None
        assert fetched(service, tmp_path, api, time, wanted) == HydrationResult(asked=250, stored=248, absent=2)
        assert service.delivered == 248


def test_todays_interface_says_why_a_post_is_absent(world: World, tmp_path: Path, time: Time) -> None:
    with Service(world) as service:
        fetched(service, tmp_path, "v2", time, [1_003, 1_004])
    with stores.open_base(tmp_path, writable=False) as base:
        assert base.absent() == {1_003: "Not Found Error"}
        assert missing_ids(base, [1_003, 1_004, 5]) == [5]
        assert missing_ids(base, [1_003, 1_004, 5], again=True) == [1_003, 5]


def test_ids_come_as_the_challenges_list_or_one_per_line(tmp_path: Path) -> None:
    rows = [[{"speaker": "U", "ids": [7, 3]}, {"speaker": "S", "ids": []}], [{"speaker": "U", "ids": [3]}]]
    (tmp_path / "ids.json").write_text(json.dumps(rows))
    assert read_post_ids(tmp_path / "ids.json") == [3, 7]
    (tmp_path / "ids.txt").write_text("# these\n 9 \n\n8\n9\n")
    assert read_post_ids(tmp_path / "ids.txt") == [8, 9]
    (tmp_path / "ids.txt").write_text("9\nx9\n1.5\n")
    with pytest.raises(FormatError) as caught:
        read_post_ids(tmp_path / "ids.txt")
    assert [problem.place for problem in caught.value.problems] == ["line 2", "line 3"]


@pytest.mark.real_data(twin="test_ids_come_as_the_challenges_list_or_one_per_line")
def test_the_official_test_set_has_5438_ids(real_data: Path) -> None:
    ids = real_data / "conversation" / "ids"
    assert len(read_post_ids(ids / "official_testset_ids+refs.json.gz")) == 5_438
    assert len(read_post_ids(ids / "official_testset_ids.json.gz")) == 3_344
