"""Settings of rooms and talks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of this version."""
    with op.batch_alter_table("talk_rooms", schema=None) as batch_op:
        batch_op.add_column(sa.Column("settings", sa.JSON(), server_default="[]", nullable=False))

    with op.batch_alter_table("talks", schema=None) as batch_op:
        batch_op.add_column(sa.Column("settings", sa.JSON(), server_default="[]", nullable=False))


def downgrade() -> None:
    """Make the tables of the version before."""
    with op.batch_alter_table("talks", schema=None) as batch_op:
        batch_op.drop_column("settings")

    with op.batch_alter_table("talk_rooms", schema=None) as batch_op:
        batch_op.drop_column("settings")
