"""A download goes on where it broke off, starts anew where it must, and keeps nothing that is wrong."""

from __future__ import annotations

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from tests.full_disk import files_up_to

from duologue.core.data_sets import DataFile
from duologue.core.errors import DuologueError, NoSpaceError
from duologue.run.download import download

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONTENT = bytes(range(256)) * 1024
FILE = DataFile(name="a.bin", bytes=len(CONTENT), sha256=hashlib.sha256(CONTENT).hexdigest())


class Shop:
    """A server of one file: what it sends, where it breaks off, whether it knows ranges, and what it was asked."""

    def __init__(self) -> None:
        self.content = CONTENT
        self.breaks_after: int | None = None
        self.ranges = True
        self.asked: list[str] = []
        shop = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the library's signature
                pass

            def do_GET(self) -> None:
                asked = self.headers.get("Range", "")
                shop.asked.append(asked)
                start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and shop.ranges else 0
                if start >= len(shop.content):
                    self.send_error(416)
                    return
                rest = shop.content[start:]
                self.send_response(206 if start else 200)
                self.send_header("Content-Length", str(len(rest)))
                if start:
                    self.send_header("Content-Range", f"bytes {start}-{len(shop.content) - 1}/{len(shop.content)}")
                self.end_headers()
                self.wfile.write(rest[: shop.breaks_after])

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/a.bin"


@pytest.fixture
def shop() -> Iterator[Shop]:
    one = Shop()
    threading.Thread(target=one.server.serve_forever, daemon=True).start()
    yield one
    one.server.shutdown()
    one.server.server_close()


def part_of(path: Path) -> Path:
    return path.with_name(f".a.bin.{FILE.sha256[:16]}.part")


def broken_off(shop: Shop, path: Path, size: int) -> None:
    shop.breaks_after = size
    left = f"{size:,} bytes of it are kept" if size else "nothing of it was kept"
    with pytest.raises(DuologueError, match=f"broke off after {size:,} bytes; {left}"):
        download(shop.url, path, FILE)
    assert not path.exists()
    assert part_of(path).exists() == bool(size)
    assert not size or part_of(path).read_bytes() == CONTENT[:size]
    shop.breaks_after = None


def test_what_broke_off_is_gone_on_with(shop: Shop, tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    broken_off(shop, path, 100_000)
    shop.breaks_after = 50_000
    with pytest.raises(DuologueError, match="broke off after 150,000 bytes"):
        download(shop.url, path, FILE)
    shop.breaks_after = None
    download(shop.url, path, FILE)
    assert path.read_bytes() == CONTENT
    assert shop.asked == ["", "bytes=100000-", "bytes=150000-"]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("kept", "asked"), [(0, ""), (1, "bytes=1-"), (len(CONTENT) - 1, f"bytes={len(CONTENT) - 1}-")]
)
def test_a_single_byte_is_not_asked_for_again_and_nothing_is_no_beginning(
    shop: Shop, tmp_path: Path, kept: int, asked: str
) -> None:
    path = tmp_path / "a.bin"
    broken_off(shop, path, kept)
    download(shop.url, path, FILE)
    assert path.read_bytes() == CONTENT
    assert shop.asked == ["", asked]


def test_a_server_without_ranges_is_heard_from_the_start(shop: Shop, tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    broken_off(shop, path, 100_000)
    shop.ranges = False
    download(shop.url, path, FILE)
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("left", [b"another version", CONTENT + b"and more"])
def test_the_rest_of_another_version_is_thrown_away(shop: Shop, tmp_path: Path, left: bytes) -> None:
    path = tmp_path / "a.bin"
    part_of(path).write_bytes(left)
    download(shop.url, path, FILE)
    assert path.read_bytes() == CONTENT
    assert shop.asked[-1] == ""


def test_all_that_is_missing_is_the_name(shop: Shop, tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    part_of(path).write_bytes(CONTENT)
    download(shop.url, path, FILE)
    assert path.read_bytes() == CONTENT
    assert shop.asked == [f"bytes={len(CONTENT)}-"]


def test_something_else_is_never_kept(shop: Shop, tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    broken_off(shop, path, 100_000)
    shop.content = b"x" * len(CONTENT)
    with pytest.raises(DuologueError, match="nothing of it was kept"):
        download(shop.url, path, FILE)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_not_the_servers_fault_and_what_fits_is_kept(shop: Shop, tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    with (
        files_up_to(100_000),
        pytest.raises(NoSpaceError, match=r"cannot write .*\.part: .*bytes of it are kept") as told,
    ):
        download(shop.url, path, FILE)
    assert shop.url not in str(told.value)
    download(shop.url, path, FILE)
    assert path.read_bytes() == CONTENT
    assert shop.asked[0] == ""
    assert shop.asked[1].startswith("bytes=")


def test_something_else_is_told_with_sizes_and_hashes(shop: Shop, tmp_path: Path) -> None:
    shop.content = b"x" * 2_000
    here = hashlib.sha256(shop.content).hexdigest()[:16]
    unknown = DataFile(name="a.bin", sha256=FILE.sha256)
    for file, expected in ((FILE, f"{len(CONTENT):,} bytes"), (unknown, "another content")):
        with pytest.raises(DuologueError) as caught:
            download(shop.url, tmp_path / "a.bin", file)
        assert str(caught.value) == (
            f"{shop.url} sent 2,000 bytes with SHA-256 {here}..., expected {expected} with {FILE.sha256[:16]}...; "
            "nothing of it was kept"
        )


def test_no_more_is_taken_than_shows_that_it_is_something_else(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duologue.run.download._PIECE", 1_000)
    short = DataFile(name="a.bin", bytes=2_500, sha256=FILE.sha256)
    with pytest.raises(
        DuologueError, match=f"sent 3,000 bytes with SHA-256 {hashlib.sha256(CONTENT[:3_000]).hexdigest()[:16]}"
    ):
        download(shop.url, tmp_path / "a.bin", short)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_which_the_size_is_not_known_is_taken_whole(shop: Shop, tmp_path: Path) -> None:
    unknown = DataFile(name="a.bin", sha256=FILE.sha256)
    shop.breaks_after = 1_000
    with pytest.raises(DuologueError, match="broke off after 1,000 bytes"):
        download(shop.url, tmp_path / "a.bin", unknown)
    shop.breaks_after = None
    download(shop.url, tmp_path / "a.bin", unknown)
    assert (tmp_path / "a.bin").read_bytes() == CONTENT


def test_a_server_that_is_silent_for_a_minute_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    def urlopen(_request: object, *, timeout: float) -> None:
        waited.append(timeout)
        raise TimeoutError("timed out")

    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    with pytest.raises(DuologueError, match="timed out; nothing of it was kept"):
        download("https://example.org/a.bin", tmp_path / "a.bin", FILE)
    assert waited == [60]
