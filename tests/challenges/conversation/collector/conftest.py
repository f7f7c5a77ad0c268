"""What the tests of the collector share."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.conversation.collector.accounts import AccountCollector, CollectionResult
from duologue.challenges.conversation.collector.bearer_token import Token
from duologue.challenges.conversation.collector.client import HttpClient
from duologue.challenges.conversation.collector.rate_limits import Budget, RetryPolicy
from duologue.challenges.conversation.collector.v1 import V1
from duologue.challenges.conversation.collector.v2 import V2
from duologue.challenges.conversation.formats import stores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.twitter.service import Service

    from duologue.challenges.conversation.collector.credential import Credential


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.seconds = 1_600_000_000.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def collect(tmp_path: Path, time: Time) -> Callable[..., CollectionResult]:
    """Collect accounts of a service into a folder, by either interface."""

    def collect(
        service: Service,
        accounts: Sequence[str],
        *,
        api: str = "v1",
        folder: Path = tmp_path / "store",
        budget: Budget | None = None,
        limit: int | None = None,
        files: bool = True,
        say: Callable[[str], object] = lambda _: None,
        patience: RetryPolicy | None = None,
        clock: Any = time,
        credential: Credential | None = None,
        **more: Any,
    ) -> CollectionResult:
        budget = budget or Budget()
        credential = credential or (None if service.token is None else Token(service.token))
        caller = HttpClient(service.url, credential, rng=Random(1), clock=clock, retry=patience, say=say)
        with caller, stores.open_base(folder) as base:
            made = V1(caller, budget, say) if api == "v1" else V2(caller, budget, base, accounts=accounts, **more)
            return AccountCollector(made, base, folder, limit=limit, files=files, say=say).run(accounts)

    return collect
