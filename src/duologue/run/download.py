"""A file over HTTP whose content is known: gone on with where it broke off, and kept only when it is right."""

from __future__ import annotations

import hashlib
import re
import urllib.error
import urllib.request
from contextlib import suppress
from http.client import HTTPException
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.disk import GrowingFile, guarded, opened, refusal
from duologue.core.errors import DuologueError, StorageError
from duologue.core.inputs import demand_spared

if TYPE_CHECKING:
    from http.client import HTTPResponse
    from pathlib import Path

    from duologue.core.data_sets import DataFile

_PIECE = 1 << 16
_SECONDS = 60
"""Of silence, after which a server is given up."""
_NO_SUCH_RANGE = 416
_FROM = re.compile(r"bytes ([0-9]{1,18})-")


class _Found(NamedTuple):
    """What lies in the file of a download."""

    size: int
    sha256: str


def download(url: str, path: Path, file: DataFile) -> None:
    """Write what a server sends to `path`, if it is the file that is expected.

    What has come lies in `.NAME.HASH.part` beside it. After a broken connection it stays, and the next call asks for
    the rest; a server that sends the whole again is heard from the start. Raises `DuologueError` for a server that
    cannot be asked, breaks off, or sends something else; something else is not kept.
    """
    if not url.startswith(("https://", "http://")):
        raise DuologueError(f"cannot fetch {url}: only http and https are asked")
    demand_spared(path)
    part = path.with_name(f".{path.name}.{file.sha256[:16]}.part")
    with guarded("write", path):
        path.parent.mkdir(parents=True, exist_ok=True)
    begun = _found(part).size if part.is_file() else 0
    try:
        found = _receive(url, part, file, begun)
        if begun and found.sha256 != file.sha256:  # what was there may have been another version
            part.unlink()
            found = _receive(url, part, file, 0)
    except StorageError as error:  # the disk's fault, and not the server's
        raise refusal(error, f"{error}; {_left(part)}") from error
    except (urllib.error.URLError, HTTPException, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise DuologueError(f"cannot fetch {url}: {reason}; {_left(part)}") from error
    if found.sha256 != file.sha256:
        part.unlink(missing_ok=True)
        expected = f"{file.bytes:,} bytes" if file.bytes is not None else "another content"
        raise DuologueError(
            f"{url} sent {found.size:,} bytes with SHA-256 {found.sha256[:16]}..., expected {expected} with "
            f"{file.sha256[:16]}...; nothing of it was kept"
        )
    with guarded("write", path):
        part.replace(path)


def _receive(url: str, part: Path, file: DataFile, begun: int) -> _Found:
    """Add to `part` what a server sends from byte `begun` on, and return what it then holds."""
    request = urllib.request.Request(url)  # noqa: S310  # http and https alone: see `download`
    if begun:
        request.add_header("Range", f"bytes={begun}-")
    try:
        answer = urllib.request.urlopen(request, timeout=_SECONDS)  # noqa: S310  # the same
    except urllib.error.HTTPError as error:
        if error.code != _NO_SUCH_RANGE or not begun:
            raise
        return _found(part)  # all of it is there, or it is another file
    with answer:
        goes_on = begun > 0 and _starts_at(answer) == begun
        size = begun if goes_on else 0
        wanted = answer.length
        if not goes_on:
            part.unlink(missing_ok=True)
        with GrowingFile(part) as out:
            received = 0
            while piece := answer.read(_PIECE):
                received += len(piece)
                out.add(piece)
                if file.bytes is not None and size + received > file.bytes:
                    break  # it is another file, however much more there is
        if wanted is not None and received < wanted and (file.bytes is None or size + received <= file.bytes):
            raise ConnectionError(f"the connection broke off after {size + received:,} bytes")
    return _found(part)


def _starts_at(answer: HTTPResponse) -> int:
    """Return the byte at which an answer starts: that of a part, if the server understood what it was asked."""
    place = _FROM.match(answer.headers.get("Content-Range", "")) if answer.status == 206 else None
    return int(place[1]) if place else 0


def _found(part: Path) -> _Found:
    digest, size = hashlib.sha256(), 0
    with opened(part) as raw:
        while piece := raw.read(_PIECE):
            digest.update(piece)
            size += len(piece)
    return _Found(size, digest.hexdigest())


def _left(part: Path) -> str:
    """Say what is left of a download that failed; an empty file goes."""
    with suppress(OSError):
        if size := part.stat().st_size:
            return f"{size:,} bytes of it are kept; the same command goes on from there"
        part.unlink()
    return "nothing of it was kept"
