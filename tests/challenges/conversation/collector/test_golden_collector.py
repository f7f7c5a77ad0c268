"""The official collector's calls and stores, case by case."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.twitter.service import Service
from tests.twitter.world import World

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.challenges.conversation.collector.accounts import CollectionResult


@pytest.fixture
def cases(golden: Path) -> Path:
    return golden / "collector"


def calls_of(service: Service) -> list[dict[str, Any]]:
    return [{"endpoint": call.endpoint, "params": call.params} for call in service.calls]


def expected_calls(path: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [{**row, "params": {name: str(value) for name, value in row["params"].items()}} for row in rows]


def test_the_calls_and_stores_of_three_runs_are_those_of_the_official_collector(
    cases: Path, collect: Callable[..., CollectionResult], tmp_path: Path
) -> None:
    for run, world, store in ((1, 1, 1), (2, 2, 2), (3, 2, 2)):
        with Service(World.load(cases / f"world_{world}.json")) as service:
            accounts = ["ShopHelp"] if run == 3 else ["NoSuch", "ShopHelp"]
            outcome = collect(service, accounts)
        assert calls_of(service) == expected_calls(cases / f"calls_{run}.jsonl")
        found = (tmp_path / "store" / "ShopHelp.json").read_bytes()
        assert found == (cases / f"store_after_{store}.json").read_bytes()
        assert list(outcome.gone) == ([] if run == 3 else ["NoSuch"])
        assert not (tmp_path / "store" / "NoSuch.json").exists()


@pytest.mark.parametrize("spelling", ["tweet", "post"])
@pytest.mark.parametrize("short_pages", [False, True])
def test_todays_interface_gives_the_same_stores_of_the_same_worlds(
    cases: Path, collect: Callable[..., CollectionResult], tmp_path: Path, spelling: str, *, short_pages: bool
) -> None:
    for world in (1, 2, 2):
        with Service(World.load(cases / f"world_{world}.json"), spelling=spelling, short_pages=short_pages) as service:
            collect(service, ["NoSuch", "ShopHelp"], api="v2", spelling=spelling)
        found = (tmp_path / "store" / "ShopHelp.json").read_bytes()
        assert found == (cases / f"store_after_{world}.json").read_bytes()
