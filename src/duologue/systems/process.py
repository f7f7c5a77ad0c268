"""An external bot as a subprocess: JSON lines on standard input and output."""

from __future__ import annotations

import os
import selectors
import shlex
import signal
import subprocess
import time
import weakref
from contextlib import suppress
from typing import TYPE_CHECKING

from duologue.core.bounds import PositiveSeconds
from duologue.core.errors import BotError, UsageError
from duologue.core.escapes import excerpt
from duologue.core.records import Record
from duologue.core.scope import Scope
from duologue.systems.bot import MAX_BYTES, NOT_DECLARED, answer_of, request_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import TaskInfo, World
    from duologue.core.records import Answer, Sample

_GRACE_SECONDS = 2.0
"""How long a bot may take to end once its input has."""
_KEPT = 4096
"""Bytes of standard error that are kept for a message: the last ones."""
_PIECE = 1 << 16
_ADVICE = "; standard output is for answers, one line each, all else belongs on standard error"

_TINY = (
    "import json, sys\n"
    "for line in sys.stdin:\n"
    "    asked = json.loads(line)\n"
    "    ids = sorted(one['id'] for one in asked['candidates'])\n"
    "    print(json.dumps({'id': asked['id'], 'ranking': ids}), flush=True)\n"
)


class ProcessRecipe(Record, frozen=True):
    """Which program, and how long it may take."""

    command: str
    """The program with its arguments, split as a shell would; no shell runs it. From `--set` alone."""
    timeout: PositiveSeconds = 60.0
    """Seconds for an answer; the first one may take ten times as long, for what a bot has to load."""
    seen: str = NOT_DECLARED
    """What data the bot learned from, as you declare it; said beside every score."""

    @classmethod
    def tiny(cls) -> ProcessRecipe:
        """Return a recipe with a small bot that ranks, for tests."""
        import sys

        return cls(command=shlex.join([sys.executable, "-c", _TINY]))


