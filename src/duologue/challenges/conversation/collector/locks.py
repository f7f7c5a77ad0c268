"""Lock per account, so that concurrent collectors do not read, and pay for, the same account.

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
    """Lock an account of a store folder; yields whether the lock was acquired."""
    with locks.held(folder / _FOLDER / account.lower()) as hold:
        yield hold.free
