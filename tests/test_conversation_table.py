"""The script that trains and scores the systems that answer: what it makes, what it keeps, what it never shows."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tantivy", reason="the retriever's engine is optional")

SCRIPT = Path(__file__).resolve().parents[1] / "benchmarks" / "conversation_systems.py"
THINGS = ("parcel", "router", "ticket", "invoice", "seat", "meal", "phone", "card", "room", "coat", "lamp", "book")


def rows(path: Path, made: list[dict[str, Any]]) -> None:
    path.parent.mkdir(exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in made)


def talk(number: int, thing: str) -> list[tuple[str, str]]:
    return [
        ("U", f"My {thing} isn't here since day {number}!"),
        ("S", f"Sorry, what is the number of your {thing}?"),
        ("U", f"It is {number} thousand."),
        ("S", f"Thanks, the {thing} of order {number} will come tomorrow."),
    ]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Twelve talks or so of each kind, of our own making."""
    folder = tmp_path / "data"
    folder.mkdir()
    for shift, part in enumerate(("train", "dev", "test")):
        made = [{"id": str(n), "turns": talk(n + 20 * shift, thing)} for n, thing in enumerate(THINGS)]
        rows(folder / "sgd_text" / f"{part}.jsonl.gz", made)
    numbered = [(n, thing) for n in range(4) for thing in THINGS]
    care = [
        f"U: where is my {thing} on day {n} ?\nS: the {thing} is late , please see <URL> {n}\n" for n, thing in numbered
    ]
    (folder / "twitter_care").mkdir()
    (folder / "twitter_care" / "expected_dialogs.txt.gz").write_bytes(gzip.compress("\n".join(care).encode()))
    roles = {"U": "customer", "S": "agent"}
    turns = [[{"role": roles[who], "text": text} for who, text in talk(70 + n, "shoe")] for n in range(3)]
    rows(folder / "twcs_dialogs" / "dialogs.jsonl.gz", [{"turns": one} for one in turns])
    chats = [[["agent_1", "Do you like tea?"], ["agent_2", "I do, and you?"], ["agent_1", "Yes."]]]
    said_before = [
        ["agent_1", "My parcel isn't here since day 20!"],
        ["agent_2", "Sorry, what is the number of your parcel?"],
    ]
    rows(folder / "topical_chat" / "dialogs.jsonl.gz", [{"turns": one} for one in (*chats, said_before)])
    return folder


def table(data: Path, *options: str) -> str:
    """Run the script; return the page."""
    work, out = data.parent / "work", data.parent / "PAGE.md"
    command = [sys.executable, SCRIPT, "--data", data, "--work", work, "--out", out, "--samples", "24", *options]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return out.read_text(encoding="utf-8")


def test_the_floors_are_scored_the_rule_is_said_and_no_text_is_shown(data: Path) -> None:
    page = table(data, "--only", "people", "constant", "central", "drawn")
    for heading in ("Company tweets", "Written service dialogues", "Better than a constant", "Paired tests", "Costs"):
        assert heading in page
    assert "| people |" in page
    verdicts = [line for line in page.splitlines() if "| drawn |" in line and "**" in line]
    assert len(verdicts) == 2
    assert "topical: 1 dialogues" in page  # the one that says an utterance of the evaluation is left out
    assert not any(text in page for text in ("order", "please see", "thousand", "parcel"))
    replies = (data.parent / "work" / "replies.md").read_text(encoding="utf-8")
    assert "-> drawn:" in replies


@pytest.mark.slow
def test_a_trained_row_is_made_once_and_stays_on_the_page(data: Path) -> None:
    floors = ("people", "constant", "central")
    page = table(data, "--only", *floors, "retriever", "--tasks", "A")
    assert "| retriever (A) |" in page
    assert "| retriever (B) |" not in page
    assert "training dialogues, word for word" in page
    made = {path: path.stat().st_mtime_ns for path in (data.parent / "work" / "rows").rglob("train.json")}
    (data.parent / "PAGE.md").write_text(page + "\n<!-- by hand -->\nA note.\n", encoding="utf-8")
    again = table(data, "--page")
    assert "| retriever (A) |" in again
    assert again.endswith("A note.\n")
    assert {path: path.stat().st_mtime_ns for path in made} == made
