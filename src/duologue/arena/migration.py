"""Writes the next migration from what the rooms say of their tables: `python -m duologue.arena.migration WHAT`."""

from __future__ import annotations

import argparse
import sys
import tempfile

from alembic import command
from sqlalchemy import CheckConstraint, MetaData, create_engine

import duologue.arena.rooms  # noqa: F401 - every room says its tables
from duologue.arena.database.schema import FOLDER, steps
from duologue.arena.database.tables import metadata


def main(arguments: list[str], tables: MetaData = metadata) -> int:
    """Write a step that leads from the tables of the last one to `tables`; its name is the next number."""
    parser = argparse.ArgumentParser(prog="python -m duologue.arena.migration", description=__doc__)
    parser.add_argument("what", help="what changes, in a few words")
    what: str = parser.parse_args(arguments).what
    number = len(list(FOLDER.glob("versions/[0-9]*.py"))) + 1
    with tempfile.TemporaryDirectory() as folder:
        engine = create_engine(f"sqlite:///{folder}/site.db")
        with engine.begin() as connection:
            config = steps(connection)
            config.attributes["metadata"] = _with_checks_of_tables(tables)
            command.upgrade(config, "head")
            command.revision(config, what, autogenerate=True, rev_id=f"{number:04}")
        engine.dispose()
    return 0


def _with_checks_of_tables(tables: MetaData) -> MetaData:
    """Return tables whose columns have their checks as checks of the table: Alembic writes no others."""
    copy = MetaData(naming_convention=tables.naming_convention)
    for table in tables.sorted_tables:
        copied = table.to_metadata(copy)
        for column in copied.columns:
            for check in [one for one in column.constraints if isinstance(one, CheckConstraint)]:
                column.constraints.remove(check)
                copied.append_constraint(CheckConstraint(str(check.sqltext), name=check.name))
    return copy


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
