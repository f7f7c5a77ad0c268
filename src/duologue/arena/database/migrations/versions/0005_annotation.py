"""Annotation projects and what is annotated."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of this version."""
    op.create_table(
        "annotation_projects",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("overlap", sa.Float(), nullable=False),
        sa.Column("annotators", sa.Integer(), nullable=False),
        sa.Column("unassisted", sa.Float(), nullable=False),
        sa.Column("lease_ms", sa.BigInteger(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotation_projects")),
        sa.UniqueConstraint("name", name=op.f("uq_annotation_projects_name")),
    )
    op.create_table(
        "annotation_dialogues",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("control", sa.Boolean(), nullable=False),
        sa.Column("suggested", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("suggested_by", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["annotation_projects.id"],
            name=op.f("fk_annotation_dialogues_project_id_annotation_projects"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotation_dialogues")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_annotation_dialogues_project_id")),
    )
    with op.batch_alter_table("annotation_dialogues", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_annotation_dialogues_project_id"), ["project_id"], unique=False)
    op.create_table(
        "annotation_members",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.CheckConstraint("role IN ('annotator', 'adjudicator')", name=op.f("ck_annotation_members_role")),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_annotation_members_person_id_people")),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["annotation_projects.id"],
            name=op.f("fk_annotation_members_project_id_annotation_projects"),
        ),
        sa.PrimaryKeyConstraint("project_id", "person_id", name=op.f("pk_annotation_members")),
    )
    op.create_table(
        "annotation_sheets",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("dialogue_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("assisted", sa.Boolean(), nullable=False),
        sa.Column("suggested", sa.JSON(), nullable=False),
        sa.Column("suggested_by", sa.Text(), nullable=True),
        sa.Column("items", sa.JSON(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("active_ms", sa.BigInteger(), nullable=False),
        sa.Column("leased_until", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("saved_at", sa.BigInteger(), nullable=False),
        sa.Column("done_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("role IN ('annotator', 'adjudicator')", name=op.f("ck_annotation_sheets_role")),
        sa.CheckConstraint("status IN ('open', 'done')", name=op.f("ck_annotation_sheets_status")),
        sa.ForeignKeyConstraint(
            ["dialogue_id"],
            ["annotation_dialogues.id"],
            name=op.f("fk_annotation_sheets_dialogue_id_annotation_dialogues"),
        ),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_annotation_sheets_person_id_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotation_sheets")),
        sa.UniqueConstraint("dialogue_id", "person_id", name=op.f("uq_annotation_sheets_dialogue_id")),
    )
    with op.batch_alter_table("annotation_sheets", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_annotation_sheets_dialogue_id"), ["dialogue_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_annotation_sheets_person_id"), ["person_id"], unique=False)
    op.create_table(
        "annotation_versions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("sheet_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("aside", sa.Boolean(), nullable=False),
        sa.Column("items", sa.JSON(), nullable=False),
        sa.Column("saved_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["sheet_id"], ["annotation_sheets.id"], name=op.f("fk_annotation_versions_sheet_id_annotation_sheets")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotation_versions")),
    )
    with op.batch_alter_table("annotation_versions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_annotation_versions_sheet_id"), ["sheet_id"], unique=False)


def downgrade() -> None:
    """Make the tables of the version before."""
    with op.batch_alter_table("annotation_versions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_annotation_versions_sheet_id"))
    op.drop_table("annotation_versions")
    with op.batch_alter_table("annotation_sheets", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_annotation_sheets_person_id"))
        batch_op.drop_index(batch_op.f("ix_annotation_sheets_dialogue_id"))
    op.drop_table("annotation_sheets")
    op.drop_table("annotation_members")
    with op.batch_alter_table("annotation_dialogues", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_annotation_dialogues_project_id"))
    op.drop_table("annotation_dialogues")
    op.drop_table("annotation_projects")
