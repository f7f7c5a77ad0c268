from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.conversation.task import ConversationTask

if TYPE_CHECKING:
    from pathlib import Path

TIME = "Tue Sep 12 08:01:00 +0000 2017"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    def post(number: int, name: str, text: str, language: str = "en") -> dict[str, object]:
        user = {"id": len(name), "screen_name": name, "name": name.upper()}
        row = {"id": number, "id_str": str(number), "created_at": TIME, "text": text, "truncated": False}
        return {**row, "lang": language, "in_reply_to_status_id": None, "user": user}

    rows = {
        "12": [post(8, "bob", "late"), post(12, "AirCare", "yes\nof course")],
        "9": [post(1, "anna", "first"), post(2, "AirCare", "one", "fr"), post(9, "AirCare", "two")],
        "7": [post(3, "marie", "bonjour", "fr"), post(7, "AirCare", "hello")],
    }
    (tmp_path / "AirCare.json").write_text(json.dumps(rows))
    return tmp_path


EXPECTED = f"""--- ID:9 (length=3) ---
{TIME} (1)
ANNA (@anna) : first
{TIME} (2)
AIRCARE (@AirCare) : one
{TIME} (9)
AIRCARE (@AirCare) : two

--- ID:12 (length=2) ---
{TIME} (8)
BOB (@bob) : late
{TIME} (12)
AIRCARE (@AirCare) : yes
of course

"""


def test_the_lines_are_those_of_the_official_viewer(store: Path) -> None:
    printed: list[str] = []
    ConversationTask().dump(store, printed.append)
    assert "".join(printed) == EXPECTED


def test_the_statistics_of_a_store(store: Path) -> None:
    assert ConversationTask().statistics(store) == {
        "accounts": 1,
        "dialogues": 3,
        "dialogues_in_english": 2,
        "posts": 7,
        "posts_per_dialogue": 7 / 3,
        "longest": 3,
        "share_of_the_account": 4 / 7,
        "languages": ["en", "fr"],
    }
    assert "posts per dialogue: 2.33\n" in ConversationTask().statistics_text(store)


def test_dialogue_text_is_numbered_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "dev.txt"
    path.write_text("U: where is it ?\nS: here .\n\n\nU: hi\n")
    printed: list[str] = []
    ConversationTask().dump(path, printed.append)
    assert "".join(printed) == "--- 1 ---\nU: where is it ?\nS: here .\n\n\n--- 2 ---\nU: hi\n"
    found = ConversationTask().statistics(path)
    assert (found["dialogues"], found["utterances"], found["words"], found["longest"]) == (2, 3, 7, 2)
    assert found["speakers"] == ["S:", "U:"]
