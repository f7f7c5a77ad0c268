from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.spoken.live.endpoint import sample_of
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.records import Answer
from duologue.run.predict import predict_file

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.protocols import Service

CLIENTS = 50


@pytest.fixture
def service(golden: Path, reader: Any) -> Service:
    task = SpokenTask()
    return task.service(reader, task.world(golden / "tiny-kg.json"), seed=1)


def body(*history: object, **more: object) -> bytes:
    return json.dumps({"history": list(history), **more}, ensure_ascii=False).encode()


def test_a_history_gets_a_reply_with_its_triples(service: Service) -> None:
    assert json.loads(service.respond(body("青石岛的门票多少钱"))) == {
        "code": 0,
        "message": "30元",
        "attrs": [{"name": "青石岛", "attrname": "门票", "attrvalue": "30元"}],
    }
    found = json.loads(service.respond(body("你知道阿勒吗", "知道", "等级多少", user="x")))
    assert found["attrs"] == [{"name": "阿勒", "attrname": "等级", "attrvalue": 12}], "a number stays one"
    assert json.loads(service.respond(body("你好"))) == {"code": 0, "message": "你好呀。", "attrs": []}


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"no JSON",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"history": "x"}',
        b'{"history": []}',
        b'{"history": [1]}',
        b'{"history": null}',
        b'{"history": ["\\ud800"]}',
        b'{"history": ["x"], "id": 3}',
        b"[" * 100_000,
    ],
    ids=range(12),
)
def test_what_is_not_understood_gets_code_105(service: Service, sent: bytes) -> None:
    assert json.loads(service.respond(sent)) == {"code": 105, "message": "", "attrs": []}
    assert service.refusal == service.respond(sent)


def test_an_answer_without_a_text_is_an_empty_message(golden: Path, reader: Any) -> None:
    reader.answer = lambda samples: [Answer() for _ in samples]
    assert SpokenTask().service(reader, None, seed=1).respond(body("x")) == b'{"code":0,"message":"","attrs":[]}'


def test_the_last_utterance_is_the_users_and_equal_histories_are_equal_samples() -> None:
    sample = sample_of(["a", "b", "c"], "", "kg")
    assert [turn.speaker for turn in sample.history] == ["user", "system", "user"]
    assert [turn.speaker for turn in sample_of(["a", "b"], "", None).history] == ["system", "user"]
    assert sample == sample_of(["a", "b", "c"], "", "kg")
    assert sample.id != sample_of(["a", "bc"], "", "kg").id
    assert sample_of(["a"], "17", None).id == "17"


def test_fifty_clients_at_once_get_what_run_writes(golden: Path, reader: Any, tmp_path: Path) -> None:
    from duologue.web.application import application
    from duologue.web.server import Server

    task = SpokenTask()
    world, kb = task.world(golden / "tiny-kg.json"), golden / "tiny-kg.json"
    examples = list(task.load(golden / "contract" / "valid.json"))
    out = tmp_path / "result.json"
    predict_file(task, reader, golden / "contract" / "valid.json", out, name="reader", world=world, kb=kb, seed=1)
    written = json.loads(out.read_bytes())
    server = Server(application([], form=task.service(reader, world, seed=1)))
    thread = threading.Thread(target=server.run)
    thread.start()
    together = threading.Barrier(CLIENTS)

    def client(number: int) -> list[dict[str, Any]]:
        connection = HTTPConnection("127.0.0.1", server.server_port, timeout=30)
        together.wait(30)
        found = []
        for example in examples[number % 5 :: 5]:
            history = [turn.text for turn in example.sample.history]
            connection.request("POST", "/", body(*history, id=example.sample.id))
            found.append(json.loads(connection.getresponse().read()))
        connection.close()
        return found

    try:
        with ThreadPoolExecutor(CLIENTS) as clients:
            everything = list(clients.map(client, range(CLIENTS)))
    finally:
        server.shutdown()
        thread.join(10)
    for number, found in enumerate(everything):
        expected = [written[example.sample.id] for example in examples[number % 5 :: 5]]
        assert found == [{"code": 0, "message": row["message"], "attrs": row.get("attrs", [])} for row in expected]
    assert any(row.get("attrs") for row in written.values())
