"""Spoken dialogue through the command, with the small system of `tests/golden/spoken/plugin`."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import time
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.command import DUOLOGUE

from duologue.core.records import Dialogue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.command import Outcome

    Call = Callable[..., Outcome]

SPOKEN = Path(__file__).resolve().parents[1] / "golden" / "spoken"
VALID, KG = SPOKEN / "contract" / "valid.json", SPOKEN / "tiny-kg.json"


@pytest.fixture
def call(duologue: Any) -> Call:
    """Run the command where the small system is installed."""

    def run(*words: object, said: str = "") -> Outcome:
        outcome: Outcome = duologue(*words, said=said, PYTHONPATH=str(SPOKEN / "plugin"), COLUMNS="120")
        return outcome

    return run


@pytest.fixture
def model(call: Call, tmp_path: Path) -> Path:
    copy = tmp_path / "more.json"
    copy.write_bytes(VALID.read_bytes())
    words = ("train", "spoken", "--system", "reader", "--train", VALID, copy, "--kg", KG, "--seed", 1)
    trained = call(*words, "--out", tmp_path / "model")
    assert trained.code == 0, trained.err
    return tmp_path / "model"


def test_training_has_all_files_and_the_graph(call: Call, model: Path, tmp_path: Path) -> None:
    learned = json.loads((model / "learned.json").read_bytes())
    assert (len(learned["ids"]), len(set(learned["ids"]))) == (76, 76)
    assert learned["ids"][0] == "valid.json:0#1"
    assert learned["placed"] == ["tiny-kg.json"]
    assert learned["worlds"] == {"tiny-kg.json": 97}
    words = ("train", "spoken", "--system", "reader", "--train", VALID, tmp_path / "more.json", "--out", model)
    assert "already; nothing to do" in call(*words, "--kg", KG).out
    small = SPOKEN / "small-kg.json"
    assert "holds another model" in call(*words, "--kg", small).err, "another graph is another training"


def test_from_a_test_file_to_a_submission_that_passes_the_check(call: Call, model: Path, tmp_path: Path) -> None:
    test, gold, result = tmp_path / "test.json.gz", tmp_path / "gold.json.gz", tmp_path / "result.json"
    for form, path in (("samples", test), ("gold", gold)):
        assert call("data", "convert", "spoken", "--from", "dialogues", "--to", form, VALID, "--out", path).code == 0
    ran = call("run", "spoken", "--system", model, test, "--kg", KG, "--out", result)
    assert ran.out.startswith("38 answers"), ran.err
    checked = call("check", "spoken", result, "--input", test, "--kg", KG)
    assert checked.code == 0, checked.out
    scored = call("score", "spoken", "--gold", gold, result, "--samples", "knowledge", "--json")
    scores = json.loads(scored.out)["scores"]
    assert scores["total"]["value"] > 0.5
    stored = tmp_path / "kg.sqlite"
    assert call("data", "convert", "spoken", "--from", "graph", "--to", "sqlite", KG, "--out", stored).code == 0
    again = tmp_path / "again.json"
    assert call("run", "spoken", "--system", model, test, "--kg", stored, "--out", again).code == 0
    assert again.read_bytes() == result.read_bytes()


def test_a_talk_shows_entity_query_triples_and_reply(call: Call, model: Path, tmp_path: Path) -> None:
    kept = tmp_path / "talk.json"
    words = ("chat", "spoken", "--system", model, "--kg", KG, "--save", kept)
    outcome = call(*words, said="青石岛的门票呢\n/noise off\n电话呢\n/quit\n")
    assert outcome.code == 0, outcome.err
    for line in (
        "bot: 30元",
        "entity: 青石岛",
        "query: 青石岛 → 门票",
        "triple: 青石岛 | 门票 | 30元",
        "bot: 0999-5550123",
    ):
        assert line in outcome.out
    assert len(msgspec.json.decode(kept.read_bytes(), type=Dialogue).turns) == 4
    refused = call("chat", "spoken", "--kg", KG)
    assert refused.code == 2
    assert "say whom to talk to" in refused.err


@contextmanager
def serving(monkeypatch: pytest.MonkeyPatch, *words: object) -> Iterator[tuple[subprocess.Popen[str], int]]:
    monkeypatch.setenv("PYTHONPATH", str(SPOKEN / "plugin"))
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    command: list[str | Path] = [DUOLOGUE, *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            line = process.stdout.readline()
            if not line.startswith("serving spoken"):
                process.kill()
                pytest.fail(f"{line}{process.stderr.read()}")
            yield process, int(line.split(" at ")[1].split()[0].rpartition(":")[2])
        finally:
            process.kill()


def test_a_served_model_answers_until_it_is_told_to_stop(monkeypatch: pytest.MonkeyPatch, model: Path) -> None:
    with serving(monkeypatch, "serve", "spoken", "--system", model, "--kg", KG, "--port", 0) as (process, port):
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("POST", "/", json.dumps({"history": ["青石岛的门票呢"]}))
        assert json.loads(connection.getresponse().read()) == {
            "code": 0,
            "message": "30元",
            "attrs": [{"name": "青石岛", "attrname": "门票", "attrvalue": "30元"}],
        }
        connection.request("POST", "/", "history")
        assert json.loads(connection.getresponse().read())["code"] == 105
        connection.close()
        process.send_signal(signal.SIGTERM)  # what Ctrl-C is, also where a shell in the background ignores that
        assert process.wait(timeout=30) == 0
        assert process.stdout is not None
        assert process.stderr is not None
        # no `communicate`: it loses what came together with the line that was read first
        assert process.stdout.read() == "model at /v1: spoken/model\nstopped\n"
        assert process.stderr.read() == ""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_several_processes_answer_and_none_outlives_the_one_that_was_started(
    monkeypatch: pytest.MonkeyPatch, model: Path, how: signal.Signals
) -> None:
    words = ("serve", "spoken", "--system", model, "--kg", KG, "--processes", 2, "--port", 0)
    with serving(monkeypatch, *words) as (process, port):
        for _ in range(6):
            connection = HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("POST", "/", json.dumps({"history": ["青石岛的门票呢"]}))
            assert json.loads(connection.getresponse().read())["message"] == "30元"
            connection.close()
        process.send_signal(how)
        assert process.wait(timeout=30) == (0 if how == signal.SIGTERM else -signal.SIGKILL)
        ends = time.monotonic() + 20
        while listens(port) and time.monotonic() < ends:
            time.sleep(0.1)
        assert not listens(port)


def listens(port: int) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


def test_several_systems_are_served_by_their_names(monkeypatch: pytest.MonkeyPatch, model: Path) -> None:
    words = ("serve", "spoken", "--system", model, "--kg", KG, "--also", "restaurant=solver", "--port", 0)
    with serving(monkeypatch, *words) as (_, port):
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", "/v1/models")
        told = json.loads(connection.getresponse().read())["data"]
        assert [one["id"] for one in told] == ["spoken/model", "restaurant/solver"]
        asked = {"model": "spoken/model", "messages": [{"role": "user", "content": "青石岛的门票呢"}]}
        connection.request("POST", "/v1/chat/completions", json.dumps(asked))
        (choice,) = json.loads(connection.getresponse().read())["choices"]
        assert choice["message"]["content"] == "30元"
        connection.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--also", "restaurant"), "--also restaurant: expected TASK=SYSTEM"),
        (("--also-kb", f"restaurant={KG}"), "is no other task that is served"),
        (("--also", "restaurant=solver"), "two systems would be called 'restaurant/solver'"),
        (("--also", "conversation=endpoint"), "--also conversation=endpoint: the recipe has 2 problems"),
        (("--also", "conversation=endpoint"), "serve it by that, or in a process of its own"),
        (("--also", "conversation=solver"), "system 'solver' does not serve task 'conversation'"),
    ],
)
def test_what_cannot_be_served_together_is_said(call: Call, words: tuple[str, ...], said: str) -> None:
    refused = call("serve", "restaurant", "--system", "solver", *words)
    assert refused.code == 2
    assert said in refused.err


def test_a_token_that_can_be_guessed_is_refused_and_not_shown(call: Call, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("# ours\nsesame\n", encoding="utf-8")
    refused = call("serve", "restaurant", "--system", "solver", "--token-file", tokens)
    assert refused.code == 2, refused.err
    assert "sesame" not in refused.err
    assert "token 1 has fewer than 16 characters" in refused.err


def test_files_are_shown_against_a_graph(call: Call) -> None:
    shown = call("show", "spoken", VALID, "--kg", KG)
    assert shown.code == 0, shown.err
    assert "    青石岛 | 门票 | 30元\n" in shown.out
    assert "not in the graph" not in shown.out
    assert "share_in_graph: 1.00" in shown.out
    assert "    种族: 岩民" in call("show", "spoken", KG, "--only", "dump").out
    refused = call("show", "proactive", VALID, "--kb", KG)
    assert (refused.code, "leave --kb out" in refused.err) == (2, True)
