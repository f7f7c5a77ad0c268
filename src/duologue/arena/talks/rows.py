"""Rows of the database as records."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from duologue.core.records import Record
from duologue.core.typed import convert

if TYPE_CHECKING:
    from sqlalchemy import RowMapping

R = TypeVar("R", bound=Record)


def record_of(row: RowMapping, kind: type[R]) -> R:
    """Return a row as a record that has a field for each of its columns."""
    return convert({f"{column}": value for column, value in row.items()}, kind)
