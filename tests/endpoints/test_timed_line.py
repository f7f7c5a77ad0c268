"""Connections beside a real server that is slow in every part of its response."""

from __future__ import annotations

import time

import pytest

pytest.importorskip("httpx", reason="the client of endpoints is optional")

from tests import endpoint_stub as stub
from tests.endpoint_stub import Stub

from duologue.core.errors import UsageError
from duologue.endpoints.timed_line import LineError, TimedLine, certificates

BODY = b'{"model": "m", "messages": [{"role": "user", "content": "hi"}]}'


def read(line: TimedLine, server: Stub) -> bytes:
    with line.send("POST", f"{server.url}/chat/completions", BODY) as response:
        return b"".join(response.pieces)


@pytest.mark.parametrize("slow", [stub.drip, stub.drips_head])
def test_a_call_ends_when_its_time_is_over_wherever_it_stands(slow: stub.Step) -> None:
    with Stub(slow, stub.answers, slow, stub.answers) as server:
        line = TimedLine({}, 0.3, secure=False)
        for _ in range(2):  # with a new connection, and with one that has served
            begun = time.monotonic()
            with pytest.raises(LineError) as told:
                read(line, server)
            assert told.value.late
            assert 0.2 < time.monotonic() - begun < 3
            assert read(line, server)


def test_its_timer_cuts_no_later_call() -> None:
    with Stub() as server:
        line = TimedLine({}, 0.2, secure=False)
        begun = time.monotonic()
        while time.monotonic() - begun < 1:
            assert read(line, server)
            line._cut(0)  # one that was under way when its call ended
        assert server.connections == 1


def test_silence_may_last_less_long_than_a_call() -> None:
    with Stub(delay=1) as server, pytest.raises(LineError) as told:
        read(TimedLine({}, 30, secure=False, silence=0.1), server)
    assert told.value.late


@pytest.mark.parametrize("proxy", ["socks9://me:hunter22@x:1", "http://me:hunter22@x:port"])
def test_a_proxy_of_the_environment_that_is_none_is_told(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with Stub() as server:
        assert read(TimedLine({}, 5, secure=False), server)  # a proxy is not asked for http
    with pytest.raises(UsageError, match="the proxy of the environment cannot be asked") as told:
        TimedLine({}, 5, secure=True)
    assert "hunter22" not in str(told.value)


def test_certificates_of_the_environment_that_are_none_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for file in (__file__, "/nowhere/certificates.pem"):
        monkeypatch.setenv("SSL_CERT_FILE", file)
        certificates(secure=False)
        with pytest.raises(UsageError, match="SSL_CERT_FILE"):
            certificates(secure=True)
