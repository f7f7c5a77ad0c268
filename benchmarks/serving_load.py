"""Load of `duologue serve`: latency of the retriever alone and under 32 clients, and memory over 10,000 requests.

    python benchmarks/serving_load.py [--dialogues 2000] [--seconds 20] [--requests 10000] [--processes 2] [--write]

The server runs in a process of its own with a retriever that learned from made dialogues; clients keep a connection
and ask on the loopback, each request another dialogue. Bounds: the 95th percentile of 32 people who pause for about a
second before they write again is at most 5 times the latency of one request alone, and the server grows by at most
8 MB from the 1,000th request to the last. Clients that never pause are shown beside, also with several processes on one
port, as `--processes` of `serve` has them, and the same clients before an application that answers at once and does
nothing: what 32 clients that never pause see of that is the floor of any one process. Processor time of the servers is
shown too: it depends little on what else the machine does. `--write` puts the table into `ENDPOINTS.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import multiprocessing
import os
import random
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core.plugins import load_system_class, load_task
from duologue.core.protocols import Run, Trainable
from duologue.core.recipe import resolve
from duologue.web.application import application
from duologue.web.served import prepared
from duologue.web.server import Server, shared_port
from endpoint_page import with_section
from mobilecs_page import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

CLIENTS = 32
PAUSE_SECONDS = 1.0
ALONE, PAUSED = "1", f"{CLIENTS} that pause for 1 s"
PAGE = Path(__file__).with_name("ENDPOINTS.md")
MAX_TIMES, MAX_MEGABYTES = 5.0, 8.0
_DIFFERENT = 200
"""Requests of a client until it begins anew; what it asks is never what another asks."""
_WORDS = 4000
"""Words of the made language, the n-th of which is n times as rare as the first."""


_HISTORY = """Requests that wait together are one call of the system, in its own thread, and are passed on together;
nobody waits for a batch to fill. The retriever answers such a batch step by step, all of it at each step, so that the
tables of a step stay in the processor's cache: .59 ms of the processor for an answer of a batch of 32, .80 before (the
answers are the same; in three pairs, one after the other, .50 to .60 and .78 to .80). The search takes .3 of it, its
query .05. With one call posted for all requests that the loop has read at once, the server takes .83 ms a request
under 32 clients that never pause, 1.09 before (medians of interleaved pairs on the same busy machine; at best .76 and
1.03). What gained nothing that could be measured: search terms that are kept, a product of matrices in place of
`einsum`, head and body of an answer in one write, batches of 16, a garbage collector that is off."""
"""What was changed, and what it gave (November 2026, two cores, 4 to 8 other processes)."""


class Load(NamedTuple):
    """What clients saw."""

    seconds: list[float]
    """Of each request, sorted."""
    took: float
    """Seconds that all of them took together."""
    cpu: float
    """Seconds of processor time that the server used meanwhile."""
    own: float
    """The same of the clients."""

    def quantile(self, share: float) -> float:
        """Return the latency that this share of requests had at most."""
        return self.seconds[math.ceil(share * len(self.seconds)) - 1]


def _sentence(rng: random.Random) -> str:
    return " ".join(f"w{int(_WORDS ** rng.random())}" for _ in range(6 + int(14 * rng.random())))


class Served(NamedTuple):
    """Processes that serve at one port."""

    port: int
    processes: list[int]


def _serve(told: Connection, dialogues: int, port: int) -> None:
    """Train a retriever on made dialogues and serve it."""
    rng = random.Random(1)
    lines = ["\n".join(f"{who}: {_sentence(rng)}" for who in "USUS") for _ in range(dialogues)]
    task, kind = load_task("conversation"), load_system_class("retriever")
    system = kind(resolve(kind.Recipe))
    assert isinstance(system, Trainable)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.txt"
        path.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
        system.fit(task.load_training([path]), [], [], Run(folder=Path(folder), seed=1))
    served = [prepared("conversation/retriever", task, system, None, seed=1)]
    server = Server(application(served), port=port, shared=True)
    told.send("ready")
    server.run()


async def _nothing(_: Any, receive: Any, send: Any) -> None:
    """An application that reads its request and answers at once."""
    while (await receive()).get("more_body"):
        pass
    fields = [(b"content-type", b"application/json"), (b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": fields})
    await send({"type": "http.response.body", "body": b"{}"})


def _serve_nothing(told: Connection, _: object, port: int) -> None:
    """Serve an application that does nothing."""
    server = Server(_nothing, port=port, shared=True)
    told.send("ready")
    server.run()


@contextmanager
def served(serve: Callable[[Connection, Any, int], None], how: object, processes: int) -> Iterator[Served]:
    """Yield so many processes that are ready and share a port."""
    context = multiprocessing.get_context("spawn")
    with ExitStack() as stack:
        port = stack.enter_context(shared_port("127.0.0.1", 0)).getsockname()[1]
        started = []
        for _ in range(processes):
            ours, theirs = context.Pipe()
            process = context.Process(target=serve, args=(theirs, how, port), daemon=True)
            process.start()
            stack.callback(process.join, 10)
            stack.callback(process.terminate)
            started.append((process, ours))
        for _, ours in started:
            ours.recv()
        yield Served(port, [process.pid or 0 for process, _ in started])


def _requests(seed: int) -> list[bytes]:
    """Return different requests of a client, as they go over the wire."""
    rng = random.Random(seed)
    found = []
    for _ in range(_DIFFERENT):
        talk = [{"role": role, "content": _sentence(rng)} for role in ("user", "assistant", "user")]
        body = json.dumps({"model": "conversation/retriever", "messages": talk}).encode()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        found.append(head.encode() + body)
    return found


class Client(asyncio.Protocol):
    """A connection that sends a request when the last one is answered and notes how long each answer took.

    Nothing is made or parsed that is not needed for this: the clients share the machine with the server.
    """

    def __init__(self, requests: list[bytes], found: list[float], *, until: float, count: int, pause: float) -> None:
        self._requests, self._found = cycle(requests), found
        self._until, self._left, self._pause = until, count, pause
        self._rng = random.Random(requests[0])
        self._received, self._needed = b"", 0
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the first time, at any moment of the pause."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        asyncio.get_running_loop().call_later(self._pause * self._rng.random(), self._ask)

    def _ask(self) -> None:
        if not self._left or time.monotonic() > self._until:
            self._transport.close()
            self.done.set_result(None)
            return
        self._left -= 1
        request = next(self._requests)
        self._began = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        """Gather an answer; when it is whole, ask again."""
        self._received += data
        if not self._needed:
            head, end, _ = self._received.partition(b"\r\n\r\n")
            if not end:
                return
            assert head.startswith(b"HTTP/1.1 200 "), head
            length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            self._needed = len(head) + len(end) + int(length)
        if len(self._received) < self._needed:
            return
        self._found.append(time.perf_counter() - self._began)
        self._received, self._needed = b"", 0
        if self._pause:
            asyncio.get_running_loop().call_later(self._pause * (0.5 + self._rng.random()), self._ask)
        else:
            self._ask()

    def connection_lost(self, exc: Exception | None) -> None:
        """End, with an error where the server hung up."""
        if not self.done.done():
            self.done.set_exception(exc or ConnectionError("the server hung up"))


def load(server: Served, clients: int, *, seconds: float = math.inf, count: int = 1 << 40, pause: float = 0.0) -> Load:
    """Return what so many clients see of a server, for so long or for `count` requests of each."""
    found: list[float] = []
    requests = [_requests(seed) for seed in range(clients)]
    taken: list[float] = []

    async def crowd() -> None:
        loop = asyncio.get_running_loop()
        until = time.monotonic() + seconds
        kinds = [partial(Client, one, found, until=until, count=count, pause=pause) for one in requests]
        used = time.process_time()
        made = [await loop.create_connection(kind, "127.0.0.1", server.port) for kind in kinds]
        await asyncio.gather(*(client.done for _, client in made))
        taken.append(time.process_time() - used)

    began, used = time.monotonic(), sum(map(_processor_seconds, server.processes))
    asyncio.run(crowd())
    used = sum(map(_processor_seconds, server.processes)) - used
    return Load(sorted(found), time.monotonic() - began, used, taken[0])


def _processor_seconds(process: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _megabytes(process: int) -> float:
    """Return the resident memory of a process."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def measured(args: argparse.Namespace) -> tuple[dict[str, Load], float, float]:
    """Return what clients saw, by how they ask and whom, and the server's megabytes after 1,000 and all requests."""
    rows: dict[str, Load] = {}
    with served(_serve, args.dialogues, 1) as server:
        load(server, 1, count=20)
        rows[ALONE] = load(server, 1, seconds=args.seconds / 2)
        rows[PAUSED] = load(server, CLIENTS, seconds=args.seconds, pause=PAUSE_SECONDS)
        rows[f"{CLIENTS} without a pause"] = load(server, CLIENTS, seconds=args.seconds)
        load(server, CLIENTS, count=math.ceil(1000 / CLIENTS))
        before = _megabytes(server.processes[0])
        load(server, CLIENTS, count=math.ceil((args.requests - 1000) / CLIENTS))
        after = _megabytes(server.processes[0])
    with served(_serve, args.dialogues, args.processes) as server:
        load(server, CLIENTS, count=5)
        name = f"{CLIENTS} without a pause, {args.processes} processes"
        rows[name] = load(server, CLIENTS, seconds=args.seconds)
    with served(_serve_nothing, None, 1) as server:
        load(server, 1, count=20)
        for clients in (1, CLIENTS):
            rows[f"{clients}, nothing to do"] = load(server, clients, seconds=args.seconds / 4)
    return rows, before, after


