"""The script that trains and scores all proactive systems: what it makes, what it keeps, what it never shows."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

NAMES = ("train", "partial", "gold", "samples")
SCRIPT = Path(__file__).resolve().parents[1] / "benchmarks" / "proactive.py"


def session(name: str, number: int) -> dict[str, Any]:
    film, person = f"片 名 {number}", f"小 {number}"
    kind = ("剧情", "喜剧", "动作")[number % 3]
    return {
        "id": f"{name}-{number}",
        "goal": [["START", film, person], [film, "导演", person]],
        "knowledge": [[film, "领域", "电影"], [person, "领域", "明星"], [film, "类型", kind]],
        "conversation": [f"你 喜欢 {kind} 片 吗 ?", "喜欢", f"那 看看 {film} 吧", "谁 导演 的 ?", f"是 {person}", "好"],
    }


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def table(folder: Path, *options: str) -> str:
    """Run the script on 12 whole and 8 partial sessions, of which some are about the same topics; return the page."""
    write(folder / "duconv_dev_visible.jsonl.gz", [session("whole", number) for number in range(12)])
    write(folder / "duconv_test_prefixes.jsonl.gz", [session("partial", number) for number in range(6, 14)])
    command = [sys.executable, SCRIPT, "--data", folder, "--work", folder / "work", "--out", folder / "PAGE.md"]
    given = ["--part-size", "4", "--only", "template", "nearest", *options]
    done = subprocess.run([*map(str, command), *given], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return (folder / "PAGE.md").read_text(encoding="utf-8")


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_page_has_each_row_and_what_was_written_by_hand_stays(tmp_path: Path) -> None:
    page = table(tmp_path)
    assert "Scored are the 12 agent turns" in page
    assert "of 4 visible sessions" in page
    for row in ("| template | sessions |", "| nearest | sessions |", "| nearest | sessions + partial |"):
        assert page.count(row) == 3  # scores, turns, costs
    assert "Bad replies of nearest (sessions + partial)" in page
    for name in ("dialogues.md", "errors.md"):
        text = (tmp_path / "work" / name).read_text(encoding="utf-8")
        assert "小 " in text  # texts stay in the work folder
    assert "小 " not in page
    assert "| people | - |" in page
    assert "matcher" not in page
    written = page + "\n<!-- by hand -->\n## Errors\n"
    (tmp_path / "PAGE.md").write_text(written, encoding="utf-8")
    again = table(tmp_path, "--work", str(tmp_path / "elsewhere"), "--regime", "sessions")
    assert "| nearest | sessions |" in again
    assert "| nearest | sessions + partial |" not in again
    assert again.endswith("\n<!-- by hand -->\n## Errors\n")


def test_systems_see_neither_replies_nor_other_talks_about_what_is_scored(tmp_path: Path) -> None:
    table(tmp_path)
    data = tmp_path / "work" / "data"
    pairs = {name: {tuple(sorted(row["goal"][0][1:])) for row in rows_of(data / f"{name}.jsonl")} for name in NAMES}
    assert not pairs["gold"] & (pairs["train"] | pairs["partial"])
    assert pairs["gold"] == pairs["samples"]
    assert len(pairs["train"]) == 8
    assert not [row for row in rows_of(data / "samples.jsonl") if "response" in row or "conversation" in row]
    topics = {pair[0] for pair in pairs["gold"]} | {pair[1] for pair in pairs["gold"]}
    replies = [path.read_text(encoding="utf-8") for path in (tmp_path / "work").rglob("replies.txt")]
    assert len(replies) == 3
    for text in replies:
        assert len(text.splitlines()) == 12
        assert any(topic in text for topic in topics)
        assert "topic_" not in text
