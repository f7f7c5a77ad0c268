from __future__ import annotations

import json
from typing import TYPE_CHECKING

from duologue.challenges.restaurant.knowledge.facts import kb_lines
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.challenges.restaurant.simulator.shards import RowShardGenerator
from duologue.core.shards import CorpusShard

if TYPE_CHECKING:
    from pathlib import Path


def test_a_training_piece_holds_answers_and_a_test_piece_has_them_beside_it() -> None:
    maker = RowShardGenerator(Generation(), 1)
    train, test = maker(CorpusShard(("train", 1), 0, 5)), maker(CorpusShard(("tst4", 5), 0, 7))
    rows = json.loads(b"[" + train.data + b"]")
    assert [list(row) for row in rows] == [["answer", "dialog_id", "candidates", "utterances"]] * 5
    assert train.truth == b""
    rows, truth = (json.loads(b"[" + part + b"]") for part in test)
    assert [list(row) for row in rows] == [["dialog_id", "candidates", "utterances"]] * 7
    assert [row["dialog_id"] for row in truth] == [row["dialog_id"] for row in rows]
    for row, answer in zip(rows, truth, strict=True):
        assert answer["lst_candidate_id"][0]["rank"] == 1
        assert answer["lst_candidate_id"][0]["candidate_id"] in {one["candidate_id"] for one in row["candidates"]}


def test_a_given_base_is_used_with_its_own_values(tmp_path: Path) -> None:
    facts = make_kb(2, 3)
    (tmp_path / "kb.txt").write_text(kb_lines(facts))
    maker = RowShardGenerator(Generation(kb1=str(tmp_path / "kb.txt")), 1)
    assert maker.facts(1) == facts
    row = next(maker.rows("tst1", 1)(0, 1))
    assert not {"bombay", "london", "madrid", "paris", "rome"} & set(json.dumps(row).split())
