"""Tables of campaigns."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
)

from duologue.arena.database.tables import metadata


def _id() -> Column[str]:
    return Column("id", Text, primary_key=True)


def _one_of(name: str, *values: str) -> Column[str]:
    listed = ", ".join(f"'{value}'" for value in values)
    return Column(name, Text, CheckConstraint(f"{name} in ({listed})", name=name), nullable=False)


def _of(table: str, name: str) -> Column[str]:
    return Column(name, Text, ForeignKey(f"{table}.id"), nullable=False)


campaigns = Table(
    "campaigns",
    metadata,
    _id(),
    Column("title", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("protocol", JSON, nullable=False),  # as it was at the start
    Column("rating_protocol", JSON, nullable=False),
    Column("systems", JSON, nullable=False),
    Column("settings", JSON, nullable=False),
    _one_of("status", "open", "closed"),
    Column("created_at", BigInteger, nullable=False),
    Column("closed_at", BigInteger),
)

campaign_items = Table(
    "campaign_items",
    metadata,
    _id(),
    _of("campaigns", "campaign_id"),
    _one_of("role", "main", "onboarding", "check", "norm"),
    Column("position", Integer, nullable=False),
    Column("item_key", Text, nullable=False),  # what ratings files call the item
    Column("context", JSON, nullable=False),  # turns before what is rated, knowledge, goal
    Column("truth", JSON),  # of onboarding items and checks
    Column("starters", Integer, nullable=False, default=0),  # raters who began it
    UniqueConstraint("campaign_id", "role", "item_key"),
)

campaign_answers = Table(
    "campaign_answers",
    metadata,
    _id(),
    _of("campaign_items", "item_id"),
    Column("system", Text, nullable=False),
    Column("content", JSON, nullable=False),  # turns, and facts that the system names
    Column("talk_id", Text),  # of the talk that it comes from
)

campaign_units = Table(
    "campaign_units",
    metadata,
    _id(),
    _of("campaigns", "campaign_id"),
    _of("campaign_items", "item_id"),
    Column("system_a", Text, nullable=False),
    Column("system_b", Text),  # of a pair
    Column("answer_a", Text, ForeignKey("campaign_answers.id")),  # none until somebody has talked
    Column("answer_b", Text, ForeignKey("campaign_answers.id")),
    Column("load", Integer, nullable=False, default=0),  # leased or rated by so many
    Index("campaign_units_by_campaign", "campaign_id", "load"),
    Index("campaign_units_by_item", "item_id"),
)

campaign_volunteers = Table(
    "campaign_volunteers",
    metadata,
    _of("campaigns", "campaign_id"),
    Column("person_id", Text, nullable=False),
    Column("code", Text, nullable=False),  # the name of the rater in all that is exported
    Column("joined_at", BigInteger, nullable=False),
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
    Column("person_id", Text, nullable=False),
    _one_of("state", "leased", "rated", "expired", "skipped"),
    Column("swapped", Boolean, nullable=False, default=False),  # a pair shown in the other order
    Column("talk_a", Text),
    Column("talk_b", Text),
    Column("leased_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("rated_at", BigInteger),
    UniqueConstraint("unit_id", "person_id"),
    Index("campaign_assignments_by_person", "campaign_id", "person_id"),
    Index("campaign_assignments_by_state", "campaign_id", "state", "expires_at"),
)

campaign_ballots = Table(
    "campaign_ballots",
    metadata,
    _of("campaign_assignments", "assignment_id"),
    Column("version", Integer, nullable=False),  # from 1; the last one counts
    Column("points", JSON, nullable=False),  # by criterion, or the winner of a pair
    Column("reason", Text, nullable=False, default=""),
    Column("remark", Text, nullable=False, default=""),
    Column("seconds", Integer),
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("assignment_id", "version"),
)

norm_rounds = Table(
    "norm_rounds",
    metadata,
    _id(),
    _of("campaigns", "campaign_id"),
    Column("number", Integer, nullable=False),
    _one_of("state", "vote", "discuss", "revote", "closed"),
    Column("units", JSON, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("campaign_id", "number"),
)

norm_votes = Table(
    "norm_votes",
    metadata,
    _of("norm_rounds", "round_id"),
    _of("campaign_units", "unit_id"),
    Column("person_id", Text, nullable=False),
    _one_of("phase", "before", "after"),
    Column("points", JSON, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("round_id", "unit_id", "person_id", "phase"),
)

norm_remarks = Table(
    "norm_remarks",
    metadata,
    _id(),
    _of("norm_rounds", "round_id"),
    _of("campaign_units", "unit_id"),
    Column("person_id", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)
