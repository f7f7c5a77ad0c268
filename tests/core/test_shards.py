from __future__ import annotations

import multiprocessing
from functools import partial

import pytest

from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.challenges.restaurant.simulator.shards import CorpusShard, ShardGenerator
from duologue.core.errors import DuologueError, UsageError
from duologue.core.shards import generate_shards

PREPARE = partial(ShardGenerator, Generation(), 1)
SHARDS = [
    CorpusShard("train", 1, 0, 5),
    CorpusShard("train", 1, 5, 5),
    CorpusShard("tst4", 5, 0, 7),
    CorpusShard("tst2", 3, 2, 3),
]
MANY = [CorpusShard("train", 1, start, 50) for start in range(0, 2_000, 50)]


def test_pieces_are_the_same_from_one_process_and_from_several() -> None:
    alone = list(generate_shards(PREPARE, SHARDS, workers=1))
    assert list(generate_shards(PREPARE, SHARDS, workers=3)) == alone
    assert [len(pieces) for pieces in alone] == [2] * len(SHARDS)


def test_what_a_worker_cannot_make_is_said_by_the_main_process() -> None:
    with pytest.raises(UsageError, match="change train_share"):
        list(generate_shards(partial(ShardGenerator, Generation(train_share=1e-9), 1), SHARDS[:2], workers=2))


def test_workers_end_when_nobody_wants_the_rest() -> None:
    pieces = generate_shards(PREPARE, MANY, workers=2)
    next(pieces)
    pieces.close()  # would hang if a worker went on waiting for its piece to be taken


def test_the_death_of_a_worker_is_said_with_what_to_do() -> None:
    pieces = generate_shards(PREPARE, MANY, workers=2)
    next(pieces)
    for process in multiprocessing.active_children():
        process.kill()
    with pytest.raises(DuologueError, match=r"a worker process ended before its work was done.*run the command again"):
        list(pieces)
