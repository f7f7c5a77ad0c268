from __future__ import annotations

import multiprocessing
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.challenges.restaurant.simulator.shards import RowShardGenerator
from duologue.core.errors import DuologueError, UsageError
from duologue.core.shards import CorpusShard, generate_parts, generate_shards

if TYPE_CHECKING:
    from collections.abc import Callable

PREPARE = partial(RowShardGenerator, Generation(), 1)
SHARDS = [
    CorpusShard(("train", 1), 0, 5),
    CorpusShard(("train", 1), 5, 5),
    CorpusShard(("tst4", 5), 0, 7),
    CorpusShard(("tst2", 3), 2, 3),
]
MANY = [CorpusShard(("train", 1), start, 50) for start in range(0, 2_000, 50)]


def test_pieces_are_the_same_from_one_process_and_from_several() -> None:
    alone = list(generate_shards(PREPARE, SHARDS, workers=1))
    assert list(generate_shards(PREPARE, SHARDS, workers=3)) == alone
    assert [len(pieces) for pieces in alone] == [2] * len(SHARDS)


def test_what_a_worker_cannot_make_is_said_by_the_main_process() -> None:
    with pytest.raises(UsageError, match="change train_share"):
        list(generate_shards(partial(RowShardGenerator, Generation(train_share=1e-9), 1), SHARDS[:2], workers=2))


def test_workers_end_when_nobody_wants_the_rest() -> None:
    pieces = generate_shards(PREPARE, MANY, workers=2)
    assert next(pieces) == next(generate_shards(PREPARE, MANY[:1], workers=1))
    crew = {process.pid for process in multiprocessing.active_children()}
    pieces.close()  # would hang if a worker went on waiting for its piece to be taken
    assert len(crew) >= 2
    assert not crew & {process.pid for process in multiprocessing.active_children()}


def test_the_death_of_a_worker_is_said_with_what_to_do() -> None:
    pieces = generate_shards(PREPARE, MANY, workers=2)
    next(pieces)
    for process in multiprocessing.active_children():
        process.kill()
    with pytest.raises(DuologueError, match=r"a worker process ended before its work was done.*run the command again"):
        list(pieces)


def test_parts_have_the_pieces_of_their_shards_and_progress_is_told_after_each() -> None:
    told: list[tuple[int, int, str]] = []
    parts = [(("train", 1), 5), (("tst1", 2), 3)]
    made = generate_parts(PREPARE, parts, size=3, workers=1, progress=lambda *step: told.append(step))
    pieces = [list(part) for part in made]
    wanted = [[CorpusShard(("train", 1), 0, 3), CorpusShard(("train", 1), 3, 2)], [CorpusShard(("tst1", 2), 0, 3)]]
    assert pieces == [list(generate_shards(PREPARE, shards, workers=1)) for shards in wanted]
    assert told == [(3, 8, "dialogues"), (5, 8, "dialogues"), (8, 8, "dialogues")]


def test_shards_of_a_part_without_end_are_not_all_made_before_the_first() -> None:
    parts = [(("tst1", 1), 10**15)]
    with closing(generate_parts(PREPARE, parts, size=2, workers=1, progress=None)) as made:
        assert next(next(made)) == next(generate_shards(PREPARE, [CorpusShard(("tst1", 1), 0, 2)], workers=1))


def test_one_worker_or_one_shard_needs_no_other_process() -> None:
    def prepare() -> Callable[[int], list[bytes]]:  # it cannot be sent to another process
        return lambda number: [b"%d" % number]

    assert list(generate_shards(prepare, [1, 2], workers=1)) == [(b"1",), (b"2",)]
    assert list(generate_shards(prepare, [3], workers=4)) == [(b"3",)]
    assert list(generate_shards(prepare, list[int](), workers=4)) == []
