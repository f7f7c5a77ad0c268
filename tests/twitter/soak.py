"""Collectors that are killed again and again while the world goes on: what is left must be whole."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from tests.twitter.service import Service
from tests.twitter.world import World

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


class Soaked(NamedTuple):
    """What a soak test came to."""

    runs: int
    killed: int
    calls: int
    posts: int
    dialogues: int
    differences: list[str]
    """What the store has that it should not have, or lacks; none when all is well."""


def soak(
    folder: Path,
    chance: Random,
    *,
    accounts: int,
    runs: int,
    longest_seconds: float,
    growth: int,
    fault_rate: float = 0.02,
    two_at_once: float = 0.25,
) -> Soaked:
    """Collect `accounts` in `runs` runs, each killed (SIGKILL) after a random time up to `longest_seconds`.

    The world grows by `growth` threads before each run and goes on growing while it is read; calls fail at
    `fault_rate`; runs alternate between the interfaces, and some have two collectors at once. A last run is left alone.
    """
    world = World()
    names = [f"Care{number:03}" for number in range(accounts)]
    for name in names:
        world.open_account(name)
    listed = folder / "accounts.txt"
    listed.write_text("".join(f"{name}\n" for name in names))
    store = folder / "store"
    killed = 0
    with Service(world, rate=fault_rate, trickle_seconds=0.001, limits={}, window_seconds=2.0) as service:
        service.limits = dict.fromkeys(("/statuses/user_timeline", "/statuses/lookup"), 10**9)
        for run in range(runs):
            world.grow(chance, growth)
            started = [
                _start(service, listed, store, ("v1", "v2")[(run + more) % 2])
                for more in range(1 + (chance.random() < two_at_once))
            ]
            until = time.monotonic() + longest_seconds * chance.random()
            while time.monotonic() < until and any(one.poll() is None for one in started):
                world.grow(chance, 1)
                time.sleep(0.05)
            for one in started:
                if one.poll() is None:
                    one.send_signal(signal.SIGKILL)
                    killed += 1
                one.wait()
        for api in ("v1", "v2"):
            last = _start(service, listed, store, api, quiet=False)
            output = last.communicate()[0]
            if last.returncode != 0:
                return Soaked(runs, killed, len(service.calls), 0, 0, [f"the last run failed: {output[-2_000:]}"])
        calls = len(service.calls)
    return _compare(world, names, store, Soaked(runs, killed, calls, 0, 0, []))


def _start(service: Service, accounts: Path, store: Path, api: str, *, quiet: bool = True) -> subprocess.Popen[str]:
    code = "from duologue.cli.main import main; main()"
    options = ["--api", api, "--base-url", service.url, "--accounts", str(accounts), "--store", str(store)]
    pace = ["--margin", "0", "--back-off", "0.01", "--tries", "30"]
    command = [
        sys.executable,
        "-c",
        code,
        "data",
        "collect",
        "twitter",
        *options,
        *pace,
        *(["--quiet"] if quiet else []),
    ]
    output = subprocess.DEVNULL if quiet else subprocess.PIPE
    environment = {name: value for name, value in os.environ.items() if "TOKEN" not in name}
    return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, text=True, env=environment)


def _compare(world: World, names: list[str], store: Path, done: Soaked) -> Soaked:
    """Compare database and account files with what the world has."""
    differences = []
    dialogues = 0
    wanted: set[int] = set()
    for name in names:
        expected = world.dialogues(name)
        dialogues += len(expected)
        wanted.update(post["id"] for rows in expected.values() for post in rows)
        path = store / f"{name}.json"
        found = json.loads(path.read_text()) if path.is_file() else {}
        differences += [f"{name}: {key} is wrong or missing" for key in expected if found.get(key) != expected[key]]
        differences += [f"{name}: {key} is too much" for key in found if key not in expected]
    with sqlite3.connect(store / "posts.sqlite") as base:
        ids = [number for (number,) in base.execute("SELECT id FROM posts")]
        check = base.execute("PRAGMA integrity_check").fetchone()[0]
        left = base.execute("SELECT count(*) FROM scans").fetchone()[0]
    base.close()
    if check != "ok":
        differences.append(f"the database is damaged: {check}")
    if left:
        differences.append(f"{left} scans were never finished")
    if len(ids) != len(set(ids)):
        differences.append("posts stand twice in the database")
    differences += [f"post {number} is missing" for number in sorted(wanted - set(ids))]
    differences += [f"post {number} was never there" for number in sorted(set(ids) - world.posts.keys())]
    return done._replace(posts=len(ids), dialogues=dialogues, differences=differences)
