"""One collector per account: a second one leaves out what the first is reading, and pays for nothing twice.

The store is safe without this. The lock belongs to the process, so that a killed one leaves none behind.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from duologue.core import locks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FOLDER = ".locks"


@contextmanager
def held(folder: Path, account: str) -> Iterator[bool]:
    """Hold an account of a store folder; tells whether it could be held, or another process has it."""
    with locks.held(folder / _FOLDER / account.lower()) as hold:
        yield hold.free
