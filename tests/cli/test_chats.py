"""`duologue data chats`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


def test_sessions_become_chat_files_and_dialogue_text(duologue: Any, tmp_path: Path) -> None:
    sessions, chats, lines = GOLDEN / "proactive" / "small-sessions.txt", tmp_path / "a.jsonl", tmp_path / "a.txt"
    found = json.loads(
        duologue("data", "chats", sessions, "--from", "proactive", "--to", "openai", "--out", chats, "--json").out
    )
    assert found["dialogues"] == len(chats.read_text("utf-8").splitlines())
    told = duologue("data", "chats", chats, "--from", "openai", "--to", "lines", "--out", lines)
    assert f"{found['dialogues']:,} dialogues" in told.out
    assert duologue("show", "conversation", lines, "--only", "statistics").code == 0
    wrong = duologue("data", "chats", sessions, "--from", "openai", "--to", "lines", "--out", lines, "--force")
    assert wrong.code == 1
    assert "there is no 'messages'" in wrong.err
