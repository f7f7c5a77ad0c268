"""The system `endpoint` through the command line, beside a scripted server of this machine."""

from __future__ import annotations

import json
import os
import signal
import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("httpx", reason="the client of endpoints is optional")

from tests import endpoint_stub as stub
from tests.endpoint_stub import Stub

from duologue import api
from duologue.core.errors import UsageError
from duologue.core.plugins import load_task

if TYPE_CHECKING:
    from tests.cli.conftest import Corpus

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
KEY = "sk-never-shown-123"
DATA = {
    "conversation": ("conversation/contract/evaluation.txt",),
    "mobilecs/dialogue": ("mobilecs/dialogue/contract/dialogues.json",),
    "mobilecs/extraction": ("mobilecs/extraction/contract/raw.json",),
    "proactive": ("proactive/small-samples.txt",),
    "restaurant": ("restaurant/small-data.json",),
    "spoken": ("spoken/small-test.json", "--kg", GOLDEN / "spoken/tiny-kg.json"),
}


def words(url: str, cache: Path | str, *more: object) -> list[object]:
    settings = [f"url={url}", "model=m", f"cache={cache}", "wait=0.01", *more]
    return ["--system", "endpoint", *(word for one in settings for word in ("--set", one))]


@pytest.mark.parametrize("task", DATA)
def test_every_task_is_answered_and_checked(duologue: Any, task: str, tmp_path: Path) -> None:
    name, *more = DATA[task]
    data, out = GOLDEN / str(name), tmp_path / "result.json"
    with Stub() as server:
        done = duologue("run", task, data, *more, *words(server.url, tmp_path / "calls"), "--out", out)
    assert done.code == 0, done.err
    loaded = load_task(task)
    examples = list(loaded.load(data))
    errors = [one for one in loaded.check(loaded.read(out), examples, "strict") if one.severity == "error"]
    assert not errors
    assert f"not as asked: 0 of {len(examples)}" in done.out
    note = tomllib.loads((tmp_path / "result.run.toml").read_text(encoding="utf-8"))
    assert note["prompt"].startswith(f"{loaded.info.name} {loaded.info.language} v1 ")
    assert note["usage"]["calls"] == len(server.asked)
    assert note["external"] == ["m (a model trained elsewhere)"]


def test_faults_are_survived_and_the_key_is_nowhere(duologue: Any, tmp_path: Path) -> None:
    faults = [stub.busy(), stub.broken, stub.cut, stub.not_json, stub.echoes_key(), stub.refuses, stub.answers]
    data, out = GOLDEN / DATA["conversation"][0], tmp_path / "out.txt"
    with Stub(*faults) as server:
        told = words(server.url, tmp_path / "calls", "workers=1")
        done = duologue("run", "conversation", data, *told, "--out", out, DUOLOGUE_ENDPOINT_KEY=KEY)
        assert done.code == 0, done.err
        assert len(server.asked) == 12 + 4
        assert {one["Authorization"] for one in server.headers} == {f"Bearer {KEY}"}
        server.script = [stub.echoes_key(401)]
        refused = duologue(
            "run",
            "conversation",
            data,
            *told,
            "--set",
            "model=n",
            "--out",
            tmp_path / "n.txt",
            DUOLOGUE_ENDPOINT_KEY=KEY,
        )
    assert refused.code == 1
    assert "refuses with status 401: " in refused.err
    assert "[key]" in refused.err
    assert "1 of 12 answers that could not be read and count as empty; 1 refusals" in done.out
    assert KEY not in done.out + done.err + refused.out + refused.err
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize("cached", [True, False], ids=["with a cache", "with the journal alone"])
def test_after_a_kill_no_more_is_asked_again_than_was_under_way(
    duologue: Any, corpus: Corpus, tmp_path: Path, *, cached: bool
) -> None:
    workers, each = 3, 2
    out, cache = tmp_path / "out.json", tmp_path / "calls" if cached else ""
    with Stub(delay=0.05) as server:
        call = ("run", "restaurant", corpus.data, *words(server.url, cache, f"workers={workers}"), "--out", out)
        running = duologue.start(*call)
        until = time.monotonic() + 60
        while server.answered < 24 and time.monotonic() < until:
            time.sleep(0.01)
        os.kill(running.pid, signal.SIGKILL)
        running.communicate()
        assert not out.exists()
        server.delay = 0.0
        time.sleep(0.2)
        killed = len(server.asked)
        assert 24 <= killed < 80
        done = duologue(*call)
        assert done.code == 0, done.err
        lost = len(server.asked) - 40 * each
        assert 0 <= lost <= (workers if cached else workers * each)  # of the journal's items each takes two calls
        whole = tmp_path / "whole.json"
        fresh = words(server.url, tmp_path / "others", "workers=8")
        assert duologue("run", "restaurant", corpus.data, *fresh, "--out", whole).code == 0
        assert whole.read_bytes() == out.read_bytes()
        note = tomllib.loads((tmp_path / "out.run.toml").read_text(encoding="utf-8"))
        assert note["usage"]["calls"] == 40 * each  # those before the kill are on the account too
        if cached:
            asked = len(server.asked)
            again = duologue(*call)
            assert (again.code, len(server.asked)) == (0, asked)
            assert "calls: 80 (80 of them kept from before)" in again.out