class ProcessBot:
    """Ask a program of your own, which reads and writes JSON lines (--set command=...)."""

    Recipe: type[Record] = ProcessRecipe
    scope = Scope()
    extras = ()
    by_hand = ("command",)
    patience = ("timeout",)
    chunk = 1
    """An answer is kept as soon as it is there."""

    def __init__(self, recipe: ProcessRecipe) -> None:
        self.recipe = recipe
        self.seen = recipe.seen
        try:
            self._words = shlex.split(recipe.command)
        except ValueError as error:
            raise UsageError(f"--set command={recipe.command}: {error}") from error
        if not self._words:
            raise UsageError("--set command=...: the command is empty; expected a program, such as 'python bot.py'")
        self._brief: TaskInfo | None = None
        self._seed = 0
        self._running: _Running | None = None

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # a bot has its own copy
        """Start the program. Raises `UsageError` where there is none of that name."""
        self._brief, self._seed = info, seed
        self._start()

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Ask one sample after the other. Raises `BotError` for a bot that ends, is too slow or answers nonsense."""
        assert self._brief is not None, "prepare comes first"
        return [self._ask(sample, self._brief) for sample in samples]

    def _start(self) -> _Running:
        if self._running is None:
            self._running = _Running(self._words)
        return self._running

    def _ask(self, sample: Sample, info: TaskInfo) -> Answer:
        running = self._start()
        seconds = self.recipe.timeout * (1 if running.answered else 10)
        try:
            body = running.ask(request_of(sample, info, self._seed), seconds)
            return answer_of(body, sample, info, f"the bot `{self._words[0]}`")
        except BaseException:  # what it says later would be taken for the answer to another sample
            running.end()
            self._running = None
            raise


class _Running:
    """A program that is running: one line in, one line out."""

    def __init__(self, words: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603  # the user's own command line names it, and no shell runs it
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for us; the bot and what it started are ended with us
            )
        except (OSError, ValueError) as error:  # the latter for a NUL, which TOML can spell
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise UsageError(f"cannot start the bot `{words[0]}`: {why}") from error
        self.answered = 0
        self._name = f"the bot `{words[0]}`"
        self._line, self._errors = bytearray(), bytearray()
        self._in, self._out, self._told = (
            pipe.fileno() for pipe in (self._process.stdin, self._process.stdout, self._process.stderr) if pipe
        )
        for pipe in (self._in, self._out, self._told):
            os.set_blocking(pipe, False)
        self.end = weakref.finalize(self, _end, self._process)

    def ask(self, request: bytes, seconds: float) -> bytes:
        """Return the line that answers a request. Raises `BotError`."""
        if self._line:
            raise BotError(f"{self._name} wrote what nobody asked for: {excerpt(bytes(self._line))}{_ADVICE}")
        until = time.monotonic() + seconds
        waiting = memoryview(request + b"\n")
        with selectors.DefaultSelector() as pipes:
            pipes.register(self._in, selectors.EVENT_WRITE)
            pipes.register(self._out, selectors.EVENT_READ)
            pipes.register(self._told, selectors.EVENT_READ)
            while (left := until - time.monotonic()) > 0:
                ready = {key.fd for key, _ in pipes.select(left)}
                if self._in in ready:
                    waiting = self._write(waiting)
                    if not waiting:
                        pipes.unregister(self._in)
                if self._told in ready and not self._read_errors():
                    pipes.unregister(self._told)
                line = self._read() if self._out in ready else None
                if line is not None:
                    self.answered += 1
                    return line
        raise BotError(f"{self._name} gave no answer in {seconds:g} s (--set timeout=...){self._last_words()}")

    def _write(self, waiting: memoryview) -> memoryview:
        try:
            return waiting[os.write(self._in, waiting[:_PIECE]) :]
        except BlockingIOError:
            return waiting
        except OSError:  # it has closed its input; what it says last tells more
            return waiting[:0]

    def _read_errors(self) -> bool:
        """Take up what the bot says on standard error; return whether there may be more."""
        try:
            piece = os.read(self._told, _PIECE)
        except BlockingIOError:
            return True
        self._errors += piece
        del self._errors[:-_KEPT]
        return bool(piece)

    def _read(self) -> bytes | None:
        """Return the next line of the bot, `None` while it is not whole. Raises `BotError` when it ends or is huge."""
        try:
            piece = os.read(self._out, _PIECE)
        except BlockingIOError:
            return None
        if not piece:
            raise self._ended()
        self._line += piece
        line, end, rest = self._line.partition(b"\n")
        if len(line) > MAX_BYTES:
            raise BotError(f"{self._name} wrote a line of more than {MAX_BYTES >> 20} MB: {excerpt(bytes(line))}")
        if not end:
            return None
        self._line = rest
        return bytes(line)

    def _ended(self) -> BotError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_SECONDS)
        code = self._process.returncode
        how = "closed its output" if code is None else f"ended ({_status(code)})"
        said = f"; it had written {excerpt(bytes(self._line))!r} without a line end" if self._line else ""
        return BotError(f"{self._name} {how} instead of answering{said}{self._last_words()}")

    def _last_words(self) -> str:
        """Return what the bot last said on standard error, for the end of a message."""
        while self._more_errors():
            pass
        lines = self._errors.decode("utf-8", "backslashreplace").split("\n")
        told = [repr(line)[1:-1] for line in lines if line.strip()]
        return "\nIt said last, on standard error:\n  " + "\n  ".join(told[-10:]) if told else ""

    def _more_errors(self) -> bool:
        with selectors.DefaultSelector() as pipes:
            pipes.register(self._told, selectors.EVENT_READ)
            return bool(pipes.select(0)) and self._read_errors()


def _status(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:  # a signal without a name, of those for real time
        return f"killed by signal {-code}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a bot: close its input, then ask it, then kill it and what it started."""
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    for number in (0, signal.SIGTERM, signal.SIGKILL):
        if number:
            with suppress(OSError):
                os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_SECONDS / 4 if not number else _GRACE_SECONDS)
            break
    with suppress(OSError):  # children that outlive it
        os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
