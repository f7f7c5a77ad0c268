"""The site under volunteers: latency, and what is lost or doubled when its process is killed. Writes `PEOPLE.md`.

    python benchmarks/people.py [--volunteers 50] [--kills 200] [--seconds 60] [--database URL] [--write]

A campaign over made replies is started by the command line; volunteers come in by their links, read each page and send
each form as a browser without JavaScript does. First they rate with a pause of about two seconds for a while, and
latency is measured; then without a pause while the site's process is killed (-9) at random instants and started again,
as soon as all of them are in. With `--database` all of it is done a second time, on a PostgreSQL database.
Every rating whose answer somebody saw must be in the database, and none more often than its form was filled in.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from duologue.arena.campaigns.tables import campaign_ballots
from duologue.arena.storage import open_database
from people_volunteers import Seen, volunteer

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).with_name("PEOPLE.md")
MAX_MILLISECONDS = 200.0
ITEMS, SYSTEMS = 240, 3
MAX_UPTIME = 2.0
"""Seconds within which a started site is killed."""
_DUOLOGUE = [str(Path(sys.executable).with_name("duologue"))]


class Site:
    """The process of a site on a port of its own."""

    def __init__(self, workspace: Path, database: str | None) -> None:
        self.workspace = workspace
        self.options = ["--workspace", str(workspace), *(["--database", database] if database else [])]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._said = workspace / "site.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with self._said.open("ab") as said:
            self._process = subprocess.Popen(
                [*_DUOLOGUE, "site", *self.options, "--port", str(self.port), "--rate", "0"], stdout=said, stderr=said
            )
        ends = time.monotonic() + 60
        while time.monotonic() < ends:
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise SystemExit("the site did not start")

    def expect_alive(self) -> None:
        """Raise `SystemExit` with what the site said last, where it has ended by itself."""
        if self._process is not None and self._process.poll() is not None:
            said = self._said.read_text("utf-8", errors="replace")
            raise SystemExit(f"the site ended by itself ({self._process.returncode}): {said[-2000:]}")

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        """End it."""
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait()


@contextmanager
def campaign(site: Site, volunteers: int) -> Iterator[list[str]]:
    """Start a campaign over made replies, and the site; yield a link for each volunteer."""
    rng = random.Random(1)
    words = [f"w{number}" for number in range(400)]

    def reply() -> str:
        return " ".join(rng.choice(words) for _ in range(12))

    gold = site.workspace / "evaluation.txt"
    gold.write_text("\n".join(f"U: {reply()}\nS: {reply()}\n" for _ in range(ITEMS)), encoding="utf-8")
    files = []
    for number in range(SYSTEMS):
        path = site.workspace / f"system{number}.txt"
        path.write_text("".join(f"{reply()}\n" for _ in range(ITEMS)), encoding="utf-8")
        files.append(f"system{number}={path}")
    done = subprocess.run(
        [
            *_DUOLOGUE, "campaign", "start", "conversation", "--systems", ",".join(files), "--gold", str(gold),
            "--n", str(ITEMS), "--per-item", str(volunteers), "--volunteers", str(volunteers), "--site", site.address,
            *site.options, "--json",
        ],
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(done.stderr)
    site.start()
    try:
        yield [one["link"] for one in json.loads(done.stdout)["links"]]
    finally:
        site.kill(signal.SIGTERM)


class Found(NamedTuple):
    """What volunteers saw, and what the database holds."""

    requests: int
    p50: float
    p95: float
    """Milliseconds."""
    acknowledged: int
    lost: int
    doubled: int
    refused: Counter[str]
    kills: int
    per_second: float


async def _crowd(site: Site, links: list[str], *, seconds: float, kills: int, pause: float) -> tuple[Seen, int, float]:
    """Let volunteers rate for so long, or until the site was killed so often."""
    rng = random.Random(7)
    seen = Seen([], [], [], [], [], [])
    began = time.monotonic()
    killed = 0

    def until() -> bool:
        return killed >= kills if kills else time.monotonic() - began > seconds

    tasks = [
        asyncio.create_task(volunteer(f"{site.port}-{number}", link, seen, until=until, pause=pause))
        for number, link in enumerate(links)
    ]
    while kills and len(seen.entered) < len(links):
        site.expect_alive()
        await asyncio.sleep(0.1)
    while killed < kills and not all(task.done() for task in tasks):
        await asyncio.sleep(MAX_UPTIME * rng.random())
        site.kill()
        killed += 1
        await asyncio.to_thread(site.start)
    while not all(task.done() for task in tasks):
        site.expect_alive()
        await asyncio.wait(tasks, timeout=0.5)
    await asyncio.gather(*tasks)
    return seen, killed, time.monotonic() - began


def measure(args: argparse.Namespace, database: str | None, *, kills: int, pause: float) -> Found:
    """Return what came of volunteers of one campaign."""
    with tempfile.TemporaryDirectory() as folder:
        site = Site(Path(folder), database)
        with campaign(site, args.volunteers) as links:
            seen, killed, took = asyncio.run(_crowd(site, links, seconds=args.seconds, kills=kills, pause=pause))
        with open_database(site.workspace, database) as opened, opened.reading() as connection:
            kept = Counter(connection.execute(select(campaign_ballots.c.assignment_id)).scalars())
    answered, sent = Counter(seen.acknowledged), Counter(seen.sent)
    seconds = sorted(seen.seconds)
    return Found(
        requests=len(seconds),
        p50=1000 * seconds[len(seconds) // 2],
        p95=1000 * seconds[math.ceil(0.95 * len(seconds)) - 1],
        acknowledged=len(seen.acknowledged),
        lost=sum((answered - kept).values()),
        doubled=sum(max(0, kept[one] - number) for one, number in sent.items()),
        refused=Counter(seen.refused),
        kills=killed,
        per_second=len(seconds) / took,
    )


def page(args: argparse.Namespace, rows: list[tuple[str, Found]]) -> str:
    """Return the page."""
    table = "\n".join(
        f"| {name} | {one.requests:,} | {one.per_second:.0f} | {one.p50:.0f} | {one.p95:.0f} | {one.acknowledged:,} | "
        f"{one.lost} | {one.doubled} |"
        for name, one in rows
    )
    options = f"--volunteers {args.volunteers} --kills {args.kills} --seconds {args.seconds:.0f}"
    return f"""# People: the site under volunteers