def test_a_cap_keeps_what_is_answered_and_the_same_command_goes_on(
    duologue: Any, corpus: Corpus, tmp_path: Path
) -> None:
    out = tmp_path / "out.json"
    with Stub() as server:
        call = ("run", "restaurant", corpus.data, *words(server.url, ""), "--out", out)
        stopped = duologue(*call, "--set", "max_calls=21")
        assert stopped.code == 1
        assert "the cap max_calls=21 is reached" in stopped.err
        assert "answers are kept; the same command goes on from there." in stopped.err
        assert len(server.asked) == 21
        assert not out.exists()
        again = duologue(*call, "--set", "workers=2", "--set", "max_calls=100")
        assert again.code == 0
        made = len(server.asked) - 21
        assert made <= 80 + 4 - 21
        assert f"calls: 80 ({80 - made} of them kept from before)" in again.out


def test_a_dry_run_asks_and_writes_nothing(duologue: Any, corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    with Stub() as server:
        told = words(server.url, tmp_path / "calls", "price_out=1000", "reply_tokens=10")
        done = duologue("run", "restaurant", corpus.data, *told, "--out", out, "--dry-run")
        assert done.code == 0, done.err
        planned = duologue("run", "restaurant", corpus.data, *told, "--out", out, "--dry-run", "--json")
        assert not server.asked
    found = json.loads(planned.out)["forecast"]
    assert (found["answers"], found["counts"]["calls"], found["left"]) == (40, 80, 0)
    assert "40 answers take 80 calls, 0 of them kept from before" in done.out
    assert "cost at most about 0.80" in done.out
    assert not list(tmp_path.iterdir())
    free = duologue("run", "restaurant", corpus.data, "--system", "solver", "--out", out, "--dry-run")
    assert free.code == 2
    assert "'solver' costs nothing by the call" in free.err


@pytest.mark.slow
def test_what_conversations_would_take_is_said_without_asking(duologue: Any, tmp_path: Path) -> None:
    settings = ("url=http://127.0.0.1:9/v1", "model=m", "cache=", "price_out=1")
    told = [word for one in settings for word in ("--user-set", one)]
    call = ["simulate", "restaurant", "--system", "solver", "--user", "endpoint", *told, "--n", 4, "--dry-run"]
    done = duologue(*call, "--out", tmp_path / "x.jsonl")
    assert "user: 4 conversations take at least 4 calls, likely about " in done.out
    assert "cost at most about " in done.out
    assert not list(tmp_path.iterdir())
    (found,) = json.loads(duologue(*call, "--json").out)["forecast"]
    assert found["least"]["calls"] < found["likely"]["calls"] < found["most"]["calls"]
    refused = duologue("simulate", "restaurant", "--system", "solver", "--dry-run")
    assert (refused.code, "costs nothing by the call" in refused.err) == (2, True)


def test_it_talks_and_is_simulated_like_any_system(duologue: Any, tmp_path: Path) -> None:
    with Stub() as server:
        told = words(server.url, tmp_path / "calls")
        goals = GOLDEN / "proactive/contract/sessions.txt"
        played = duologue("simulate", "proactive", *told, "--goals", goals, "--n", 2, "--max-turns", 4)
        assert played.code == 0, played.err
        assert "not as asked: 0 of" in played.out
        saved = tmp_path / "talk.json"
        talked = duologue("chat", "restaurant", *told, "--save", saved, said="hi\n")
        assert talked.code == 0, talked.err
        assert "bot: " in talked.out


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["model=m"], "'url' is missing"),
        (["url=http://127.0.0.1:9/v1"], "'model' is missing"),
        (["url=file:///etc/passwd", "model=m"], "expected an address"),
        (["url=http://127.0.0.1:9/v1", "model=m", "language=fr"], "language"),
    ],
)
def test_wrong_settings_are_told(duologue: Any, settings: list[str], message: str, tmp_path: Path) -> None:
    given = [word for one in settings for word in ("--set", one)]
    data = GOLDEN / "restaurant/small-data.json"
    done = duologue("run", "restaurant", data, "--system", "endpoint", *given, "--out", tmp_path / "x.json")
    assert done.code == 2
    assert message in done.err


