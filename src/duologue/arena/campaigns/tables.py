"""Tables of campaigns."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, CheckConstraint, Column, ForeignKey, Index, Table, UniqueConstraint

from duologue.arena.campaigns.shown_content import ShownAnswer, ShownContext
from duologue.arena.database.column_types import Integer, Json, Moment, StoredText
from duologue.arena.database.tables import metadata
from duologue.arena.people.tables import BLIND, PERSONAL, person_column

_GIVEN = {"given": True}
"""`info` of a text that exports show as it is."""
_TEXT = {**PERSONAL, "text": True}
"""`info` of a text that people wrote: exports show it anonymised, and it is emptied when they are deleted."""


def _id() -> Column[str]:
    return Column("id", StoredText, primary_key=True)


def _one_of(name: str, *values: str) -> Column[str]:
    listed = ", ".join(f"'{value}'" for value in values)
    return Column(name, StoredText, CheckConstraint(f"{name} in ({listed})", name=name), nullable=False)


def _of(table: str, name: str) -> Column[str]:
    return Column(name, StoredText, ForeignKey(f"{table}.id"), nullable=False)


campaigns = Table(
    "campaigns",
    metadata,
    _id(),
    Column("title", StoredText, nullable=False, info=_GIVEN),
    Column("task", StoredText, nullable=False, info=_GIVEN),
    Column("protocol", Json(dict[str, Any]), nullable=False, info=_GIVEN),  # as it was at the start
    Column("rating_protocol", Json(dict[str, Any]), nullable=False, info=_GIVEN),
    Column("systems", Json(list[str]), nullable=False, info=_GIVEN),
    Column("settings", Json(dict[str, Any]), nullable=False),
    _one_of("status", "open", "closed"),
    Column("created_at", Moment, nullable=False),
    Column("closed_at", Moment),
)

campaign_items = Table(
    "campaign_items",
    metadata,
    _id(),
    _of("campaigns", "campaign_id"),
    _one_of("role", "main", "onboarding", "check", "norm"),
    Column("position", Integer, nullable=False),
    Column("item_key", StoredText, nullable=False, info=_GIVEN),  # what ratings files call the item
    Column("context", Json(ShownContext), nullable=False),
    Column("truth", Json(dict[str, Any] | None)),  # of onboarding items and checks
    Column("starters", Integer, nullable=False, default=0),  # raters who began it
    UniqueConstraint("campaign_id", "role", "item_key"),
)

campaign_answers = Table(
    "campaign_answers",
    metadata,
    _id(),
    _of("campaign_items", "item_id"),
    Column("system", StoredText, nullable=False, info=_GIVEN),
    Column("content", Json(ShownAnswer), nullable=False),  # turns, and facts that the system names
    Column("talk_id", StoredText),  # of the talk that it comes from
)

campaign_units = Table(
    "campaign_units",
    metadata,
    _id(),
    _of("campaigns", "campaign_id"),
    _of("campaign_items", "item_id"),
    Column("system_a", StoredText, nullable=False, info=_GIVEN),
    Column("system_b", StoredText, info=_GIVEN),  # of a pair
    Column("answer_a", StoredText, ForeignKey("campaign_answers.id")),  # none until somebody has talked
    Column("answer_b", StoredText, ForeignKey("campaign_answers.id")),
    Column("load", Integer, nullable=False, default=0),  # leased or rated by so many
    Index("campaign_units_by_campaign", "campaign_id", "load"),
    Index("campaign_units_by_item", "item_id"),
)

campaign_volunteers = Table(
    "campaign_volunteers",
    metadata,
    _of("campaigns", "campaign_id"),
    person_column(erase="keep"),
    Column("code", StoredText, nullable=False, info=_GIVEN),  # the name of the rater in all that is exported
    Column("joined_at", Moment, nullable=False),
    UniqueConstraint("campaign_id", "person_id"),
    UniqueConstraint("code", "campaign_id"),
)

campaign_assignments = Table(
    "campaign_assignments",
    metadata,
    _id(),
    _of("campaigns", "campaign_id"),
    _of("campaign_units", "unit_id"),
    _of("campaign_items", "item_id"),
    person_column(erase="keep"),
    _one_of("state", "leased", "rated", "expired", "skipped"),
    Column("swapped", Boolean, nullable=False, default=False, info=BLIND),  # a pair shown in the other order
    Column("talk_a", StoredText),
    Column("talk_b", StoredText),
    Column("leased_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("rated_at", Moment),
    UniqueConstraint("unit_id", "person_id"),
    Index("campaign_assignments_by_person", "campaign_id", "person_id"),
    Index("campaign_assignments_by_state", "campaign_id", "state", "expires_at"),
)

campaign_ballots = Table(
    "campaign_ballots",
    metadata,
    _of("campaign_assignments", "assignment_id"),
    person_column(erase="keep"),  # of the assignment: the remark goes with the person
    Column("version", Integer, nullable=False),  # from 1; the last one counts
    Column("points", Json(dict[str, int | str]), nullable=False, info=_GIVEN),  # by criterion, or the winner of a pair
    Column("reason", StoredText, nullable=False, default="", info=_GIVEN),
    Column("remark", StoredText, nullable=False, default="", info=_TEXT),
    Column("seconds", Integer),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("assignment_id", "version"),
)

norm_rounds = Table(
    "norm_rounds",
    metadata,
    _id(),
    _of("campaigns", "campaign_id"),
    Column("number", Integer, nullable=False),
    _one_of("state", "vote", "discuss", "revote", "closed"),
    Column("units", Json(list[str]), nullable=False, info=_GIVEN),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("campaign_id", "number"),
)

norm_votes = Table(
    "norm_votes",
    metadata,
    _of("norm_rounds", "round_id"),
    _of("campaign_units", "unit_id"),
    person_column(erase="keep"),
    _one_of("phase", "before", "after"),
    Column("points", Json(dict[str, int | str]), nullable=False, info=_GIVEN),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("round_id", "unit_id", "person_id", "phase"),
)

norm_remarks = Table(
    "norm_remarks",
    metadata,
    _id(),
    _of("norm_rounds", "round_id"),
    _of("campaign_units", "unit_id"),
    person_column(erase="keep"),
    Column("text", StoredText, nullable=False, info=_TEXT),
    Column("created_at", Moment, nullable=False),
)
