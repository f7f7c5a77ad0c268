"""What the system `endpoint` adds to a call, and ways of ranking on one local model.

Without options: 200 calls at the same time to a scripted server of this machine in a process of its own; printed is the
processor time of our side for each, prompts, cache and accounts included. The bound is 3 ms.

With `--weights FILE.gguf`: a chat model behind the library's own OpenAI-compatible server on the loopback (extra `llm`)
ranks the candidates of generated bookings in four ways; printed are P@1, calls, what could not be read, and the order
bias. Nothing is downloaded.
"""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Literal

from duologue.core.plugins import load_task
from duologue.core.records import Sample, Turn
from duologue.systems.endpoint.endpoint import EndpointSystem
from duologue.systems.endpoint.recipe import EndpointRecipe
from endpoint_tasks import bookings
from local_engine import serving

LIMIT_MS = 3.0
STUB = Path(__file__).resolve().parents[1] / "tests" / "endpoint_stub.py"
WAYS: tuple[Literal["logprobs", "sampled", "listwise", "pairwise"], ...] = (
    *("logprobs", "sampled", "listwise", "pairwise"),
)


def overhead(calls: int) -> float:
    """Return the milliseconds of processor time of our side per call, of so many at the same time."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, STUB, str(port)])
    try:
        for _ in range(200):
            with socket.socket() as knock:
                if not knock.connect_ex(("127.0.0.1", port)):
                    break
            time.sleep(0.05)
        with tempfile.TemporaryDirectory() as cache:
            recipe = EndpointRecipe(url=f"http://127.0.0.1:{port}/v1", model="m", workers=calls, cache=cache)
            system = EndpointSystem(recipe)
            system.prepare(load_task("conversation").info, 1, {})
            system.answer(samples(1, "warm"))
            begun = time.process_time()
            answered = system.answer(samples(calls, "measured"))
            spent = time.process_time() - begun
            assert len(answered) == calls
            assert system.usage(system.accounts)["calls"] == calls + 1
    finally:
        server.kill()
        server.wait()
    return 1000 * spent / calls


def samples(count: int, name: str) -> list[Sample]:
    """Return different samples of a customer who asks."""
    texts = (f"my {name} order {number} has not arrived and nobody answers the phone" for number in range(count))
    return [
        Sample(id=str(number), dialogue_id=str(number), history=(Turn(speaker="user", text=text),))
        for number, text in enumerate(texts)
    ]


def compared(weights: Path, count: int, cache: str) -> None:
    """Print what each way of ranking comes to on the same model and samples."""
    with tempfile.TemporaryDirectory() as folder:
        examples = bookings(Path(folder))[0][:count]
    shown = sum(1 / len(one.sample.candidates) for one in examples) / len(examples)
    print(f"{weights.name}, {len(examples)} generated samples; chance: P@1 {100 * shown:.1f} %", flush=True)
    with serving(weights) as url:
        for way in WAYS:
            tokens = 64 if way == "listwise" else 4
            recipe = EndpointRecipe(
                url=url, model="local", ranking=way, reply_tokens=tokens, workers=1, timeout=900.0, cache=cache
            )
            system, begun = EndpointSystem(recipe), time.monotonic()
            system.prepare(load_task("restaurant").info, 1, {})
            answers = system.answer([one.sample for one in examples])
            right = [
                answer.ranking is not None and answer.ranking[0] == (one.references[0].ranking or ("",))[0]
                for one, answer in zip(examples, answers, strict=True)
            ]
            usage: dict[str, Any] = system.usage(system.accounts)
            print(f"{way}: P@1 {100 * sum(right) / len(right):.1f} %, {time.monotonic() - begun:.0f} s", flush=True)
            for line in system.usage_lines(usage, len(answers)):
                print(f"  {line}", flush=True)


def main() -> int:
    """Measure and print; return 1 where the bound does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--weights", type=Path, default=None)
    parser.add_argument("--n", type=int, default=40)
    parser.add_argument("--cache", default="", help="Where finished calls of the model are kept.")
    given = parser.parse_args()
    if given.weights is not None:
        compared(given.weights, given.n, given.cache)
    spent = overhead(given.calls)
    print(f"{given.calls} calls at the same time: {spent:.2f} ms of processor time per call (bound {LIMIT_MS:g} ms)")
    return int(spent > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
