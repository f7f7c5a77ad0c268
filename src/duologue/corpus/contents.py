"""Content hash of a file or archive from samples of its bytes: cheap for any size, equal for equal bytes.

A sampled hash sees every change of the size, of the first and last block and of those evenly spaced between. gzip and
zip keep a checksum of their whole content where it is always seen (at the end of the file, in the directory), so that
of packed files every change is seen.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from duologue.core import disk

if TYPE_CHECKING:
    from pathlib import Path

BLOCKS = 64
"""Blocks of a large file that are looked at."""
BLOCK = 1 << 16
"""Bytes of such a block."""
FEW_BLOCKS, SMALL_BLOCK = 4, 1 << 12
"""The same for one file of many."""


def sampled(path: Path, *, blocks: int = BLOCKS, block: int = BLOCK) -> bytes:
    """Return the SHA-256 of a file's size and of so many blocks: the first, the last and evenly spaced ones.

    A file that is no larger than these is read whole. Raises `StorageError` when it cannot be read.
    """
    with disk.guarded("read", path):
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
        try:
            size = os.fstat(handle).st_size
            digest = hashlib.sha256(size.to_bytes(8, "little"))
            if size <= blocks * block:
                while piece := os.read(handle, block):
                    digest.update(piece)
                return digest.digest()
            for number in range(blocks):
                os.lseek(handle, (size - block) * number // (blocks - 1), os.SEEK_SET)
                digest.update(os.read(handle, block))
        finally:
            os.close(handle)
    return digest.digest()
