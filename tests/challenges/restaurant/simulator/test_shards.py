from __future__ import annotations

import json
import multiprocessing
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.restaurant.knowledge.facts import kb_lines
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.challenges.restaurant.simulator.shards import CorpusShard, ShardGenerator, generate_shards
from duologue.core.errors import DuologueError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

STRETCHES = [
    CorpusShard("train", 1, 0, 5),
    CorpusShard("train", 1, 5, 5),
    CorpusShard("tst4", 5, 0, 7),
    CorpusShard("tst2", 3, 2, 3),
]


def test_pieces_are_the_same_from_one_process_and_from_several() -> None:
    alone = list(generate_shards(Generation(), 1, STRETCHES, workers=1))
    assert list(generate_shards(Generation(), 1, STRETCHES, workers=3)) == alone
    assert len(alone) == len(STRETCHES)


def test_a_training_piece_holds_answers_and_a_test_piece_has_them_beside_it() -> None:
    train, _, test, _ = generate_shards(Generation(), 1, STRETCHES, workers=1)
    rows = json.loads(b"[" + train.data + b"]")
    assert [list(row) for row in rows] == [["answer", "dialog_id", "candidates", "utterances"]] * 5
    assert train.truth == b""
    rows, truth = (json.loads(b"[" + part + b"]") for part in test)
    assert [list(row) for row in rows] == [["dialog_id", "candidates", "utterances"]] * 7
    assert [row["dialog_id"] for row in truth] == [row["dialog_id"] for row in rows]
    for row, answer in zip(rows, truth, strict=True):
        assert answer["lst_candidate_id"][0]["rank"] == 1
        assert answer["lst_candidate_id"][0]["candidate_id"] in {one["candidate_id"] for one in row["candidates"]}


def test_what_a_worker_cannot_make_is_said_by_the_main_process() -> None:
    with pytest.raises(UsageError, match="change train_share"):
        list(generate_shards(Generation(train_share=1e-9), 1, STRETCHES[:2], workers=2))


def test_workers_end_when_nobody_wants_the_rest() -> None:
    pieces = generate_shards(
        Generation(), 1, [CorpusShard("train", 1, start, 50) for start in range(0, 2_000, 50)], workers=2
    )
    next(pieces)
    pieces.close()  # would hang if a worker went on waiting for its piece to be taken


def test_the_death_of_a_worker_is_said_with_what_to_do() -> None:
    pieces = generate_shards(
        Generation(), 1, [CorpusShard("train", 1, start, 50) for start in range(0, 2_000, 50)], workers=2
    )
    next(pieces)
    for process in multiprocessing.active_children():
        process.kill()
    with pytest.raises(DuologueError, match=r"a worker process ended before its work was done.*run the command again"):
        list(pieces)


def test_a_given_base_is_used_with_its_own_values(tmp_path: Path) -> None:
    facts = make_kb(2, 3)
    (tmp_path / "kb.txt").write_text(kb_lines(facts))
    maker = ShardGenerator(Generation(kb1=str(tmp_path / "kb.txt")), 1)
    assert maker.facts(1) == facts
    row = next(maker.rows("tst1", 1)(0, 1))
    assert not {"bombay", "london", "madrid", "paris", "rome"} & set(json.dumps(row).split())
