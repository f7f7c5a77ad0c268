"""`duologue list`: what is installed, what each task has, and which tasks each system is for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from duologue.core.plugins import names

if TYPE_CHECKING:
    from pathlib import Path


def table(text: str, heading: str) -> dict[str, list[str]]:
    """Return the columns that are marked in each row of a table."""
    lines = text.split(heading, 1)[1].split("\n\n", maxsplit=1)[0].splitlines()[1:]
    starts = {name: lines[0].index(f" {name}") + 1 for name in lines[0].split()}
    return {
        line.split()[0]: [name for name, start in starts.items() if "x" in line[start : start + len(name)]]
        for line in lines[1:]
    }


def test_tasks_stand_beside_what_they_have_and_systems_beside_their_tasks(duologue: Any) -> None:
    text = duologue("list").out.replace("check --kb", "check_--kb")
    assert table(text, "what each task has")["restaurant"] == ["show", "generate", "noise", "kb", "chat", "simulate"]
    assert "conversation, noise: its customers write" in text.split("what a task does without, and why")[1]
    systems = table(text, "the tasks that each system is for")
    assert systems["ranker"] == ["restaurant"]
    assert systems["process"] == names("tasks")
    rows = json.loads(duologue("list", "--json").out)
    assert {row["name"]: row["tasks"] for row in rows["systems"]} == systems


def test_a_broken_task_says_so_and_has_no_column_marked(duologue: Any, tmp_path: Path) -> None:
    info = tmp_path / "broken_pack-0.7.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-pack\nVersion: 0.7\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[duologue.tasks]\nbroken = nosuchmodule:Task\n", encoding="utf-8")
    rows = json.loads(duologue("list", "--json", PYTHONPATH=str(tmp_path)).out)
    tasks = {row["name"]: row for row in rows["tasks"]}
    assert "cannot be loaded" in tasks["broken"]["about"]
    assert tasks["broken"]["capabilities"] == []
    assert tasks["spoken"]["capabilities"]
    assert not [row for row in rows["systems"] if "broken" in row["tasks"]]


def test_a_command_that_a_task_has_nothing_for_names_the_protocol_and_the_guide(duologue: Any) -> None:
    said = duologue("simulate", "spoken", "--system", "random", "--goals", __file__).err
    assert "task 'spoken' has no simulated user to hold whole conversations with" in said
    assert "`Playable`: docs/guide/your-own-task.md#playable" in said
