"""`duologue judge` through the command line, beside a scripted judge of this machine."""

from __future__ import annotations

import csv
import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx", reason="the client of endpoints is optional")

from tests.endpoint_stub import Stub
from tests.judges.judge_stub import by_length, is_pair, longer_wins

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
CALLS = GOLDEN / "mobilecs/dialogue/contract/dialogues.json"
KEY = "sk-never-shown-123"


def brain(asked: dict[str, Any]) -> str:
    return longer_wins(asked) if is_pair(asked) else by_length(asked)


def settings(server: Stub, *more: str) -> list[str]:
    return [word for one in (f"url={server.url}", "model=m", "wait=0.01", "cache=", *more) for word in ("--set", one)]


def judging(duologue: Any, folder: Path, out: Path) -> list[object]:
    """Return the command that judges the answers of an endpoint to a few dialogues, which are made here."""
    gold, result = folder / "gold.txt", folder / "a.txt"
    gold.write_bytes((GOLDEN / "conversation/contract/evaluation.txt").read_bytes())
    with Stub() as server:
        answered = duologue("run", "conversation", gold, "--system", "endpoint", *settings(server), "--out", result)
        assert answered.code == 0, answered.err
    return ["judge", "conversation", result, "--gold", gold, "--out", out]


def test_calls_are_judged_whole_and_ratings_are_what_ratings_score_reads(duologue: Any, tmp_path: Path) -> None:
    result, out = tmp_path / "rule.json", tmp_path / "judge.csv"
    assert duologue("run", "mobilecs/dialogue", CALLS, "--system", "rule-agent", "--out", result).code == 0
    words = ["judge", "mobilecs/dialogue", result, "--gold", CALLS, "--protocol", "mobilecs-0-2", "--out", out]
    with Stub(brain=brain) as server:
        planned = duologue(*words, *settings(server), "--dry-run")
        assert planned.code == 0, planned.err
        assert "0 of them kept from before" in planned.out
        told = json.loads(duologue(*words, *settings(server), "--dry-run", "--json").out)["forecast"]
        assert f"{told['counts']['calls']:,.0f} calls, {told['counts']['kept']:,.0f} of them kept" in planned.out
        assert not server.asked
        assert sorted(path.name for path in tmp_path.iterdir()) == ["rule.json", "rule.run.toml"]
        done = duologue(*words, *settings(server), DUOLOGUE_ENDPOINT_KEY=KEY)
        assert done.code == 0, done.err
        asked = len(server.asked)
        assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
        assert duologue(*words, *settings(server)).code == 0
        assert len(server.asked) == asked  # all is in the recording
        assert (
            f"{asked} calls, {asked} of them kept from before" in duologue(*words, *settings(server), "--dry-run").out
        )
    assert "UNCALIBRATED: no human labels" in done.out
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert {row["system"] for row in rows} == {"rule-agent"}
    assert {row["criterion"] for row in rows} == {"success", "coherency", "fluency"}
    assert duologue("ratings", "score", out, "--protocol", "mobilecs-0-2").code == 0
    assert duologue("verify", tmp_path / "judge.judge.json", "--in", CALLS.parent).code == 0
    assert not any(KEY in path.read_text(encoding="utf-8") for path in tmp_path.iterdir() if path.is_file())


def test_ratings_that_no_judge_wrote_are_kept(duologue: Any, tmp_path: Path) -> None:
    out, sheet, note = (tmp_path / name for name in ("judge.csv", "sheet.csv", "judge.judge.json"))
    theirs = "item,system,rater,quality\n1,a,ann,2\n"
    words = judging(duologue, tmp_path, out)
    with Stub(brain=brain) as server:
        words += settings(server, "repeats=0", "injections=0")
        for path, option, more in ((out, "--out", ()), (note, "--out", ()), (sheet, "--sheet", ("--sheet", sheet))):
            path.write_text(theirs, encoding="utf-8")
            kept = duologue(*words, *more)
            assert kept.code == 2, kept.err
            assert f"{path} is there already; choose another {option}, or write over it with --force" in kept.err
            assert path.read_text("utf-8") == theirs
            assert not server.asked
            assert duologue(*words, *more, "--dry-run").code == 0
            path.unlink()
        out.write_text(theirs, encoding="utf-8")
        assert duologue(*words, "--sheet", sheet, "--force").code == 0
        made = out.read_bytes()
        assert made != theirs.encode()
        assert duologue(*words, "--sheet", sheet).code == 0  # its own, and a sheet that nobody has filled in
        note.unlink()  # stopped before it was written
        assert duologue(*words).code == 0
        assert out.read_bytes() == made
        out.write_bytes(made + b"\n")  # changed by hand
        changed = duologue(*words)
        assert (changed.code, "--force" in changed.err) == (2, True), changed.err
        assert out.read_bytes() == made + b"\n"
        sheet.write_bytes(sheet.read_bytes() + b"\n")
        filled = duologue(*words, "--force", "--sheet", sheet)
        assert filled.code == 0, filled.err


