"""Types of columns that give what was written or say that it is damaged: SQLite keeps any value in any column.

Tables name these in place of SQLAlchemy's own; what the columns are called in the database stays the same.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, ClassVar, Final

import sqlalchemy
from msgspec import ValidationError
from sqlalchemy import Column, Table, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.types import TypeEngine

from duologue.core.typed import convert

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Dialect

_LAST_MOMENT: Final = 253_402_300_799_999
"""Milliseconds from 1970 to the end of the year 9999, where calendars end."""


class Read(TypeEngine[Any]):
    """What the types share: each value that is read is looked at. By itself, it holds whole numbers of any size."""

    called: ClassVar[str] = "a whole number"
    place = ""
    """Table and column, once there is a table."""

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:  # noqa: ARG002  # SQLAlchemy passes both
        """Return what looks at a value."""

        def looked_at(value: Any) -> Any:
            if value is None or self.fits(value):
                return value
            raise ValidationError(f"{self.place}: {self.trouble(value)}")

        return looked_at

    def trouble(self, value: Any) -> str:
        """Return why a value is none of the type; empty where it is one."""
        return "" if self.fits(value) else f"expected {self.called}, found {value!r:.60}"

    def adapt(self, cls: Any, **options: Any) -> Any:
        """Return the type as a kind of database has it."""
        made = super().adapt(cls, **options)
        if isinstance(made, Read):
            made.place = self.place
        return made

    @staticmethod
    def fits(value: Any) -> bool:
        """Whether a value is one of the type."""
        return type(value) is int


class StoredText(Read, sqlalchemy.Text):
    """A text."""

    called = "a text"

    @staticmethod
    def fits(value: Any) -> bool:
        """Whether it is a text, and no number or bytes."""
        return type(value) is str


class Integer(Read, sqlalchemy.Integer):
    """A whole number of 32 bits, or of more in SQLite, which has no smaller ones."""


class BigInteger(Read, sqlalchemy.BigInteger):
    """A whole number of 64 bits."""


class Moment(Read, sqlalchemy.BigInteger):
    """A time, in milliseconds since 1970."""

    called = "milliseconds since 1970, before the year 10000"

    @staticmethod
    def fits(value: Any) -> bool:
        """Whether a calendar has the time."""
        return type(value) is int and 0 <= value <= _LAST_MOMENT


class Float(Read, sqlalchemy.Float[float]):
    """A finite number."""

    called = "a finite number"

    @staticmethod
    def fits(value: Any) -> bool:
        """Whether it is a number, and not infinite."""
        return type(value) in (int, float) and math.isfinite(value)


class Share(Read, sqlalchemy.Float[float]):
    """A share of something."""

    called = "a share from 0 to 1"

    @staticmethod
    def fits(value: Any) -> bool:
        """Whether it is a number from nothing to all."""
        return type(value) in (int, float) and 0 <= value <= 1


class Json(Read, sqlalchemy.JSON):
    """A value of a type, as JSON; it is given as it was decoded, so that what is not its type's is not made up."""

    def __init__(self, shape: Any, *, none_as_null: bool = False) -> None:
        """Hold values of the type `shape`; `none_as_null`: `None` is kept as no value at all."""
        super().__init__(none_as_null=none_as_null)
        self.shape = shape

    def adapt(self, cls: Any, **options: Any) -> Any:
        """Return the type as a kind of database has it; SQLite's own would not look at what it reads."""
        return super().adapt(type(self) if issubclass(cls, sqlite.JSON) else cls, **options)

    def trouble(self, value: Any) -> str:
        """Return why a value is none of the type; empty where it is one."""
        try:
            convert(value, self.shape)
        except (ValidationError, RecursionError) as error:
            return str(error)
        return ""

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:
        """Return what decodes a value and looks at it."""
        decoded = sqlalchemy.JSON.result_processor(self, dialect, coltype)
        assert decoded is not None

        def looked_at(text: Any) -> Any:
            if text is None:
                return None
            try:
                value = text if isinstance(text, int | float) else decoded(text)  # SQLite makes numbers of such texts
                convert(value, self.shape)
                _expect_characters(text, value)
            except (ValueError, TypeError, RecursionError) as error:
                raise ValidationError(f"{self.place}: {error}") from error
            return value

        return looked_at

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any]:
        """Return what encodes a value. What could not be read again is refused by `UnicodeEncodeError`."""
        encoded = super().bind_processor(dialect)  # type: ignore[no-untyped-call]  # SQLAlchemy leaves it untyped
        assert encoded is not None

        def written(value: Any) -> Any:
            text = encoded(value)
            _expect_characters(text, value)
            return text

        return written


def _expect_characters(text: Any, value: Any) -> None:
    """Raise `UnicodeEncodeError` where decoded JSON holds half a character, which its text has in escapes."""
    if isinstance(text, str) and "\\ud" in text.lower():
        json.dumps(value, ensure_ascii=False).encode()


@event.listens_for(Column, "after_parent_attach")
def _tell_place(column: Column[Any], table: object) -> None:
    """Let the type of a column say where it is."""
    if isinstance(column.type, Read) and isinstance(table, Table):
        column.type.place = f"{table.name}.{column.name}"
