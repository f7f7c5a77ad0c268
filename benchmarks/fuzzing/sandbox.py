"""Where inputs run: the command's own entry in this process, with nothing of the machine within reach but one folder.

Whatever would start a program, reach the network beyond this machine or write outside the folder is refused as a
system would refuse it, and noted.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import re
import resource
import shutil
import signal
import socket
import sys
import tempfile
import threading
import traceback
import urllib.request
import warnings
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fuzzing.material import PLUGINS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzzing.commands import Input

SECONDS = 10.0
"""Processor time that an input may take."""
MEGABYTES = 2000
"""Memory that an input may take at its peak, beside what the process had before."""
_ADDRESS_SPACE = 8 << 30
_CODES = frozenset({0, 1, 2, 130})
_LEFT_OVER = re.compile(r"\.(tmp|part|partial)\b|^\.?tmp")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


_VISITED = {"serve": ("/", "/v1/chat/completions"), "site": ("/", "/enter/x.y", "/api/v1/tracks")}
"""What is sent to servers, by the verb that starts one."""


class Finding(NamedTuple):
    """Something that must not be."""

    kind: str
    where: str
    """What tells it from others of its kind."""
    detail: str


class Outcome(NamedTuple):
    """What came of one input."""

    code: int
    seconds: float
    """Processor time, of this process and its children."""
    megabytes: float
    """Peak of the resident memory during the input, beyond what was there before."""
    findings: list[Finding]
    out: str
    err: str


class OutOfTimeError(BaseException):
    """The input took all the processor time that it may."""


_inside: list[str] = []
"""The folder that may be written, while an input runs."""
_touched: list[Finding] = []


def enter() -> None:
    """Limit this process for good: memory, programs, network, files outside the folder of an input."""
    for folder in PLUGINS:
        sys.path.insert(0, str(folder))
    for name in list(os.environ):
        if "TOKEN" in name or name.startswith(("DUOLOGUE_", "CLICOLOR", "FORCE_COLOR")):
            del os.environ[name]
    os.environ["DUOLOGUE_DEBUG"] = "1"  # a fault then comes out as it is, with its traceback
    os.environ["COLUMNS"] = "100"
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.setswitchinterval(0.005)
    sys.addaudithook(_audit)


_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGING = {
    "os.remove": 1, "os.rename": 2, "os.mkdir": 1, "os.rmdir": 1, "os.chmod": 1, "os.truncate": 1, "os.link": 2,
    "os.symlink": 2, "shutil.rmtree": 1, "os.chown": 1,
}  # fmt: skip
"""Event -> how many of its first arguments are paths that it changes."""
_STARTING = frozenset({"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile"})


def _audit(event: str, args: tuple[Any, ...]) -> None:  # noqa: C901  # one branch for each kind of event
    if not _inside:
        return
    if event == "open":
        path, mode, flags = args
        writes = bool(flags & _WRITING) if isinstance(flags, int) else any(letter in (mode or "") for letter in "wax+")
        if writes:
            _expect_inside(path, event)
        elif "/canary/" in os.fspath(path) if isinstance(path, str | os.PathLike) else False:
            _touched.append(Finding("opened", "the canary", f"{path} was opened: a file named it"))
    elif event in _CHANGING:
        for path in args[: _CHANGING[event]]:
            if event != "os.symlink" or path is not args[0]:
                _expect_inside(path, event)
    elif event in _STARTING:
        _touched.append(Finding("program", str(args[0])[:80], f"{event} {args[:2]!r}"[:500]))
        raise PermissionError(errno.EACCES, "no program is started here", str(args[0]))
    elif event == "socket.connect":
        address = args[1]
        if isinstance(address, tuple) and address[0] not in {"127.0.0.1", "::1", "localhost"}:
            _touched.append(Finding("network", str(address[0])[:80], f"{event} {address!r}"))
            raise ConnectionRefusedError(errno.ECONNREFUSED, "there is no network here")
    elif event == "socket.getaddrinfo" and args[0] not in {None, "", "127.0.0.1", "::1", "localhost", b"127.0.0.1"}:
        _touched.append(Finding("network", str(args[0])[:80], event))
        raise socket.gaierror(socket.EAI_NONAME, "there is no network here")


def _expect_inside(path: Any, event: str) -> None:
    if not isinstance(path, str | bytes | os.PathLike):
        return  # an open file, or a name within an open folder
    text = os.fsdecode(path)
    full = os.path.normpath(os.path.join(os.getcwd(), text))  # noqa: PTH109, PTH118  # pathlib would audit again
    if full.startswith((_inside[0], "/dev/null", "/dev/shm", "/proc/self/")) or "__pycache__" in full:  # noqa: S108  # compared, not written
        return
    if not text.startswith("/") and ".." not in text:
        return  # a name within a folder that is open
    _touched.append(Finding("outside", event, f"{event} {text!r}"[:500]))
    raise PermissionError(errno.EACCES, "outside of the folder of this input", text)


def run(given: Input, folder: Path, *, seconds: float = SECONDS) -> Outcome:
    """Run a command in a folder and say what came of it and what must not be; the folder stays as it is left."""
    from duologue.cli.main import main
    from duologue.core.plugins import culprit

    out, err = _stream(), _stream()
    stdin = io.TextIOWrapper(io.BytesIO(given.said), encoding="utf-8")
    saved = (sys.argv, sys.stdin, sys.stdout, sys.stderr, Path.cwd(), signal.getsignal(signal.SIGINT))
    findings: list[Finding] = []
    code: Any = 0
    warned: list[warnings.WarningMessage] = []
    before = _resident()
    used = _processor()
    _settle(folder.parent / "tmp")
    os.chdir(folder)
    sys.argv, sys.stdin, sys.stdout, sys.stderr = ["duologue", *given.words], stdin, out, err
    _touched.clear()
    _inside[:] = [str(folder.parent)]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    visitor = _visitor(given, out) if given.verb in _VISITED else None
    try:
        with warnings.catch_warnings(record=True) as noted, _limited(seconds):
            warnings.simplefilter("always")
            warned = noted
            try:
                main()
            except SystemExit as leave:
                code = leave.code
    except OutOfTimeError:
        findings.append(Finding("time", _innermost(sys.exc_info()[2]), traceback.format_exc()))
        code = -1
    except BaseException as error:  # noqa: BLE001  # whatever comes out here is what a user would see
        where = f"{type(error).__name__} at {_innermost(error.__traceback__)}"
        if culprit(error) is None:  # a plug-in's own fault is said as such
            findings.append(Finding("traceback", where, traceback.format_exc()[-6000:]))
        code = 1
    finally:
        _inside.clear()
        sys.argv, sys.stdin, sys.stdout, sys.stderr = saved[:4]
        os.chdir(saved[4])
        signal.signal(signal.SIGINT, saved[5])
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        if visitor is not None:
            visitor.join(5)
    spent, peak = _processor() - used, max(0.0, _peak() - before)
    said, complained = (_text(stream) for stream in (out, err))
    findings += [one for one in _touched if not _asked_for(one, given)]
    findings += _judged(given, code, said, complained, spent, peak, seconds)
    findings += _warnings(warned)
    findings += [one for one in _left(folder) if not _asked_for(one, given)]
    return Outcome(code if isinstance(code, int) else 1, spent, peak, findings, said, complained)


def _asked_for(finding: Finding, given: Input) -> bool:
    """Whether the command line itself names what was reached for."""
    if finding.kind == "opened":
        return any("canary" in word or word.startswith("..") for word in given.words)
    if finding.kind == "outside":
        return any(word.startswith(("/", "..")) or "=/" in word or "=.." in word for word in given.words)
    return finding.kind == "network" and (
        bool({"collect", "serve", "fetch", "site"} & {*given.words[:2]}) or "://" in " ".join(given.words)
    )


def _settle(scratch: Path) -> None:
    """Make a folder the home of what runs next, and the place of its temporary files."""
    scratch.mkdir(exist_ok=True)
    for name in ("TMPDIR", "HOME", "TORCHINDUCTOR_CACHE_DIR"):  # torch keeps the place of its cache in the last
        os.environ[name] = str(scratch)
    tempfile.tempdir = None


def _warnings(warned: list[warnings.WarningMessage]) -> list[Finding]:
    """Return the warnings of Python that a user would see."""
    hidden = (DeprecationWarning, ImportWarning, ResourceWarning)
    return [
        Finding("warning", f"{one.category.__name__}: {one.filename}:{one.lineno}", str(one.message))
        for one in warned
        if not issubclass(one.category, hidden)
    ]


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    with contextlib.suppress(ValueError):
        stream.flush()
    buffer = stream.buffer
    return buffer.getvalue().decode("utf-8", "replace") if isinstance(buffer, io.BytesIO) and not buffer.closed else ""


def _judged(given: Input, code: Any, out: str, err: str, spent: float, peak: float, limit: float) -> list[Finding]:
    """Return what is wrong with how a command ended."""
    found: list[Finding] = []
    if code not in _CODES and code != -1:
        found.append(Finding("code", f"{given.verb}: {code!r}", f"left with {code!r}"))
    for name, text in (("output", out), ("errors", err)):
        if "Traceback (most recent call last)" in text or "should not have happened" in text:
            found.append(Finding("traceback", f"printed among {name}", text[-3000:]))
        odd = _CONTROL.search(text)
        if odd:
            at = odd.start()
            line = text[max(0, at - 60) : at + 40]
            found.append(Finding("control", f"{given.verb}, {name}", f"{odd.group()!r} in {line!r}"))
    if code == 0 and _wants_json(given.words):
        try:
            json.loads(out)
        except ValueError:
            found.append(Finding("json", given.verb, f"--json printed {out[:300]!r}"))
    if spent > limit and code != -1:
        found.append(Finding("time", given.verb, f"{spent:.1f} s of processor time"))
    if peak > MEGABYTES:
        found.append(Finding("memory", given.verb, f"{peak:,.0f} MB"))
    return found


def _wants_json(words: list[str]) -> bool:
    """Whether a command line asks for JSON: with a flag that is not the value of another option."""
    asked = any(word == "--json" and (before == "--quiet" or not before.startswith("-"))
                for before, word in pairwise(words))  # fmt: skip
    return asked and "--help" not in words and "-h" not in words


def _left(folder: Path) -> list[Finding]:
    """Return what a command left behind that is none of its outputs."""
    found = [
        Finding("left", path.suffix or path.name, f"{path.relative_to(folder)} was left behind")
        for path in folder.rglob("*")
        if _LEFT_OVER.search(path.name)
    ]
    expected = {folder.name, "tmp", "canary", "input.json"}
    found += [
        Finding("outside", "beside the folder", f"{path.name} appeared beside the folder")
        for path in folder.parent.iterdir()
        if path.name not in expected
    ]
    return found


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Stop what takes too much processor time, where Python has a say in it; a watchdog ends the rest."""

    def stop(_: int, __: object) -> None:
        raise OutOfTimeError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _processor() -> float:
    mine, theirs = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return mine.ru_utime + mine.ru_stime + theirs.ru_utime + theirs.ru_stime


