"""The command `duologue`, in this process or as it is installed."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """The same in this process: half a second sooner, for all tests but those of how it starts, shares and ends."""

    def __call__(self, *words: object, said: str = "", **environment: str) -> Outcome:
        """Run it to its end with `said` on standard input."""
        from duologue.cli.main import main

        given, out, err = (io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8") for text in (said, "", ""))
        code = 0
        path = [*filter(None, environment.get("PYTHONPATH", "").split(os.pathsep)), *sys.path]
        with (
            mock.patch.object(sys, "argv", ["duologue", *map(str, words)]),
            mock.patch.object(sys, "path", path),
            mock.patch.object(sys, "stdin", given),
            _environment(environment),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                main()
            except SystemExit as leave:
                code = leave.code if isinstance(leave.code, int) else int(bool(leave.code))
        return Outcome(code, _written(out), _written(err))


def demand_forced(duologue: Command, words: tuple[object, ...], out: Path) -> None:
    """Demand that a command, told all but its `--out`, writes over a file that is there with `--force` alone."""
    theirs = b"a night's work\n"
    out.write_bytes(theirs)
    kept = duologue(*words, "--out", out)
    assert kept.code == 2, kept.err
    assert f"{out} is there already; choose another --out, or write over it with --force" in kept.err
    assert out.read_bytes() == theirs
    done = duologue(*words, "--out", out, "--force")
    assert done.code == 0, done.err
    assert out.read_bytes() != theirs


@contextlib.contextmanager
def _environment(more: dict[str, str]) -> Iterator[None]:
    """Set variables, and leave all as they were; only what has changed is written, which is dear in this process."""
    before = dict(os.environ)
    os.environ.update(more)
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before.items() - os.environ.items())


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _hear_ctrl_c() -> None:
    """Undo what a shell does to programs in its background: they inherit that Ctrl-C is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
