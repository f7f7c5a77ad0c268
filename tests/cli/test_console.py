"""Nothing of a stranger's data reaches the terminal as a command to it, whatever verb prints it."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.command import DUOLOGUE

from duologue.cli import main as command

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = Path(command.__file__).parents[1]
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eevil\r\nFORGED"
"""Sets a terminal's title, rings, clears it, colours, turns the direction, and forges a line."""
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

Run = "Callable[..., tuple[int, str, str]]"


def test_only_the_console_writes_to_the_standard_streams() -> None:
    writes = re.compile(
        r"\bclick\.(secho|echo)\(|\bConsole\(|(?<![\w.])print\(|\bsys\.std(out|err)\.write\(|error\.show\("
    )
    found = [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.name != "console.py"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if writes.search(line) and ">>>" not in line and not line.lstrip().startswith('"')  # code, no text
    ]
    assert not found


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a verb in this process, as the installed command does."""

    def run(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["duologue", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            command.main()
        assert isinstance(left.value.code, int)
        out, err = capsys.readouterr()
        assert not OBEYED.search(out + err), words
        assert not re.search("^FORGED", out + err, re.MULTILINE), words
        return left.value.code, out, err

    return run


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder with restaurant files whose every text is hostile, and results with notes."""
    text = f"hi {HOSTILE}"
    ids = [f"{HOSTILE}{number}" for number in range(3)]
    rows = [
        {
            "dialog_id": name,
            "utterances": [text, text, text],
            "candidates": [{"candidate_id": f"{one}{HOSTILE}", "utterance": text} for one in "ab"],
        }
        for name in ids
    ]
    (tmp_path / "data.json").write_text(json.dumps(rows), encoding="utf-8")
    for folder, best in (("good", "ab"), ("bad", "ba"), ("broken", "aa")):
        ranked = [
            {
                "dialog_id": name,
                "lst_candidate_id": [{"candidate_id": f"{one}{HOSTILE}", "rank": n} for n, one in enumerate(best, 1)],
            }
            for name in ids
        ]
        result = tmp_path / "results" / f"{folder}.answers.json"
        result.parent.mkdir(exist_ok=True)
        result.write_text(json.dumps(ranked), encoding="utf-8")
        note = {"system": HOSTILE + folder, "seen": HOSTILE}
        (tmp_path / "results" / f"{folder}.answers.run.toml").write_text(
            "\n".join(f"{key} = {json.dumps(value)}" for key, value in note.items()), encoding="utf-8"
        )
    (tmp_path / "gold.json").write_text((tmp_path / "results" / "good.answers.json").read_text(), encoding="utf-8")
    return tmp_path


def test_scoring_verbs_print_hostile_files_harmlessly(run: Any, hostile: Path) -> None:
    gold, data, results = hostile / "gold.json", hostile / "data.json", hostile / "results"
    good, bad, broken = (results / f"{name}.answers.json" for name in ("good", "bad", "broken"))
    report = hostile / "bad.report.json"
    assert run("check", "restaurant", good, "--input", data)[0] == 0
    code, out, _ = run("check", "restaurant", broken, "--input", data)
    assert (code, r"\x1b]0;owned\x07" in out) == (1, True)
    assert run("score", "restaurant", "--gold", gold, broken)[0] == 1
    code, out, _ = run("score", "restaurant", "--gold", gold, bad, "--input", data, "--out", report)
    assert code == 0
    assert run("score", "restaurant", "--gold", gold, bad, "--variant", "official")[0] == 0
    code, out, _ = run("score", "restaurant", "--gold", gold, bad, "--json")
    assert code == 0
    assert json.loads(out)["task"] == "restaurant"
    assert run("board", "restaurant", results, "--gold", gold, "--resamples", 100)[0] == 0
    code, out, _ = run("board", "restaurant", results, "--gold", gold, "--resamples", 100, "--json")
    assert len(json.loads(out)["systems"]) == 2
    compared = ("compare", "restaurant", "--gold", gold, good, bad, "--resamples", 100)
    assert run(*compared)[0] == 0
    assert run("verify", report)[0] == 0
    assert run("board", report, "--out", hostile / "page.html")[0] == 0
    forged = report.read_text(encoding="utf-8").replace('"restaurant"', '"restaurant\\u001b[2J"', 1)
    report.write_text(forged, encoding="utf-8")
    assert run("verify", report)[0] in {1, 2}


