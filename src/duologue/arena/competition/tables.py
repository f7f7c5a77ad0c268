"""The tables of competitions."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, CheckConstraint, Column, ForeignKey, Index, Table, UniqueConstraint

from duologue.arena.competition.score_shapes import EntrySummary, KeptProblem, PhaseBoard
from duologue.arena.database.column_types import BigInteger, Float, Integer, Json, Moment, StoredText
from duologue.arena.database.tables import metadata
from duologue.arena.people.tables import PERSONAL, person_column

ENTRY_STATES = ("queued", "running", "scored", "refused", "failed", "cancelled")
"""An entry waits, is being scored, or has ended: with a score, refused by the check, failed, or taken back."""
TEAM_STATES = ("pending", "approved", "refused")

tracks = Table(
    "tracks",
    metadata,
    Column("name", StoredText, primary_key=True),
    Column("definition", Json(dict[str, Any]), nullable=False),
    Column("agreement_sha256", StoredText, nullable=False, default=""),
    Column("created_at", Moment, nullable=False),
    Column("changed_at", Moment, nullable=False),
)

track_files = Table(
    "track_files",
    metadata,
    Column("track", StoredText, ForeignKey("tracks.name", ondelete="CASCADE"), primary_key=True),
    Column("phase", StoredText, primary_key=True),
    Column("role", StoredText, primary_key=True),
    Column("name", StoredText, primary_key=True),
    Column("sha256", StoredText, nullable=False),
    CheckConstraint("role IN ('gold', 'input', 'kb')", name="track_files_role"),
)
"""Truth (`gold`), data to be answered (`input`) and knowledge bases (`kb`) of the phases."""

teams = Table(
    "teams",
    metadata,
    Column("id", StoredText, primary_key=True),
    Column("track", StoredText, ForeignKey("tracks.name", ondelete="CASCADE"), nullable=False),
    Column("name", StoredText, nullable=False),
    Column("affiliation", StoredText, nullable=False, default="", info=PERSONAL),
    person_column("owner_id", erase="keep", nullable=True),
    Column("state", StoredText, nullable=False),
    Column("agreement_sha256", StoredText, nullable=False, default=""),
    Column("external", Json(list[str]), nullable=False),
    Column("registered_at", Moment, nullable=False),
    UniqueConstraint("track", "name", name="teams_name"),
    CheckConstraint(f"state IN {TEAM_STATES}", name="teams_state"),
)

team_members = Table(
    "team_members",
    metadata,
    Column("team", StoredText, ForeignKey("teams.id", ondelete="CASCADE"), primary_key=True),
    Column("person_id", StoredText, ForeignKey("people.id"), primary_key=True, info={"erase": "row"}),
)

entries = Table(
    "entries",
    metadata,
    Column("id", StoredText, primary_key=True),
    Column("track", StoredText, ForeignKey("tracks.name", ondelete="CASCADE"), nullable=False),
    Column("team", StoredText, ForeignKey("teams.id", ondelete="CASCADE"), nullable=False),
    Column("phase", StoredText, nullable=False),
    Column("name", StoredText, nullable=False),
    Column("note", StoredText, nullable=False, default=""),
    Column("size", BigInteger, nullable=False),
    Column("sha256", StoredText, nullable=False),
    Column("state", StoredText, nullable=False),
    Column("reason", StoredText, nullable=False, default=""),
    Column("details", StoredText, nullable=False, default=""),
    Column("problems", Json(list[KeptProblem]), nullable=False),
    Column("problem_count", Integer, nullable=False, default=0),
    Column("day", StoredText, nullable=False),
    Column("moved_from", StoredText, nullable=False, default=""),
    Column("chosen", Boolean, nullable=False, default=False),
    Column("value", Float),
    Column("report_sha256", StoredText),
    Column("summary", Json(EntrySummary | None)),
    Column("submitted_at", Moment, nullable=False),
    Column("ended_at", Moment),
    CheckConstraint(f"state IN {ENTRY_STATES}", name="entries_state"),
    CheckConstraint("state <> 'scored' OR (value IS NOT NULL AND report_sha256 IS NOT NULL)", name="entries_scored"),
)
Index("entries_by_team", entries.c.team, entries.c.phase)
Index("entries_by_phase", entries.c.track, entries.c.phase, entries.c.state)

phase_moves = Table(
    "phase_moves",
    metadata,
    Column("track", StoredText, ForeignKey("tracks.name", ondelete="CASCADE"), primary_key=True),
    Column("phase", StoredText, primary_key=True),
    Column("moved_at", Moment, nullable=False),
)
"""Phases into which the entries of the phase before have been moved."""

finalists = Table(
    "finalists",
    metadata,
    Column("track", StoredText, ForeignKey("tracks.name", ondelete="CASCADE"), primary_key=True),
    Column("phase", StoredText, primary_key=True),
    Column("team", StoredText, ForeignKey("teams.id", ondelete="CASCADE"), primary_key=True),
    Column("entry", StoredText, ForeignKey("entries.id", ondelete="CASCADE"), nullable=False),
    Column("place", Integer, nullable=False),
    Column("selected", Boolean, nullable=False, default=False),
)
"""Teams in a phase of human evaluation, with the place that brought them there."""

team_ratings = Table(
    "team_ratings",
    metadata,
    Column("track", StoredText, ForeignKey("tracks.name", ondelete="CASCADE"), primary_key=True),
    Column("phase", StoredText, primary_key=True),
    Column("source", StoredText, primary_key=True),
    Column("team", StoredText, ForeignKey("teams.id", ondelete="CASCADE"), primary_key=True),
    Column("protocol", StoredText, nullable=False),
    Column("value", Float, nullable=False),
    Column("low", Float),
    Column("high", Float),
    Column("rank_best", Integer, nullable=False),
    Column("rank_worst", Integer, nullable=False),
    Column("rated_at", Moment, nullable=False),
    CheckConstraint("source IN ('human', 'judge')", name="team_ratings_source"),
)
"""What people or a judge said of the teams' systems, by the protocol's own rule."""

phase_boards = Table(
    "phase_boards",
    metadata,
    Column("track", StoredText, ForeignKey("tracks.name", ondelete="CASCADE"), primary_key=True),
    Column("phase", StoredText, primary_key=True),
    Column("board", Json(PhaseBoard), nullable=False),
    Column("page_sha256", StoredText),
    Column("computed_at", Moment, nullable=False),
)
"""The board of each phase as last computed."""
