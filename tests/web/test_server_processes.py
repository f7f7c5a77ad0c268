from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from duologue.core.errors import DuologueError, UsageError
from duologue.core.protocols import Service
from duologue.web.application import application
from duologue.web.server import Server, address_of, shared_port
from duologue.web.server_processes import ServerProcesses

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the processes find this module, whose functions they are given."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2])


def answer(body: bytes) -> bytes:
    """Say who answers, after a while where that is asked."""
    time.sleep(0.6 if body == b"wait" else 0.02)
    return str(os.getpid()).encode()


def make(port: int, *, refuse: str = "", end: bool = False) -> Server:
    if refuse:
        raise UsageError(refuse)
    if end:
        os._exit(3)
    return Server(application([], form=Service(answer, b"{}")), port=port, shared=True)


def ask(address: str, body: bytes = b"who") -> int:
    connection = HTTPConnection(address.removeprefix("http://"), timeout=20)
    connection.request("POST", "/", body)
    reply = connection.getresponse()
    assert reply.status == 200
    found = int(reply.read())
    connection.close()
    return found


@contextmanager
def running(failures: list[Exception]) -> Iterator[tuple[str, ServerProcesses]]:
    with shared_port("127.0.0.1", 0) as kept:
        address = address_of(kept)
        several = ServerProcesses(partial(make, kept.getsockname()[1]), 2)

    def run() -> None:
        try:
            several.run()
        except DuologueError as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield address, several
    finally:
        several.stop()
        thread.join(20)
        assert not thread.is_alive()


def several_answers(address: str) -> set[int]:
    """Those who answer, when many ask at once."""
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(ask(address))) for _ in range(40)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(20)
    assert len(found) == len(threads)
    return set(found)


def test_all_answer_at_one_address_and_a_stop_waits_for_what_is_under_way() -> None:
    failures: list[Exception] = []
    late: list[int] = []
    with running(failures) as (address, several):
        answering: set[int] = set()
        for _ in range(20):
            answering |= several_answers(address)
            if len(answering) > 1:
                break
        assert answering == {one.pid for one in several._processes}
        waiting = threading.Thread(target=lambda: late.append(ask(address, b"wait")))
        waiting.start()
        time.sleep(0.3)
    waiting.join(20)
    assert len(late) == 1
    assert failures == []


def test_where_one_ends_by_itself_the_others_are_stopped_and_it_is_said() -> None:
    failures: list[Exception] = []
    with running(failures) as (_, several):
        first = several._processes[0]
        assert first.pid is not None
        os.kill(first.pid, signal.SIGKILL)
        until = time.monotonic() + 20
        while not failures and time.monotonic() < until:  # `run` alone waits for its processes
            time.sleep(0.05)
        assert [one.is_alive() for one in several._processes] == [False, False]
    assert "ended by itself (exit code -9)" in str(failures[0])


@pytest.mark.parametrize(
    ("how", "kind", "said"),
    [
        ({"refuse": "there is no such system"}, UsageError, "no such system"),
        ({"end": True}, DuologueError, "ended before it was ready"),
    ],
)
def test_what_a_process_refuses_is_raised(how: dict[str, str | bool], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        ServerProcesses(partial(make, 0, **how), 2)  # type: ignore[arg-type]  # mypy mixes the options


def test_a_port_that_others_share_is_taken_for_everybody_else() -> None:
    with shared_port("127.0.0.1", 0) as kept:
        port = kept.getsockname()[1]
        several = [Server(application([]), port=port, shared=True) for _ in range(2)]
        with pytest.raises(UsageError, match="choose other --host or --port"), shared_port("127.0.0.1", port):
            pass
        with pytest.raises(UsageError, match="choose other --host or --port"):
            Server(application([]), port=port)
        for one in several:
            one.server_close()
