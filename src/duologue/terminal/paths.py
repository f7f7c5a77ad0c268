"""Path types of the command line, with the rules that no command writes over what it reads, or over a stranger's file.

Each path of a command is of a type: `PATH` is read, the `OUT_` types are written. Whatever is given is held against the
other paths of the command as soon as it is read from the command line, before any work. A file that is there is kept
unless it is of the kind that the command writes, or `--force` is given. A test walks all commands.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duologue.core import inputs
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

_META = "duologue.paths"
"""Key of the paths in click's context."""
_PAGE = re.compile(rb'<meta name="generator" content="Duologue')
_REPORT = re.compile(rb'\{\s*"task":\s*"[^"]*",\s*"variant":')
_JUNIT = re.compile(rb'<testsuites name="duologue')
_BOARD = re.compile(_REPORT.pattern + rb'|\{\s*"boards":\s*\[')
_START = 4096
"""Bytes inspected for the kind of a file."""


class _Given:
    """The paths of one command so far."""

    def __init__(self) -> None:
        self.read: list[Path] = []
        self.written: list[tuple[Path, Output, click.Parameter | None]] = []
        self.force = False


class _Named(click.Path):
    """A path, neither empty (an unset shell variable would mean `.`) nor `-`, which elsewhere means a stream."""

    stream = "give /dev/stdin, "

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; fails as click does for an invalid value."""
        if not str(value):
            self.fail("it is empty; name a file or folder", param, ctx)
        if str(value) == "-":
            self.fail(f"'-' stands for no stream here; {self.stream}or ./- for what has that name", param, ctx)
        return super().convert(value, param, ctx)


class Input(_Named):
    """A file or folder that is read, or a store that is continued."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; fails as click does for an invalid value."""
        path = super().convert(value, param, ctx)
        _reads(path, ctx)
        return path


class TaskOrInput(Input):
    """A word that is the name of a task or a path that is read; it stays as it was written."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the word; fails as click does for an invalid value."""
        super().convert(value, param, ctx)
        return str(value)


class Folder(Input):
    """A folder in which files are looked for: one that is not there would be taken for one that has none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; fails as click does for an invalid value."""
        path: Path = super().convert(value, param, ctx)
        if not path.is_dir():
            what = "a file" if path.exists() else "not there"
            self.fail(f"'{path}' is {what}; name a folder in which files are looked for", param, ctx)
        return path


class Output(_Named):
    """A file or folder that is written.

    A `file` is no folder, unless it may be written as a `folder` too; one that is `appended` to loses nothing but
    is no input either. Of a `kind`, the start of a file must be so for it to be replaced. `beside` is the suffix of
    what is written with it, and `never` says what is for names that end in .html where no page is written. Of what it
    wrote itself and goes on with, a command finds out by itself (`own`); any other file that is there is `kept`.
    """

    def __init__(
        self,
        *,
        file: bool = True,
        folder: bool = False,
        appended: bool = False,
        kind: re.Pattern[bytes] | None = None,
        called: str = "",
        beside: str = "",
        kind_beside: re.Pattern[bytes] | None = None,
        never: str = "",
        own: bool = False,
    ) -> None:
        super().__init__()
        self.own = own
        self.kept = file and kind is None and not appended and not own
        """Whether a file that is there is written over with `--force` alone."""
        self.stream = "give /dev/stdout, " if file else "name a folder, "
        self._file, self._folder, self._appended = file, folder, appended
        self._kind, self._called = kind, called
        self._beside, self._kind_beside, self._never = beside, kind_beside, never

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; fails as click does for an invalid value."""
        from duologue.core.disk import resolved

        if self._file and str(value) and Path(value).name in {"", ".."}:
            self.fail(f"'{value}' is a folder; name a file", param, ctx)
        path: Path = super().convert(value, param, ctx)
        if self._file and not self._folder and path.is_dir():
            self.fail(f"'{path}' is a folder; name a file, such as {path / 'NAME'}", param, ctx)
        if self._never and path.suffix.lower() in {".html", ".htm"}:
            self.fail(f"'{path}' has the name of a page; {self._never}", param, ctx)
        self._replaces(path, param, ctx)
        given = _given(ctx)
        for other, _, _ in given.written:
            if resolved(other) == resolved(path):
                self.fail(f"'{path}' is written by another option too; give each a name of its own", param, ctx)
        inputs.written(path)
        given.written.append((path, self, param))
        for source in given.read:
            self.spares(source, path, param, ctx)
        return path

    def _replaces(self, path: Path, param: click.Parameter | None, ctx: click.Context | None) -> None:
        """Refuse to replace a file of another kind."""
        if self._kind is not None and not _is_of(self._kind, path):
            self.fail(_TAKEN.format(path=path, called=self._called), param, ctx)
        if not self._beside:
            return
        other = path.with_suffix(self._beside)
        if other == path:
            self.fail(f"'{path}' has the name of what is written beside it; end it in .html", param, ctx)
        if self._kind_beside is not None and not _is_of(self._kind_beside, other):
            self.fail(_TAKEN.format(path=other, called=f"{self._beside} file of such a page"), param, ctx)

    def spares(self, source: Path, path: Path, param: click.Parameter | None, ctx: click.Context | None) -> None:
        """Refuse an output that is an input, or a file in an input folder."""
        from duologue.core.disk import resolved

        for mine in self._files_of(path):
            if _same(source, mine):
                what = "folder" if mine.is_dir() else "file"
                self.fail(f"'{mine}' is the {what} '{source}', which is read; give it a name of its own", param, ctx)
        if self._appended or self._kind is not None or not (source.is_dir() and path.is_file()):
            return
        if path.stat().st_size and resolved(path).is_relative_to(resolved(source)):
            self.fail(
                f"'{path}' is there already, in '{source}', which is read: it may be a part of that; choose another "
                f"name, or remove it first",
                param,
                ctx,
            )

    def _files_of(self, path: Path) -> Iterator[Path]:
        yield path
        if self._beside:
            yield path.with_suffix(self._beside)


_TAKEN = "'{path}' is there already and is no {called} of duologue; choose another name, or remove it first"


class _Assignment(click.types.StringParamType):
    """NAME=VALUE, where VALUE may name a file that is read."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002  # click's form
        """Return the text unchanged."""
        _, _, right = str(value).partition("=")
        path = Path(right.strip().strip("\"'"))
        try:
            known = bool(right) and path.is_file()
        except (OSError, ValueError):  # longer than a name may be, or with a zero byte
            known = False
        if known:
            _reads(path, ctx)
        return str(value)


