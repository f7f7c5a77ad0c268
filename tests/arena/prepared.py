"""A SQLite database with all tables, made once and copied: making them takes longer than most tests."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from duologue.arena.storage import open_database


@cache
def _made() -> Path:
    folder = Path(mkdtemp(prefix="duologue-tables-"))
    with open_database(folder, durable=False):
        pass
    return folder / "site"


def lay_tables(workspace: Path) -> None:
    """Put empty tables into a workspace that has none."""
    if not (workspace / "site" / "site.db").exists():
        shutil.copytree(_made(), workspace / "site", dirs_exist_ok=True)