def section(args: argparse.Namespace, rows: dict[str, Load], before: float, after: float, busy: float) -> str:
    """Return the section of the page; `busy` is how many processes waited for the machine when it began."""
    head = [
        "clients",
        "requests",
        "per s",
        "p50 ms",
        "p95 ms",
        "p95 / alone",
        "server's processor ms a request",
        "clients'",
    ]
    alone = {name: row.quantile(0.5) for name, row in rows.items() if name.startswith("1")}
    single = alone[ALONE]
    lines = [
        [
            name,
            str(len(row.seconds)),
            f"{len(row.seconds) / row.took:.0f}",
            f"{1000 * row.quantile(0.5):.2f}",
            f"{1000 * row.quantile(0.95):.2f}",
            f"{row.quantile(0.95) / alone.get(name.replace(str(CLIENTS), '1', 1), single):.1f}",
            f"{1000 * row.cpu / len(row.seconds):.2f}",
            f"{1000 * row.own / len(row.seconds):.2f}",
        ]
        for name, row in rows.items()
    ]
    how = f"{args.seconds:.0f} s a row, the clients on the same {os.cpu_count()} cores"
    return f"""`python benchmarks/serving_load.py`: `retriever` of {args.dialogues:,} made dialogues, `duologue serve`,
{how}; {busy:.1f} other processes wanted them when it began.
The ratio is the p95 over the median of one client alone of the same server ({1000 * single:.1f} ms of the retriever);
the must is {MAX_TIMES:.0f}.{_share(busy)}

{table(head, lines)}
Memory after 1,000 requests {before:.1f} MB, after {args.requests:,} {after:.1f} MB.

{_HISTORY}

The must names clients and no pause. Clients that never pause cannot be held to it by one process, whatever it serves:
it answers one after the other, so that many see about as many times what one sees. The last two rows show it: before an
application that does nothing the median of {CLIENTS} clients is {_times_as_long(rows):.0f} times that of one.
A bound of {MAX_TIMES:.0f} there needs {math.ceil(CLIENTS / MAX_TIMES)} cores for `--processes`, or a model whose
batch costs as much as {MAX_TIMES:.0f} answers. Several processes gain where clients and others leave cores free.
"""


