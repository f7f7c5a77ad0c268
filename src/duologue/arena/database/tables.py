"""The metadata that all tables of the site belong to, and the table of answered forms."""

from __future__ import annotations

import secrets
import time
from typing import Any, Final

from sqlalchemy import Column, MetaData, Table

from duologue.arena.database.column_types import Json, Moment, StoredText

metadata: Final = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""All tables. Each room of `duologue.arena` adds its own in a module `tables`."""

nonces: Final = Table(
    "nonces",
    metadata,
    Column("nonce", StoredText, primary_key=True),
    Column("result", Json(Any), nullable=False),
    Column("answered_at", Moment, nullable=False, index=True),
    info={"internal": True},
)
"""Forms that were answered, with what was answered: the same form sent again changes nothing."""


def milliseconds() -> int:
    """Return the time now, in milliseconds since 1970 (UTC)."""
    return time.time_ns() // 1_000_000


def new_id() -> str:
    """Return a new random id of 16 hexadecimal digits, which nobody can guess from others."""
    return secrets.token_hex(8)
