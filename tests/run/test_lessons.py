from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from duologue.core.plugins import load_task
from duologue.run.lessons import lessons, told_apart

if TYPE_CHECKING:
    from pathlib import Path


def session(reply: str) -> dict[str, Any]:
    goal = [["START", "甲", "乙"]]
    return {"goal": goal, "knowledge": [["甲", "是", "乙"]], "conversation": ["你好", "你好", reply]}


def test_files_of_one_name_keep_their_dialogues_apart(contest: Any, tmp_path: Path) -> None:
    restaurant, proactive = load_task("restaurant"), load_task("proactive")
    for folder, reply in (("a", "一"), ("b", "二")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "data.json").write_bytes(contest.data.read_bytes())
        line = json.dumps(session(reply), ensure_ascii=False)
        (tmp_path / folder / "sessions.jsonl").write_text(f"{line}\n", encoding="utf-8")
    for task, name in ((restaurant, "data.json"), (proactive, "sessions.jsonl")):
        paths = [tmp_path / folder / name for folder in ("a", "b")]
        one, both = lessons(task, paths[:1]), lessons(task, paths)
        assert len({example.sample.dialogue_id for example in both}) == 2 * len(
            {example.sample.dialogue_id for example in one}
        )
        assert len({example.sample.id for example in both}) == len(both) == 2 * len(one)


def test_one_file_keeps_its_ids(contest: Any) -> None:
    task = load_task("restaurant")
    plain = list(task.load(contest.data))
    assert lessons(task, [contest.data]) == plain
    assert told_apart(plain[:2], plain[2:], "x:") == plain[:2]


def test_held_out_dialogues_are_never_taken_for_those_that_are_learned_from(contest: Any) -> None:
    plain = list(load_task("restaurant").load(contest.data))
    apart = told_apart(plain[:3], plain, "held-out:")
    assert [example.sample.id for example in apart] == [f"held-out:{one.sample.id}" for one in plain[:3]]
    assert not {one.sample.dialogue_id for one in apart} & {one.sample.dialogue_id for one in plain}
