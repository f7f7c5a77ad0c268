"""Files are kept whole under their hash."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from duologue.arena.database.blobs import Blobs
from duologue.core.errors import StorageError

if TYPE_CHECKING:
    from pathlib import Path


def test_what_was_put_is_read_again_under_its_hash(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "files")
    names = [blobs.put(data) for data in (b"one", b"two", b"one")]
    assert names[0] == names[2] == hashlib.sha256(b"one").hexdigest()
    assert [blobs.read(name) for name in names] == [b"one", b"two", b"one"]
    assert sorted(set(names)) == list(blobs.names())
    assert (blobs.path(names[0]).stat().st_mode & 0o077) == 0
    blobs.delete(names[0])
    blobs.delete(names[0])
    assert list(blobs.names()) == [names[1]]


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "a" * 64, "A" * 64, "a" * 63 + "/"])
def test_what_was_not_put_is_not_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(StorageError, match="no kept file"):
        Blobs(tmp_path).read(name)


def test_a_file_whose_bytes_were_changed_is_not_taken_for_what_was_put(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    name = blobs.put(b"one")
    blobs.path(name).write_bytes(b"two")
    with pytest.raises(StorageError, match=r"is damaged: .* restore a backup"):
        blobs.read(name)


def test_pieces_with_another_hash_are_not_kept(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "files")
    name = hashlib.sha256(b"onetwo").hexdigest()
    with pytest.raises(StorageError, match="was changed while it was copied"):
        blobs.copy(name, [b"one", b"three"])
    assert list(blobs.names()) == []
    blobs.copy(name, [b"one", b"two"])
    blobs.copy(name, iter(()))
    assert blobs.read(name) == b"onetwo"