def test_a_chat_model_plays_the_user_and_a_stopped_run_goes_on(duologue: Any, tmp_path: Path) -> None:
    report, out = tmp_path / "talk.report.json", tmp_path / "talk.json"
    goals = GOLDEN / "mobilecs/dialogue/contract/dialogues.json"
    call = ["simulate", "mobilecs/dialogue", "--system", "rule-agent", "--goals", goals, "--n", 2, "--max-turns", 6]
    call += ["--report", report, "--out", out, "--user", "endpoint"]
    with Stub(stub.says('{"say": "你好", "hang_up": false}')) as server:
        told = [word for one in (f"url={server.url}", "model=m", "cache=") for word in ("--user-set", one)]
        stopped = duologue(*call, *told, "--user-set", "max_calls=2")
        assert stopped.code == 1
        assert "the cap max_calls=2 is reached" in stopped.err
        planned = duologue(*call, *told, "--dry-run")
        assert "user: 2 answers kept of a stopped run, and asked no more; the figures are of all" in planned.out
        (found,) = json.loads(duologue(*call, *told, "--dry-run", "--json").out)["forecast"]
        assert (found["part"], found["left"], len(server.asked)) == ("user", 2, 2)
        (other,) = json.loads(duologue(*call, *told, "--dry-run", "--json", "--seed", 2).out)["forecast"]
        assert other["left"] == 0
        done = duologue(*call, *told)
        assert done.code == 0, done.err
        assert len(server.asked) == 6  # three turns of each user
        assert "user: calls: 6" in done.out
    saved = json.loads(report.read_bytes())
    assert saved["meta"]["usage"]["user"]["calls"] == 6
    assert saved["meta"]["user"] == "endpoint: m (a model trained elsewhere)"
    assert saved["signature"]["prompts"]["user"].startswith("mobilecs/dialogue zh v1 ")
    assert not [path for path in tmp_path.iterdir() if "journal" in path.name]
    assert len(json.loads(out.read_bytes())) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--user-set", "model=m"], "say which with --user"),
        (["--user", "endpoint", "--users", GOLDEN / "proactive/contract/sessions.txt"], "leave out --users or --user"),
        (["--user", "solver"], "does not serve task 'proactive'"),
        (["--user", "leader"], "there is no system 'leader'"),
        (["--user", "endpoint"], "'url' is missing; set it, for example with --user-set url=VALUE"),
        (
            ["--user", "endpoint", "--user-set", "url=ftp://x", "--user-set", "model=m"],
            "duologue: --user-set url=ftp://x:",
        ),
        (["--user", "endpoint", "--user-set", "widht=3"], "--user-set widht=3: unknown key"),
    ],
)
def test_users_that_cannot_be_are_told(duologue: Any, words: list[object], message: str) -> None:
    goals = GOLDEN / "proactive/contract/sessions.txt"
    own = ["--system", "process", "--set", "command=none"]
    done = duologue("simulate", "proactive", *own, "--goals", goals, *words)
    assert done.code == 2
    assert message in done.err


