"""Tracks, teams, entries, boards and finals."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of this version."""
    op.create_table(
        "tracks",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("definition", sa.JSON(), nullable=False),
        sa.Column("agreement_sha256", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_tracks")),
    )
    op.create_table(
        "phase_boards",
        sa.Column("track", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("board", sa.JSON(), nullable=False),
        sa.Column("page_sha256", sa.Text(), nullable=True),
        sa.Column("computed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["track"], ["tracks.name"], name=op.f("fk_phase_boards_track_tracks"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("track", "phase", name=op.f("pk_phase_boards")),
    )
    op.create_table(
        "phase_moves",
        sa.Column("track", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("moved_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["track"], ["tracks.name"], name=op.f("fk_phase_moves_track_tracks"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("track", "phase", name=op.f("pk_phase_moves")),
    )
    op.create_table(
        "teams",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("track", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("affiliation", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("agreement_sha256", sa.Text(), nullable=False),
        sa.Column("external", sa.JSON(), nullable=False),
        sa.Column("registered_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("state IN ('pending', 'approved', 'refused')", name=op.f("ck_teams_teams_state")),
        sa.ForeignKeyConstraint(["owner_id"], ["people.id"], name=op.f("fk_teams_owner_id_people")),
        sa.ForeignKeyConstraint(["track"], ["tracks.name"], name=op.f("fk_teams_track_tracks"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_teams")),
        sa.UniqueConstraint("track", "name", name="teams_name"),
    )
    with op.batch_alter_table("teams", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_teams_owner_id"), ["owner_id"], unique=False)
    op.create_table(
        "track_files",
        sa.Column("track", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.CheckConstraint("role IN ('gold', 'input', 'kb')", name=op.f("ck_track_files_track_files_role")),
        sa.ForeignKeyConstraint(
            ["track"], ["tracks.name"], name=op.f("fk_track_files_track_tracks"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("track", "phase", "role", "name", name=op.f("pk_track_files")),
    )
    op.create_table(
        "entries",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("track", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("problems", sa.JSON(), nullable=False),
        sa.Column("problem_count", sa.Integer(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("moved_from", sa.Text(), nullable=False),
        sa.Column("chosen", sa.Boolean(), nullable=False),
        sa.Column("value", sa.Float(), nullable=True),
        sa.Column("report_sha256", sa.Text(), nullable=True),
        sa.Column("summary", sa.JSON(), nullable=True),
        sa.Column("submitted_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "state <> 'scored' OR (value IS NOT NULL AND report_sha256 IS NOT NULL)",
            name=op.f("ck_entries_entries_scored"),
        ),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'scored', 'refused', 'failed', 'cancelled')",
            name=op.f("ck_entries_entries_state"),
        ),
        sa.ForeignKeyConstraint(["team"], ["teams.id"], name=op.f("fk_entries_team_teams"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["track"], ["tracks.name"], name=op.f("fk_entries_track_tracks"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entries")),
    )
    with op.batch_alter_table("entries", schema=None) as batch_op:
        batch_op.create_index("entries_by_phase", ["track", "phase", "state"], unique=False)
        batch_op.create_index("entries_by_team", ["team", "phase"], unique=False)
    op.create_table(
        "team_members",
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_team_members_person_id_people")),
        sa.ForeignKeyConstraint(["team"], ["teams.id"], name=op.f("fk_team_members_team_teams"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("team", "person_id", name=op.f("pk_team_members")),
    )
    op.create_table(
        "team_ratings",
        sa.Column("track", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("protocol", sa.Text(), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.Column("low", sa.Float(), nullable=True),
        sa.Column("high", sa.Float(), nullable=True),
        sa.Column("rank_best", sa.Integer(), nullable=False),
        sa.Column("rank_worst", sa.Integer(), nullable=False),
        sa.Column("rated_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("source IN ('human', 'judge')", name=op.f("ck_team_ratings_team_ratings_source")),
        sa.ForeignKeyConstraint(["team"], ["teams.id"], name=op.f("fk_team_ratings_team_teams"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["track"], ["tracks.name"], name=op.f("fk_team_ratings_track_tracks"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("track", "phase", "source", "team", name=op.f("pk_team_ratings")),
    )
    op.create_table(
        "finalists",
        sa.Column("track", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("selected", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["entries.id"], name=op.f("fk_finalists_entry_entries"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["team"], ["teams.id"], name=op.f("fk_finalists_team_teams"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["track"], ["tracks.name"], name=op.f("fk_finalists_track_tracks"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("track", "phase", "team", name=op.f("pk_finalists")),
    )


def downgrade() -> None:
    """Make the tables of the version before."""
    op.drop_table("finalists")
    op.drop_table("team_ratings")
    op.drop_table("team_members")
    with op.batch_alter_table("entries", schema=None) as batch_op:
        batch_op.drop_index("entries_by_team")
        batch_op.drop_index("entries_by_phase")
    op.drop_table("entries")
    op.drop_table("track_files")
    with op.batch_alter_table("teams", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_teams_owner_id"))
    op.drop_table("teams")
    op.drop_table("phase_moves")
    op.drop_table("phase_boards")
    op.drop_table("tracks")