def _resident() -> float:
    """Forget the peak of the memory so far and return what is in use, MB."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _peak()


def _peak() -> float:
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = re.search(r"VmHWM:\s+(\d+)", status)
    return int(found.group(1)) / 1024 if found else 0.0


def _innermost(trace: Any) -> str:
    """Return the innermost place of ours in a traceback."""
    frames = traceback.extract_tb(trace)
    ours = [frame for frame in frames if "duologue" in frame.filename and "fuzzing" not in frame.filename]
    frame = ours[-1] if ours else (frames[-1] if frames else None)
    if frame is None:
        return "?"
    return f"{'/'.join(Path(frame.filename).parts[-3:])}:{frame.name}"


def _visitor(given: Input, out: io.TextIOWrapper) -> threading.Thread:
    """Send requests to the server that is being started, then stop it as Ctrl-C does."""

    def visit() -> None:
        import time

        for _ in range(400):
            time.sleep(0.01)
            found = re.search(r"http://127\.0\.0\.1:\d+", _text(out))
            if found or not _inside:
                break
        else:
            found = None
        if found:
            for path in ("/", "/v1/chat/completions"):
                with contextlib.suppress(Exception):
                    request = urllib.request.Request(found.group() + path, data=given.said)  # noqa: S310  # our own server
                    urllib.request.urlopen(request, timeout=5).read()  # noqa: S310  # an address on this machine
        if _inside:
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=visit, daemon=True)
    thread.start()
    return thread


def emptied(folder: Path) -> Path:
    """Return an empty folder for an input, with a canary beside it that nothing should open."""
    if folder.exists():
        for path in folder.rglob("*"):
            if path.is_symlink() or path.is_fifo():
                path.unlink()
        shutil.rmtree(folder)
    work = folder / "work"
    work.mkdir(parents=True)
    (folder / "canary").mkdir()
    (folder / "canary" / "secret.json").write_text('["secret"]', encoding="utf-8")
    return work