def test_examples_are_never_what_is_played_or_put_under_noise(duologue: Any, tmp_path: Path) -> None:
    valid, sessions = GOLDEN / "spoken/small-valid.json", GOLDEN / "proactive/small-sessions.txt"
    graph = GOLDEN / "spoken/tiny-kg.json"
    with Stub() as server:
        for data, told in (
            (valid, ["robustness", "spoken", "--gold", valid, "--kg", graph, "--out", tmp_path / "noise.html"]),
            (sessions, ["simulate", "proactive", "--goals", sessions, "--n", 1, "--out", tmp_path / "talks.jsonl"]),
        ):
            copy = tmp_path / data.name
            copy.write_bytes(data.read_bytes())
            done = duologue(*told, *words(server.url, tmp_path / "calls", "shots=1", f"examples={copy}"))
            assert (done.code, "are the file that is answered" in done.err) == (2, True), done.err
        assert not server.asked


def test_examples_are_never_what_a_notebook_asks(tmp_path: Path) -> None:
    data = GOLDEN / DATA["conversation"][0]
    recipe = {"url": "http://127.0.0.1:9/v1", "model": "m", "shots": 1, "examples": str(data), "cache": ""}
    system = api.load_system("conversation", "endpoint", recipe=recipe)
    with pytest.raises(UsageError, match="are the file that is answered"):
        api.predict("conversation", system, data)


def test_what_a_stopped_run_under_noise_left_is_not_forecast_again(duologue: Any, tmp_path: Path) -> None:
    asked = [
        "robustness",
        "spoken",
        "--gold",
        GOLDEN / "spoken/small-valid.json",
        "--kg",
        GOLDEN / "spoken/tiny-kg.json",
    ]
    asked += ["--strengths", "0", "--out", tmp_path / "n.html"]
    journal = tmp_path / "n.reports" / ".1.journal"
    with Stub() as server:
        told = words(server.url, "")
        stopped = duologue(*asked, *told, "--set", "max_calls=2")
        assert (stopped.code, "answers are kept" in stopped.err) == (1, True), stopped.err
        before, calls = journal.read_bytes(), len(server.asked)
        done = duologue(*asked, *told, "--dry-run")
        assert done.code == 0, done.err
        assert done.out.startswith("kept of a stopped run: 2 of 3 answers\n1 answer takes 1 call, 0 of them kept")
        found = json.loads(duologue(*asked, *told, "--dry-run", "--json").out)["forecast"]
        assert (found["answers"], found["left"], found["counts"]["calls"]) == (3, 2, 1)
        other = json.loads(duologue(*asked, *told, "--seed", 2, "--dry-run", "--json").out)["forecast"]
        assert (other["left"], other["counts"]["calls"]) == (0, 3)
        assert (journal.read_bytes(), len(server.asked)) == (before, calls)


@pytest.mark.parametrize(
    ("task", "data", "more", "answers"),
    [
        ("spoken", "spoken/small-valid.json", ["--kg", GOLDEN / "spoken/tiny-kg.json"], 9),
        ("mobilecs/extraction", "mobilecs/extraction/contract/raw.json", [], 12),
    ],
)
def test_runs_under_noise_have_a_forecast(
    duologue: Any, tmp_path: Path, task: str, data: str, more: list[object], answers: int
) -> None:
    pytest.importorskip("pypinyin", reason="the noise of these tasks needs the extra zh")
    asked = ["robustness", task, "--gold", GOLDEN / data, *more, "--strengths", "0,1,2", "--out", tmp_path / "n.html"]
    with Stub() as server:
        done = duologue(*asked, *words(server.url, tmp_path / "calls"), "--dry-run")
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith(f"{answers} answers take {answers} calls, 0 of them kept from before")
        told = duologue(*asked, *words(server.url, tmp_path / "calls"), "--dry-run", "--json")
        assert json.loads(told.out)["forecast"]["answers"] == answers
        assert not server.asked
    assert not list(tmp_path.iterdir())
