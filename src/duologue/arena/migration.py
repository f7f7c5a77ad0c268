"""Writes the next migration from what the rooms say of their tables: `python -m duologue.arena.migration WHAT`."""

from __future__ import annotations

import sys
import tempfile

from alembic import command
from sqlalchemy import create_engine

import duologue.arena.rooms  # noqa: F401 - every room says its tables
from duologue.arena.database.schema import FOLDER, steps


def main(arguments: list[str]) -> int:
    """Write a step that leads from the tables of the last one to those of today; its name is the next number."""
    if len(arguments) != 1:
        sys.stderr.write('usage: python -m duologue.arena.migration "what changes"\n')
        return 2
    number = len(list(FOLDER.glob("versions/[0-9]*.py"))) + 1
    with tempfile.TemporaryDirectory() as folder:
        engine = create_engine(f"sqlite:///{folder}/site.db")
        with engine.begin() as connection:
            config = steps(connection)
            command.upgrade(config, "head")
            command.revision(config, arguments[0], autogenerate=True, rev_id=f"{number:04}")
        engine.dispose()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
