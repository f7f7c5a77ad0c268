"""Campaigns: items, answers, ratings, norming rounds."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of this version."""
    op.create_table(
        "campaigns",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("protocol", sa.JSON(), nullable=False),
        sa.Column("rating_protocol", sa.JSON(), nullable=False),
        sa.Column("systems", sa.JSON(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("status in ('open', 'closed')", name=op.f("ck_campaigns_status")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaigns")),
    )
    op.create_table(
        "campaign_items",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("campaign_id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("item_key", sa.Text(), nullable=False),
        sa.Column("context", sa.JSON(), nullable=False),
        sa.Column("truth", sa.JSON(), nullable=True),
        sa.Column("starters", sa.Integer(), nullable=False),
        sa.CheckConstraint("role in ('main', 'onboarding', 'check', 'norm')", name=op.f("ck_campaign_items_role")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_campaign_items_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign_items")),
        sa.UniqueConstraint("campaign_id", "role", "item_key", name=op.f("uq_campaign_items_campaign_id")),
    )
    op.create_table(
        "campaign_volunteers",
        sa.Column("campaign_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("joined_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_campaign_volunteers_campaign_id_campaigns")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_campaign_volunteers_person_id_people")),
        sa.UniqueConstraint("campaign_id", "person_id", name=op.f("uq_campaign_volunteers_campaign_id")),
        sa.UniqueConstraint("code", "campaign_id", name=op.f("uq_campaign_volunteers_code")),
    )
    with op.batch_alter_table("campaign_volunteers", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_campaign_volunteers_person_id"), ["person_id"], unique=False)
    op.create_table(
        "norm_rounds",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("campaign_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("units", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("state in ('vote', 'discuss', 'revote', 'closed')", name=op.f("ck_norm_rounds_state")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name=op.f("fk_norm_rounds_campaign_id_campaigns")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_norm_rounds")),
        sa.UniqueConstraint("campaign_id", "number", name=op.f("uq_norm_rounds_campaign_id")),
    )
    op.create_table(
        "campaign_answers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("system", sa.Text(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("talk_id", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["item_id"], ["campaign_items.id"], name=op.f("fk_campaign_answers_item_id_campaign_items")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign_answers")),
    )
    op.create_table(
        "campaign_units",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("campaign_id", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("system_a", sa.Text(), nullable=False),
        sa.Column("system_b", sa.Text(), nullable=True),
        sa.Column("answer_a", sa.Text(), nullable=True),
        sa.Column("answer_b", sa.Text(), nullable=True),
        sa.Column("load", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["answer_a"], ["campaign_answers.id"], name=op.f("fk_campaign_units_answer_a_campaign_answers")
        ),
        sa.ForeignKeyConstraint(
            ["answer_b"], ["campaign_answers.id"], name=op.f("fk_campaign_units_answer_b_campaign_answers")
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_campaign_units_campaign_id_campaigns")
        ),
        sa.ForeignKeyConstraint(
            ["item_id"], ["campaign_items.id"], name=op.f("fk_campaign_units_item_id_campaign_items")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign_units")),
    )
    with op.batch_alter_table("campaign_units", schema=None) as batch_op:
        batch_op.create_index("campaign_units_by_campaign", ["campaign_id", "load"], unique=False)
        batch_op.create_index("campaign_units_by_item", ["item_id"], unique=False)
    op.create_table(
        "campaign_assignments",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("campaign_id", sa.Text(), nullable=False),
        sa.Column("unit_id", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("swapped", sa.Boolean(), nullable=False),
        sa.Column("talk_a", sa.Text(), nullable=True),
        sa.Column("talk_b", sa.Text(), nullable=True),
        sa.Column("leased_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("rated_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "state in ('leased', 'rated', 'expired', 'skipped')", name=op.f("ck_campaign_assignments_state")
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_campaign_assignments_campaign_id_campaigns")
        ),
        sa.ForeignKeyConstraint(
            ["item_id"], ["campaign_items.id"], name=op.f("fk_campaign_assignments_item_id_campaign_items")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_campaign_assignments_person_id_people")),
        sa.ForeignKeyConstraint(
            ["unit_id"], ["campaign_units.id"], name=op.f("fk_campaign_assignments_unit_id_campaign_units")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign_assignments")),
        sa.UniqueConstraint("unit_id", "person_id", name=op.f("uq_campaign_assignments_unit_id")),
    )
    with op.batch_alter_table("campaign_assignments", schema=None) as batch_op:
        batch_op.create_index("campaign_assignments_by_person", ["campaign_id", "person_id"], unique=False)
        batch_op.create_index("campaign_assignments_by_state", ["campaign_id", "state", "expires_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_campaign_assignments_person_id"), ["person_id"], unique=False)
    op.create_table(
        "norm_remarks",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("round_id", sa.Text(), nullable=False),
        sa.Column("unit_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_norm_remarks_person_id_people")),
        sa.ForeignKeyConstraint(["round_id"], ["norm_rounds.id"], name=op.f("fk_norm_remarks_round_id_norm_rounds")),
        sa.ForeignKeyConstraint(
            ["unit_id"], ["campaign_units.id"], name=op.f("fk_norm_remarks_unit_id_campaign_units")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_norm_remarks")),
    )
    with op.batch_alter_table("norm_remarks", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_norm_remarks_person_id"), ["person_id"], unique=False)
    op.create_table(
        "norm_votes",
        sa.Column("round_id", sa.Text(), nullable=False),
        sa.Column("unit_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("points", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("phase in ('before', 'after')", name=op.f("ck_norm_votes_phase")),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_norm_votes_person_id_people")),
        sa.ForeignKeyConstraint(["round_id"], ["norm_rounds.id"], name=op.f("fk_norm_votes_round_id_norm_rounds")),
        sa.ForeignKeyConstraint(["unit_id"], ["campaign_units.id"], name=op.f("fk_norm_votes_unit_id_campaign_units")),
        sa.UniqueConstraint("round_id", "unit_id", "person_id", "phase", name=op.f("uq_norm_votes_round_id")),
    )
    with op.batch_alter_table("norm_votes", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_norm_votes_person_id"), ["person_id"], unique=False)
    op.create_table(
        "campaign_ballots",
        sa.Column("assignment_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("points", sa.JSON(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("remark", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"],
            ["campaign_assignments.id"],
            name=op.f("fk_campaign_ballots_assignment_id_campaign_assignments"),
        ),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_campaign_ballots_person_id_people")),
        sa.UniqueConstraint("assignment_id", "version", name=op.f("uq_campaign_ballots_assignment_id")),
    )
    with op.batch_alter_table("campaign_ballots", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_campaign_ballots_person_id"), ["person_id"], unique=False)


def downgrade() -> None:
    """Make the tables of the version before."""
    with op.batch_alter_table("campaign_ballots", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_campaign_ballots_person_id"))
    op.drop_table("campaign_ballots")
    with op.batch_alter_table("norm_votes", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_norm_votes_person_id"))
    op.drop_table("norm_votes")
    with op.batch_alter_table("norm_remarks", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_norm_remarks_person_id"))
    op.drop_table("norm_remarks")
    with op.batch_alter_table("campaign_assignments", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_campaign_assignments_person_id"))
        batch_op.drop_index("campaign_assignments_by_state")
        batch_op.drop_index("campaign_assignments_by_person")
    op.drop_table("campaign_assignments")
    with op.batch_alter_table("campaign_units", schema=None) as batch_op:
        batch_op.drop_index("campaign_units_by_item")
        batch_op.drop_index("campaign_units_by_campaign")
    op.drop_table("campaign_units")
    op.drop_table("campaign_answers")
    op.drop_table("norm_rounds")
    with op.batch_alter_table("campaign_volunteers", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_campaign_volunteers_person_id"))
    op.drop_table("campaign_volunteers")
    op.drop_table("campaign_items")
    op.drop_table("campaigns")
