"""What a small local chat model is worth as a judge, where the truth is known: `python benchmarks/judge.py --help`.

Real replies of a customer service stand beside the same replies given to other customers. A judge that reads what it
judges gives the first more points and chooses them in pairs. The model runs behind the library's own OpenAI-compatible
server on the loopback (extra `llm`); nothing is downloaded. Printed is a page, Markdown.

`--dialogues` are JSON lines of `turns` with `role` (customer, agent) and `text`; only the first customer turn and the
reply to it are taken. With `--calls FOLDER` all calls are recorded there: a second run asks nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import secrets
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from duologue.challenges.conversation.extraction.twitter.cleaner import Cleaner
from duologue.core.plugins import load_task
from duologue.core.records import Answer
from duologue.endpoints.secret import VARIABLE
from duologue.judges.pairs import PairsReport
from duologue.judges.recipe import JudgeRecipe
from duologue.judges.report_lines import report_lines
from duologue.judges.results import JudgedFiles
from duologue.judges.session import JudgeSession
from duologue.judges.trials import mean_of

if TYPE_CHECKING:
    from duologue.judges.session import Judged, Kind

REAL, OTHER = "real", "other"
KINDS: tuple[tuple[Kind, str], ...] = (("points", "points, five levels"), ("pairs", "pairs, both orders"))
INTRO = """# Small local models as judges

Made by `python benchmarks/judge.py`; each figure with its 95 % interval. {count} first messages of customers with the
service's real reply (`real`) and with the real reply to another customer (`other`): a judge that reads what it judges
prefers the first. The conversations stay outside this repository. No people rated these: the
judges are uncalibrated, and what is known is the truth by construction alone. The models are the smallest there are; a
judge for real work is measured by the same commands.
"""


def questions(path: Path, count: int) -> list[tuple[str, str]]:
    """Return so many first messages with their replies, in the order of the file."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        turns = json.loads(line)["turns"]
        if len(turns) > 1 and (turns[0]["role"], turns[1]["role"]) == ("customer", "agent"):
            pair = tuple(Cleaner().clean(one["text"]) for one in turns[:2])
            if all(pair) and len(found) < count:
                found.append((pair[0], pair[1]))
    return found


def files(found: list[tuple[str, str]], folder: Path) -> JudgedFiles:
    """Write the data and the results of both systems."""
    task, gold = load_task("conversation"), folder / "gold.txt"
    gold.write_text("\n\n".join(f"U: {asked}\nS: {reply}" for asked, reply in found) + "\n", encoding="utf-8")
    examples, results = list(task.load(gold)), []
    for name, shift in ((REAL, 0), (OTHER, 1)):
        replies = [found[(place + shift) % len(found)][1] for place in range(len(found))]
        path = folder / f"{name}.txt"
        answers = [(one.sample.id, Answer(text=reply)) for one, reply in zip(examples, replies, strict=True)]
        task.write(examples, answers, path)
        results.append(path)
    return JudgedFiles(tuple(results), golds=(gold,))


def serve(weights: Path, port: int) -> tuple[object, str]:
    """Return a server of the weights, to be held, and its address."""
    import xllamacpp

    os.environ[VARIABLE] = secrets.token_urlsafe()
    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights)
    settings.n_ctx, settings.n_parallel, settings.n_gpu_layers = 4096, 1, 0
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.port = port  # the address is part of what a recorded call is found by
    settings.warmup, settings.verbosity, settings.api_keys = False, -1, [os.environ[VARIABLE]]
    server = xllamacpp.Server(settings)
    return server, f"{server.listening_address}/v1"


def told(judged: Judged, session: JudgeSession, seconds: float) -> list[str]:
    """Return the lines of one session."""
    if isinstance(judged.report, PairsReport):
        wins = [{"a": 1.0, "tie": 0.5, "b": 0.0}[one.outcome] for one in judged.preferences]
        figure, what = mean_of(wins, 0.0, 1.0), "win share of `real` (chance: .5)"
    else:
        points = {(one.system, one.item): one.value for one in judged.ratings}
        rated = [item for system, item in points if system == REAL and (OTHER, item) in points]
        both = [points[REAL, item] - points[OTHER, item] for item in rated]
        figure, what = mean_of(both, -4.0, 4.0), "points of `real` above `other` on the same message (chance: 0)"
    ends = "" if figure.low is None else f" ({figure.low:.2f} to {figure.high:.2f})"
    lines = [f"**{what}: {figure.value:.2f}{ends}**, n {figure.n}" if figure.n else f"**{what}: nothing readable**"]
    lines += report_lines(judged.report, session, people=True)[1:]
    calls, tokens = judged.usage["calls"], judged.usage["prompt_tokens"]
    return [*lines, f"{calls} calls, {tokens:,} tokens in, {seconds:.0f} s in all"]


def main() -> int:
    """Judge and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, nargs="+", required=True)
    parser.add_argument("--dialogues", type=Path, required=True)
    parser.add_argument("--calls", type=Path, default=None, help="Folder for recordings.")
    parser.add_argument("--port", type=int, default=18_790, help="Of the first server; of the others the next ones.")
    parser.add_argument("--n", type=int, default=40)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = questions(given.dialogues, given.n)
        judged_files = files(found, Path(folder))
        held: list[object] = []
        print(INTRO.format(count=len(found)))
        for weights in given.weights:
            server, url = serve(weights, given.port + len(held))
            held.append(server)
            for kind, title in KINDS:
                record = "" if given.calls is None else str(given.calls / f"{weights.stem}.{kind}.jsonl")
                recipe = JudgeRecipe(
                    url=url,
                    model=weights.stem,
                    reply_tokens=24,
                    workers=1,
                    timeout=600.0,
                    cache="",
                    record=record,
                    injections=5,
                )
                session = JudgeSession(load_task("conversation"), judged_files, recipe, kind=kind)
                begun = time.monotonic()
                print(f"\n## {weights.stem}: {title}\n", flush=True)
                judged = session.run()
                for line in told(judged, session, time.monotonic() - begun):
                    print(f"* {line}", flush=True)
    sys.stdout.flush()
    os._exit(0)  # the library's server has no way to be stopped


if __name__ == "__main__":
    sys.exit(main())
