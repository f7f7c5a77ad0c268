"""Latency of `duologue serve` for honest clients, alone and beside clients that drip their requests byte by byte.

Everything runs on the loopback: a server with a service of 2 ms in a process of its own, 20 honest clients that ask
again and again, each time on a new connection, and 300 that send a byte now and then and never come to an end; in the
last row these come again as soon as they are hung up on. The bound is 1 s for 95 of 100 honest requests; one that
fails counts as never answered.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import multiprocessing
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.protocols import Service
from duologue.web.application import application
from duologue.web.server import Server

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

HONEST, DRIPPING = 20, 300
LIMIT_SECONDS = 1.0
_REQUEST = b"POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"


class Busy:
    """A service that takes 2 ms of the processor, as a small system does."""

    def respond(self, body: bytes) -> bytes:
        """Return the body, after 2 ms of work."""
        until = time.process_time() + 0.002
        while time.process_time() < until:
            pass
        return body


class Latency(NamedTuple):
    """What honest clients saw."""

    seconds: list[float]
    failures: int


def _serve(told: Connection) -> None:
    server = Server(application([], form=Service(Busy().respond, b"{}")))
    told.send(server.server_port)
    server.run()


def _drip(port: int, seconds: float, *, again: bool) -> None:
    asyncio.run(_crowd(port, seconds, again=again))


async def _crowd(port: int, seconds: float, *, again: bool) -> None:
    until = time.monotonic() + seconds
    await asyncio.gather(*(_dripping(port, until, again=again) for _ in range(DRIPPING)))


async def _dripping(port: int, until: float, *, again: bool) -> None:
    while time.monotonic() < until:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            with suppress(OSError):
                for byte in _REQUEST[:-1]:
                    writer.write(bytes([byte]))
                    await writer.drain()
                    await asyncio.sleep(min(0.5, max(0.0, until - time.monotonic())))
            writer.close()
        if not again:
            await asyncio.sleep(max(0.0, until - time.monotonic()))
        await asyncio.sleep(0.05)


async def _ask(port: int, until: float, found: list[float]) -> int:
    """Ask until it is time, note how long each answer took (for ever where none came), return how many did not."""
    failures = 0
    while time.monotonic() < until:
        began = time.perf_counter()
        answered = False
        try:
            async with asyncio.timeout(10):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(_REQUEST)
                answer = await reader.read()
                writer.close()
            answered = answer.startswith(b"HTTP/1.1 200 ")
        except (OSError, TimeoutError):
            pass
        failures += not answered
        found.append(time.perf_counter() - began if answered else math.inf)
        await asyncio.sleep(0.1)
    return failures


async def _honest(port: int, seconds: float) -> Latency:
    until = time.monotonic() + seconds
    found: list[float] = []
    failures = sum(await asyncio.gather(*(_ask(port, until, found) for _ in range(HONEST))))
    return Latency(found, failures)


def measure(seconds: float, *, dripping: bool, again: bool) -> Latency:
    """Return what honest clients see in so many seconds."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    server = context.Process(target=_serve, args=(theirs,), daemon=True)
    server.start()
    port: int = ours.recv()
    crowd = context.Process(target=_drip, args=(port, seconds + 3), kwargs={"again": again}, daemon=True)
    try:
        if dripping:
            crowd.start()
            time.sleep(2)
        return asyncio.run(_honest(port, seconds))
    finally:
        for process in (crowd, server) if dripping else (server,):
            process.terminate()
            process.join(10)


def main() -> int:
    """Print the table; return 1 when a figure is over its bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=15, help="how long each row is measured")
    seconds = parser.parse_args().seconds
    print(f"{HONEST} honest clients, a service of 2 ms\n")
    print("| beside them                | requests | failed | p50 s | p95 s | p99 s | bound for p95, s |")
    print("|----------------------------|----------|--------|-------|-------|-------|------------------|")
    bad = False
    for name, dripping, again in (
        ("nobody", False, False),
        (f"{DRIPPING} that drip", True, False),
        (f"{DRIPPING} that drip and return", True, True),
    ):
        found = measure(seconds, dripping=dripping, again=again)
        ordered = sorted(found.seconds)
        p50, p95, p99 = (ordered[math.ceil(share * len(ordered)) - 1] for share in (0.5, 0.95, 0.99))
        figures = " | ".join(f"{one:5.3f}" for one in (p50, p95, p99))
        print(f"| {name:<26} | {len(found.seconds):8} | {found.failures:6} | {figures} | {LIMIT_SECONDS:16.1f} |")
        bad |= p95 > LIMIT_SECONDS
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