def _share(busy: float) -> str:
    """Return what a busy machine does to the figures; nothing where it has cores to spare."""
    cores = os.cpu_count() or 1
    if busy < cores:
        return ""
    return (
        f" The machine was busy, so\nserver and clients had a share of it only: waiting times and ratios, also those "
        f"before an application that does\nnothing, are {busy / cores:.0f} times those of a quiet one or more; "
        f"processor time is what can be compared."
    )


def _times_as_long(rows: dict[str, Load]) -> float:
    """Return how much longer the median of many clients is than that of one, where there is nothing to do."""
    return rows[f"{CLIENTS}, nothing to do"].quantile(0.5) / rows["1, nothing to do"].quantile(0.5)


def main() -> int:
    """Print the figures, or write them; return 1 when one is over its bound."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialogues", type=int, default=2000, help="made dialogues that the retriever learns from")
    parser.add_argument("--seconds", type=float, default=20, help="how long each row is measured")
    parser.add_argument("--requests", type=int, default=10_000, help="requests over which memory is watched")
    parser.add_argument("--write", action="store_true", help="put the table into ENDPOINTS.md")
    parser.add_argument("--processes", type=int, default=2, help="processes of the row of several")
    given = parser.parse_args()
    busy = os.getloadavg()[0]
    rows, before, after = measured(given)
    text = section(given, rows, before, after, busy)
    sys.stdout.write(text)
    if given.write:
        PAGE.write_text(with_section(PAGE.read_text(encoding="utf-8"), "load", text), encoding="utf-8")
    paused = rows[PAUSED].quantile(0.95) / rows[ALONE].quantile(0.5)
    return int(paused > MAX_TIMES or after - before > MAX_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