def test_a_graph_is_told_and_people_calibrate(duologue: Any, tmp_path: Path) -> None:
    data, result, out = GOLDEN / "spoken/small-test.json", tmp_path / "p.json", tmp_path / "judge.jsonl"
    graph = GOLDEN / "spoken/tiny-kg.json"
    with Stub() as server:
        made = duologue(
            "run", "spoken", data, "--kg", graph, "--system", "endpoint", *settings(server), "--out", result
        )
    assert made.code == 0, made.err
    people = tmp_path / "people.csv"
    people.write_text("item,system,rater,coherence\nnobody,endpoint,ann,2\n", encoding="utf-8")
    words = ["judge", "spoken", result, "--input", data, "--kg", graph, "--people", people, "--out", out]
    with Stub(brain=brain) as server:
        done = duologue(*words, *settings(server), "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["judge"]["kind"] == "points"
    assert told["summary"]["judge"]["criteria"]
    assert "UNCALIBRATED" not in done.out
    proved = duologue("verify", tmp_path / "judge.judge.json", "--in", data.parent, "--json")
    assert json.loads(proved.out)["verified"][0]["equal"] is True


def test_whole_dialogues_are_judged(duologue: Any, tmp_path: Path) -> None:
    dialogues, out = tmp_path / "talks.txt", tmp_path / "judge.tsv"
    dialogues.write_bytes((GOLDEN / "proactive/contract/sessions.txt").read_bytes())
    with Stub(brain=brain) as server:
        done = duologue("judge", "proactive", dialogues, "--whole", *settings(server, "language=en"), "--out", out)
    assert done.code == 0, done.err
    assert "proactive en v1 " in done.out
    assert "goal-completion" in out.read_text(encoding="utf-8")


def test_what_does_not_go_together_is_refused_before_anything_is_asked(duologue: Any, tmp_path: Path) -> None:
    out, gold = tmp_path / "judge.csv", GOLDEN / "conversation/contract/evaluation.txt"
    with Stub(brain=brain) as server:
        points = tmp_path / "points.csv"
        points.write_text("item,system,rater,quality\n1,a,ann,2\n", encoding="utf-8")
        two = ["judge", "conversation", gold, gold, "--name", "a", "--name", "b", "--gold", gold, "--out", out]
        for words, told in (
            ([*two, "--pairs", "--people", points], "people gave 1 point, and the judge is asked for pairs"),
            (["judge", "restaurant", gold, "--out", out], "has no texts for judges"),
            (["judge", "conversation", gold, "--out", out], "--input"),
            (["judge", "conversation", gold, "--whole", "--out", out], "not asked about a whole dialogue"),
            (["judge", "conversation", gold, "--labels", 5, "--gold", gold, "--out", out], "name its file: --sheet"),
        ):
            done = duologue(*words, *settings(server))
            assert done.code == 2, done.err
            assert told in done.err
        assert not server.asked
    recipe = tmp_path / "judge.toml"
    recipe.write_text('url = "http://127.0.0.1:9/v1"\nmodel = "m"\n', encoding="utf-8")
    done = duologue("judge", "conversation", gold, "--recipe", recipe, "--out", out)
    assert (done.code, "'url' of a judge is not taken from a file" in done.err) == (2, True)


def test_a_kill_loses_at_most_a_call_for_each_worker(duologue: Any, tmp_path: Path) -> None:
    out = tmp_path / "judge.csv"
    words = judging(duologue, tmp_path, out)
    with Stub(brain=brain, delay=0.03) as server:
        process = duologue.start(*words, *settings(server, "workers=2", "repeats=0", "injections=0"))
        until = time.monotonic() + 20
        while server.answered < 5 and time.monotonic() < until:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        before = len(server.asked)
        assert not out.exists()
        done = duologue(*words, *settings(server, "workers=2", "repeats=0", "injections=0"))
        assert done.code == 0, done.err
        assert len(server.asked) <= 12 + 2
        assert 5 <= before < 12
    assert len(out.read_text(encoding="utf-8").splitlines()) == 13
