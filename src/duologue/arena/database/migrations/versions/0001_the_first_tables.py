"""The first tables."""

from __future__ import annotations

from alembic import op

from duologue.arena.database.tables import metadata

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of this version."""
    metadata.create_all(op.get_bind())


def downgrade() -> None:
    """Make the tables of the version before."""
    metadata.drop_all(op.get_bind())
