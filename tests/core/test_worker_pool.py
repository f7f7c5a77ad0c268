"""Pools of workers: whichever shard is done first, results come in order, and no more are begun than may be."""

from __future__ import annotations

from collections import deque

import pytest

from duologue.core.errors import DuologueError
from duologue.core.worker_pool import Shard, ShardResult, WorkerPool, do_one, in_order


class Reversed(WorkerPool):
    """Two workers of which the one that was given its shard last is done first."""

    def __init__(self) -> None:
        self.held: deque[Shard] = deque()
        self.most_held = 0
        self.closed = False

    def full(self) -> bool:
        return len(self.held) == 2

    def give(self, shard: Shard) -> None:
        self.held.append(shard)
        self.most_held = max(self.most_held, len(self.held))

    def take(self) -> ShardResult:
        return do_one(worked, self.held.pop())

    def close(self) -> None:
        self.closed = True


def worked(content: int) -> int:
    if content == 3:
        raise DuologueError("three is refused")
    return content * content


SHARDS = [Shard(str(number), number) for number in range(6)]


@pytest.mark.parametrize("method", ["full", "give", "take", "close"])
def test_a_pool_that_lacks_a_method_cannot_be_made(method: str) -> None:
    lacking = type("Lacking", (Reversed,), {method: vars(WorkerPool)[method]})
    with pytest.raises(TypeError, match=f"abstract.*{method}"):
        lacking()


@pytest.mark.parametrize("ahead", [1, 2, 4])
def test_results_come_in_the_order_of_the_shards_with_what_went_wrong(ahead: int) -> None:
    pool = Reversed()
    found = list(in_order(pool, SHARDS, lambda result: (result.data, result.problem), ahead=ahead))
    assert found == [(0, ""), (1, ""), (4, ""), (None, "three is refused"), (16, ""), (25, "")]
    assert pool.most_held == min(2, ahead)
    assert pool.closed


def test_a_shard_that_is_done_is_not_worked_on_again() -> None:
    pool = Reversed()
    found = in_order(
        pool,
        SHARDS[:3],
        lambda result: f"new {result.data}",
        lambda shard: "old" if shard.name != "1" else None,
        ahead=4,
    )
    assert list(found) == ["old", "new 1", "old"]
    assert pool.most_held == 1


def test_who_stops_reading_closes_the_pool() -> None:
    pool = Reversed()
    found = in_order(pool, SHARDS, lambda result: result.data, ahead=2)
    assert next(found) == 0
    found.close()
    assert pool.closed
    assert len(pool.held) <= 1