def test_dumps_and_statistics_are_printed_line_by_line(run: Any, hostile: Path) -> None:
    code, out, _ = run("show", "restaurant", hostile / "data.json")
    assert code == 0
    assert out.count(" * hi ") == 9
    plain = hostile / "plain.txt"
    assert run("show", "restaurant", hostile / "data.json", "--only", "dump", "--plain", plain)[0] == 0
    assert HOSTILE in plain.read_bytes().decode()
    talk = [{"name": HOSTILE, "messages": [{"message": HOSTILE, "attrs": [dict.fromkeys(_TRIPLE, HOSTILE)]}] * 2}]
    (hostile / "spoken.json").write_text(json.dumps(talk), encoding="utf-8")
    assert run("show", "spoken", hostile / "spoken.json")[0] == 0
    rows = {
        "goal": [["START", HOSTILE, HOSTILE], [HOSTILE] * 3],
        "knowledge": [[HOSTILE] * 3],
        "conversation": [HOSTILE],
    }
    (hostile / "sessions.txt").write_text(json.dumps(rows) + "\n", encoding="utf-8")
    assert run("show", "proactive", hostile / "sessions.txt")[0] == 0
    said = HOSTILE.partition("\r")[0]  # a line end in a text file is one
    (hostile / "dialogue.txt").write_text(f"U: {said}\nS: {said}\n", encoding="utf-8")
    assert run("show", "conversation", hostile / "dialogue.txt")[0] == 0


_TRIPLE = ("name", "attrname", "attrvalue")


def test_errors_quote_names_and_keys_harmlessly(run: Any, hostile: Path) -> None:
    model = hostile / "model"
    model.mkdir()
    (model / "system.toml").write_text(f"system = {json.dumps(HOSTILE)}\n{json.dumps(HOSTILE)} = 1\n", encoding="utf-8")
    data = hostile / "data.json"
    for words in (
        ("run", "restaurant", "--system", model, data, "--out", hostile / "out.json"),
        ("run", HOSTILE, "--system", HOSTILE, data, "--out", hostile / "out.json"),
        ("run", "restaurant", "--system", "random", "--set", HOSTILE, data, "--out", hostile / "out.json"),
        ("score", "restaurant", "--gold", HOSTILE, HOSTILE),
        ("score", "restaurant", f"--{HOSTILE}"),
        (HOSTILE,),
        ("board", "restaurant", data.parent / HOSTILE, "--gold", data),
        ("verify", HOSTILE),
        ("compare", HOSTILE, HOSTILE),
    ):
        assert run(*words)[0] in {1, 2}, words


def test_the_official_lines_are_exact_in_a_pipe_and_escaped_on_a_terminal(tmp_path: Path) -> None:
    name = tmp_path / "\x1b[2Jresult.txt"
    name.write_text("S_REF: a b\nS_HYP: a c\n", encoding="utf-8")
    words: list[str | Path] = [DUOLOGUE, "score", "conversation", name, "--variant", "official"]
    piped = subprocess.run(words, capture_output=True, check=True).stdout
    assert b"\x1b[2J" in piped
    ours, theirs = pty.openpty()
    with subprocess.Popen(words, stdout=theirs, stderr=subprocess.DEVNULL) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # Linux's way to say that the other end is closed
                break
            if not piece:
                break
            shown += piece
        assert process.wait() == 0
    os.close(ours)
    assert b"\\x1b[2J" in shown
    assert b"\x1b[2J" not in shown


def test_a_table_is_escaped_whatever_builds_it(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.table import Table

    from duologue.terminal import console

    table = Table(title=HOSTILE)
    table.add_column(HOSTILE)
    table.add_row(HOSTILE)
    console.show(table, HOSTILE)
    assert not OBEYED.search(capsys.readouterr().out)
