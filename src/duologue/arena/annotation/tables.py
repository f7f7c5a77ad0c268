"""Tables of annotation."""

from __future__ import annotations

from sqlalchemy import Boolean, CheckConstraint, Column, ForeignKey, Table, UniqueConstraint

from duologue.arena.annotation.items import AnnotationItem
from duologue.arena.database.column_types import BigInteger, Integer, Json, Moment, Share, StoredText
from duologue.arena.database.tables import metadata
from duologue.arena.people.tables import BLIND, person_column

_ITEMS = list[AnnotationItem] | None


def _id() -> Column[str]:
    return Column("id", StoredText, primary_key=True)


def _of(table: str, name: str, *, key: bool = False) -> Column[str]:
    return Column(name, StoredText, ForeignKey(f"{table}.id"), nullable=False, index=not key, primary_key=key)


annotation_projects = Table(
    "annotation_projects",
    metadata,
    _id(),
    Column("name", StoredText, nullable=False, unique=True),
    Column("task", StoredText, nullable=False),
    Column("overlap", Share, nullable=False),  # share of the dialogues that several people annotate
    Column("annotators", Integer, nullable=False),  # how many annotate each of those
    Column("unassisted", Share, nullable=False),  # share that somebody annotates without seeing suggestions
    Column("lease_ms", BigInteger, nullable=False),
    Column("seed", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
)

annotation_members = Table(
    "annotation_members",
    metadata,
    _of("annotation_projects", "project_id", key=True),
    Column("person_id", StoredText, ForeignKey("people.id"), primary_key=True, info={"erase": "row"}),
    Column("role", StoredText, CheckConstraint("role IN ('annotator', 'adjudicator')", name="role"), nullable=False),
)

annotation_dialogues = Table(
    "annotation_dialogues",
    metadata,
    _id(),
    _of("annotation_projects", "project_id"),
    Column("position", Integer, nullable=False),
    Column("name", StoredText, nullable=False),
    Column("content", StoredText, nullable=False),  # a dialogue as JSON text: the order of its source's keys is data
    Column("wanted", Integer, nullable=False),
    Column("control", Boolean, nullable=False),
    Column("suggested", Json(_ITEMS, none_as_null=True)),
    Column("suggested_by", StoredText),
    UniqueConstraint("project_id", "name"),
)

annotation_sheets = Table(
    "annotation_sheets",
    metadata,
    _id(),
    _of("annotation_dialogues", "dialogue_id"),
    person_column(erase="keep"),
    Column("role", StoredText, CheckConstraint("role IN ('annotator', 'adjudicator')", name="role"), nullable=False),
    Column("status", StoredText, CheckConstraint("status IN ('open', 'done')", name="status"), nullable=False),
    Column("assisted", Boolean, nullable=False),
    Column("suggested", Json(_ITEMS), nullable=False, info=BLIND),  # as they were when the dialogue was given out
    Column(
        "suggested_by", StoredText, info=BLIND
    ),  # none: there were no suggestions, so that the sheet says nothing of them
    Column("items", Json(_ITEMS), nullable=False),
    Column("version", Integer, nullable=False),
    Column("active_ms", BigInteger, nullable=False),
    Column("leased_until", Moment, nullable=False),
    Column("started_at", Moment, nullable=False),
    Column("saved_at", Moment, nullable=False),
    Column("done_at", Moment),
    UniqueConstraint("dialogue_id", "person_id"),
)
"""One person's annotation of one dialogue."""

annotation_versions = Table(
    "annotation_versions",
    metadata,
    _id(),
    _of("annotation_sheets", "sheet_id"),
    Column("number", Integer, nullable=False),
    Column("aside", Boolean, nullable=False),  # saved from a version that was not the last any more
    Column("items", Json(_ITEMS), nullable=False),
    Column("saved_at", Moment, nullable=False),
)
"""What was saved: all of late, ever fewer of what is older."""
