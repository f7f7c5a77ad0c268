"""A disk that takes no more, without one: a limit for the files that this process writes, root's too."""

from __future__ import annotations

import errno
import resource
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from duologue.core import disk

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """Let no file grow beyond so many bytes while the block runs, and let that be said as of a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk, "_FULL", {errno.EFBIG})
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
