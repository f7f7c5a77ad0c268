"""Tables of people: roles, the links and tokens they come in by, sessions, and the log of what was done.

A column whose `info` names it personal is treated as such wherever data are deleted or given away: see
`personal_data`.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, CheckConstraint, Column, ForeignKey, Index, Table

from duologue.arena.database.column_types import Integer, Json, Moment, StoredText
from duologue.arena.database.tables import metadata

ROLES = ("admin", "organiser", "judge", "annotator", "participant", "volunteer")
"""What a person may be; an admin may do what all others may."""
OPEN_KINDS = ("campaign", "track")
"""What an open link leads into."""
LANGUAGES = ("", "en", "zh")
"""Languages that a person may have chosen; empty: what the browser asks for."""


def person_column(name: str = "person_id", *, erase: str = "row", nullable: bool = False) -> Column[str]:
    """Return a column that names a person.

    `erase` says what becomes of a row when the person's data are deleted: `row`: it is deleted too; `keep`: it stays,
    under a nameless person of its own, such as ratings, without which published results could not be proved. A column
    that refers to a row of another table goes with it when its `info` says `{"erase": "with"}`.
    """
    return Column(name, StoredText, ForeignKey("people.id"), nullable=nullable, index=True, info={"erase": erase})


PERSONAL = {"personal": True}
"""`info` of a column that says who somebody is: left out of exports, and emptied where a row is kept."""
TEXT = {"text": True}
"""`info` of a column with what a person wrote: anonymised in exports, and emptied where a row is kept."""
SECRET = {"secret": True}
"""`info` of a column that no export shows."""
BLIND = {"blind": True}
"""`info` of a column that whoever a row names must not see, such as the system that they talk with."""

people = Table(
    "people",
    metadata,
    Column("id", StoredText, primary_key=True),
    Column("name", StoredText, nullable=False, info=PERSONAL),
    Column("language", StoredText, CheckConstraint(f"language IN {LANGUAGES}", name="language"), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("closed_at", Moment),
)

person_roles = Table(
    "person_roles",
    metadata,
    Column("person_id", StoredText, ForeignKey("people.id"), primary_key=True, info={"erase": "row"}),
    Column("role", StoredText, CheckConstraint(f"role IN {ROLES}", name="role"), primary_key=True),
)

sign_in_links = Table(
    "sign_in_links",
    metadata,
    Column("id", StoredText, primary_key=True),
    person_column(),
    Column("hash", StoredText, nullable=False, info=SECRET),
    Column("once", Boolean, nullable=False),
    Column("target", StoredText, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("used_at", Moment),
    Column("revoked_at", Moment),
)

open_links = Table(
    "open_links",
    metadata,
    Column("id", StoredText, primary_key=True),
    Column("hash", StoredText, nullable=False, info=SECRET),
    Column("kind", StoredText, CheckConstraint(f"kind IN {OPEN_KINDS}", name="kind"), nullable=False),
    Column("subject", StoredText, nullable=False),
    Column("most", Integer, nullable=False),
    Column("used", Integer, nullable=False, default=0),
    person_column("made_by", erase="keep", nullable=True),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("revoked_at", Moment),
    Index("open_links_by_subject", "kind", "subject"),
)
"""Links by which many people come in, each with an identity of their own."""

access_tokens = Table(
    "access_tokens",
    metadata,
    Column("id", StoredText, primary_key=True),
    person_column(),
    Column("hash", StoredText, nullable=False, info=SECRET),
    Column("label", StoredText, nullable=False, info=TEXT),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("revoked_at", Moment),
)

sign_in_sessions = Table(
    "sign_in_sessions",
    metadata,
    Column("id", StoredText, primary_key=True),
    person_column(),
    Column("link_id", StoredText, ForeignKey("sign_in_links.id"), nullable=False, index=True, info={"erase": "with"}),
    Column("hash", StoredText, nullable=False, info=SECRET),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("ended_at", Moment),
)

audit_log = Table(
    "audit_log",
    metadata,
    Column("id", StoredText, primary_key=True),
    Column("at", Moment, nullable=False),
    person_column(erase="keep", nullable=True),
    Column("action", StoredText, nullable=False),
    Column("about", StoredText, nullable=False),
    Column("detail", Json(dict[str, Any]), nullable=False),
    Index("audit_log_at", "at"),
    info={"internal": True},
)