`python benchmarks/people.py {options}{" --database URL" if args.database else ""} --write`

{args.volunteers} volunteers of one campaign ({ITEMS} items, {SYSTEMS} systems, the human reference hidden among
them), server and volunteers on the same two cores. They come in by their links, within ten seconds where they pause,
and send each form as a browser without JavaScript does; a form that was not answered is sent again as it is. A rating
is *acknowledged* when its volunteer saw the answer; it is *lost* when the database does not hold it, *doubled* when it
holds it twice. Must: none of both, and a 95th percentile below {MAX_MILLISECONDS:.0f} ms for volunteers who read what
they rate. Where the site is killed, the milliseconds are those of the requests that were answered, without the waiting
for a site that is not there.

| volunteers | requests | per s | p50 ms | p95 ms | acknowledged | lost | doubled |
|---|---|---|---|---|---|---|---|
{table}

Coverage of the intervals and the power that `campaign plan` promises are in [RATINGS.md](RATINGS.md). Every page is
looked at by axe-core in both languages, at 375 and 1280 pixels, in the slow tests (`pytest -m slow tests/site`): no
violation is allowed.
"""


def main() -> int:
    """Measure; print the page or write it. Return 1 when a must does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--volunteers", type=int, default=50)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--database", help="an empty PostgreSQL database; without it SQLite")
    parser.add_argument("--write", action="store_true", help="write the page")
    args = parser.parse_args()
    rows: list[tuple[str, Found]] = []
    for kind, database in (("SQLite", None), *([("PostgreSQL", args.database)] if args.database else [])):
        paused = measure(args, database, kills=0, pause=2.0)
        rows.append((f"{kind}, paused about 2 s a form", paused))
        sys.stderr.write(f"{rows[-1]}\n")
        killed = measure(args, database, kills=args.kills, pause=0.0)
        rows.append((f"{kind}, no pause, killed {killed.kills} times", killed))
        sys.stderr.write(f"{rows[-1]}\n")
    text = page(args, rows)
    if args.write:
        PAGE.write_text(text, encoding="utf-8")
    sys.stdout.write(text)
    for name, one in rows:
        if one.refused:
            sys.stderr.write(f"{name}: refused: {dict(one.refused.most_common(10))}\n")
    bad = any(one.lost or one.doubled or one.refused for _, one in rows)
    return int(bad or any(one.p95 > MAX_MILLISECONDS for _, one in rows[::2]))


if __name__ == "__main__":
    sys.exit(main())
