"""The installed command, and a small corpus made with it."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest

DUOLOGUE = Path(sys.executable).with_name("duologue")
"""The command as it was installed beside this Python."""


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


class Command:
    """The installed command, run in a process of its own."""

    def __call__(self, *words: object, said: str = "", **environment: str) -> Outcome:
        """Run it to its end with `said` on standard input."""
        done = subprocess.run(
            [DUOLOGUE, *map(str, words)],
            input=said,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=120,
            env={**os.environ, **environment},
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def start(self, *words: object) -> subprocess.Popen[str]:
        """Start it and return at once."""
        return subprocess.Popen(
            [DUOLOGUE, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            preexec_fn=_hear_ctrl_c,  # noqa: PLW1509  # nothing here runs threads
        )


class CommandHere(Command):
    """The same in this process: quicker, for tests of what a command does and not of how it starts and ends."""

    def __call__(self, *words: object, said: str = "", **environment: str) -> Outcome:
        """Run it to its end with `said` on standard input."""
        from duologue.cli.main import main

        out, err, code = io.StringIO(), io.StringIO(), 0
        with (
            mock.patch.object(sys, "argv", ["duologue", *map(str, words)]),
            mock.patch.object(sys, "stdin", io.StringIO(said)),
            mock.patch.dict(os.environ, environment),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                main()
            except SystemExit as leave:
                code = leave.code if isinstance(leave.code, int) else int(bool(leave.code))
        return Outcome(code, out.getvalue(), err.getvalue())


def _hear_ctrl_c() -> None:
    """Undo what a shell does to programs in its background: they inherit that Ctrl-C is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture(scope="session")
def duologue() -> Command:
    return Command()


@pytest.fixture(scope="session")
def here() -> CommandHere:
    """Return what runs commands in this process."""
    return CommandHere()


class Corpus(NamedTuple):
    """One generated test file with its truth and knowledge base."""

    folder: Path
    data: Path
    truth: Path
    kb: Path


@pytest.fixture(scope="session")
def corpus(duologue: Command, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("corpus")
    made = duologue("generate", "restaurant", "--seed", 1, "--part", "tst1", "--subtask", 5, "--n", 40, "--out", folder)
    assert made.code == 0, made.err
    data = next(folder.glob("tst1/*-tst40.json"))
    return Corpus(folder, data, data.with_name(data.name.replace(".json", ".answers.json")), folder / "extendedkb1.txt")


@pytest.fixture(scope="session")
def solved(duologue: Command, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the rule bot's result file for the corpus."""
    out = tmp_path_factory.mktemp("solved") / "solver.pred.json"
    ran = duologue("run", "restaurant", "--system", "solver", corpus.data, "--kb", corpus.kb, "--out", out)
    assert ran.code == 0, ran.err
    return out