PATH = Input()
"""A file or folder to be read."""
FOLDER = Folder()
"""A folder in which files are looked for."""
TASK_OR_PATH = TaskOrInput()
"""The name of a task, or a file or folder to be read."""
ASSIGNMENT = _Assignment()
"""A choice such as `meteor=meteor-1.5.jar`."""
OUT_FILE = Output()
"""A file to be written; one that is there stays, unless the command is given `--force`."""
OUT_OWN_FILE = Output(own=True)
"""A file to be written, which the command may have written before: it looks at what is there by itself."""
OUT_LOG = Output(appended=True)
"""A file to be written on."""
OUT_FOLDER = Output(file=False)
"""A folder to be written into; the command looks, before it begins, whether what is there is its own."""
OUT_FILE_OR_FOLDER = Output(folder=True, own=True)
"""A file to be written, or a folder: which of them is said by another option; the command looks at what is there."""
OUT_REPORT = Output(
    folder=True,
    kind=_REPORT,
    called="saved report",
    never="a report is JSON, such as FILE.report.json; `duologue board FILE.report.json --out PAGE.html` makes a page",
)
"""A report to be saved; of a whole submission a folder of them."""
OUT_PAGE = Output(kind=_PAGE, called="page")
"""An HTML page to be written."""
OUT_BOARD = Output(kind=_PAGE, called="page", beside=".json", kind_beside=_BOARD)
"""An HTML page to be written, with the same as JSON."""
OUT_CURVES = Output(kind=_PAGE, called="page", beside=".reports")
"""An HTML page to be written, with a folder of reports."""
OUT_JUNIT = Output(kind=_JUNIT, called="JUnit file")
"""The outcome of a check, to be written as JUnit XML."""


def keep_files(ctx: click.Context, *, force: bool) -> None:
    """Raise `UsageError` where a command whose paths are all read would write over a file that is there."""
    given = _given(ctx)
    given.force = force
    for path, kind, param in given.written:
        if kind.kept and param is not None:
            demand_absent(path, param.opts[0].upper() if isinstance(param, click.Argument) else param.opts[0])


def demand_absent(path: Path, option: str = "--out") -> None:
    """Raise `UsageError` where writing `path` would destroy a file or folder, unless the command has `--force`.

    What has no note cannot be told from somebody's work. Devices and empty files hold nothing.
    """
    from duologue.core.disk import is_stream

    if _given(click.get_current_context(silent=True)).force or is_stream(path):
        return
    if path.is_dir() or (path.is_file() and path.stat().st_size):
        raise UsageError(f"{path} is there already; choose another {option}, or write over it with --force")


def _given(ctx: click.Context | None) -> _Given:
    return _Given() if ctx is None else ctx.meta.setdefault(_META, _Given())


def _reads(path: Path, ctx: click.Context | None) -> None:
    """Register an input, and check it against the outputs so far."""
    inputs.read(path)
    given = _given(ctx)
    given.read.append(path)
    for out, kind, param in given.written:
        kind.spares(path, out, param, ctx)


def _same(source: Path, out: Path) -> bool:
    """Tell whether two paths are the same file or folder; terminals are exempt."""
    try:
        return (out.is_file() or out.is_dir()) and source.samefile(out)
    except OSError:  # not there, or not to be looked at: reading or writing will tell
        return False


def _is_of(kind: re.Pattern[bytes], path: Path) -> bool:
    """Tell whether a file may be replaced: it is of the kind, empty, or missing."""
    if not path.is_file():
        return True
    from duologue.core.decompression import pieces
    from duologue.core.disk import opened
    from duologue.core.errors import DuologueError

    try:
        with opened(path) as raw:
            start = next(pieces(raw, path), b"")[:_START]
    except DuologueError:  # packed, and damaged
        return False
    return not start or kind.search(start) is not None
