"""Open links."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of this version."""
    op.create_table(
        "open_links",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("most", sa.Integer(), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("kind IN ('campaign', 'track')", name=op.f("ck_open_links_kind")),
        sa.ForeignKeyConstraint(["made_by"], ["people.id"], name=op.f("fk_open_links_made_by_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_open_links")),
    )
    with op.batch_alter_table("open_links", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_open_links_made_by"), ["made_by"], unique=False)
        batch_op.create_index("open_links_by_subject", ["kind", "subject"], unique=False)


def downgrade() -> None:
    """Make the tables of the version before."""
    with op.batch_alter_table("open_links", schema=None) as batch_op:
        batch_op.drop_index("open_links_by_subject")
        batch_op.drop_index(batch_op.f("ix_open_links_made_by"))
    op.drop_table("open_links")
