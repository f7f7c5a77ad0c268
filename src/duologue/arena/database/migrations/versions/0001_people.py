"""People, their links and sessions, forms that are done, jobs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of this version."""
    op.create_table(
        "jobs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("lease_expires_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'done', 'failed', 'cancelled')", name=op.f("ck_jobs_jobs_state")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
    )
    with op.batch_alter_table("jobs", schema=None) as batch_op:
        batch_op.create_index("jobs_by_state", ["state", "created_at"], unique=False)
        batch_op.create_index("jobs_by_subject", ["subject"], unique=False)
    op.create_table(
        "nonces",
        sa.Column("nonce", sa.Text(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.Column("answered_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("nonce", name=op.f("pk_nonces")),
        info={"internal": True},
    )
    with op.batch_alter_table("nonces", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_nonces_answered_at"), ["answered_at"], unique=False)
    op.create_table(
        "people",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("language IN ('', 'en', 'zh')", name=op.f("ck_people_language")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
    )
    op.create_table(
        "access_tokens",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_access_tokens_person_id_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_access_tokens")),
    )
    with op.batch_alter_table("access_tokens", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_access_tokens_person_id"), ["person_id"], unique=False)
    op.create_table(
        "audit_log",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_audit_log_person_id_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
        info={"internal": True},
    )
    with op.batch_alter_table("audit_log", schema=None) as batch_op:
        batch_op.create_index("audit_log_at", ["at"], unique=False)
        batch_op.create_index(batch_op.f("ix_audit_log_person_id"), ["person_id"], unique=False)
    op.create_table(
        "person_roles",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "role IN ('admin', 'organiser', 'judge', 'annotator', 'participant', 'volunteer')",
            name=op.f("ck_person_roles_role"),
        ),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_person_roles_person_id_people")),
        sa.PrimaryKeyConstraint("person_id", "role", name=op.f("pk_person_roles")),
    )
    op.create_table(
        "sign_in_links",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("once", sa.Boolean(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_sign_in_links_person_id_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in_links")),
    )
    with op.batch_alter_table("sign_in_links", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_sign_in_links_person_id"), ["person_id"], unique=False)
    op.create_table(
        "sign_in_sessions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("link_id", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["link_id"], ["sign_in_links.id"], name=op.f("fk_sign_in_sessions_link_id_sign_in_links")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_sign_in_sessions_person_id_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in_sessions")),
    )
    with op.batch_alter_table("sign_in_sessions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_sign_in_sessions_link_id"), ["link_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_sign_in_sessions_person_id"), ["person_id"], unique=False)


def downgrade() -> None:
    """Make the tables of the version before."""
    with op.batch_alter_table("sign_in_sessions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_sign_in_sessions_person_id"))
        batch_op.drop_index(batch_op.f("ix_sign_in_sessions_link_id"))
    op.drop_table("sign_in_sessions")
    with op.batch_alter_table("sign_in_links", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_sign_in_links_person_id"))
    op.drop_table("sign_in_links")
    op.drop_table("person_roles")
    with op.batch_alter_table("audit_log", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_audit_log_person_id"))
        batch_op.drop_index("audit_log_at")
    op.drop_table("audit_log")
    with op.batch_alter_table("access_tokens", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_access_tokens_person_id"))
    op.drop_table("access_tokens")
    op.drop_table("people")
    with op.batch_alter_table("nonces", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_nonces_answered_at"))
    op.drop_table("nonces")
    with op.batch_alter_table("jobs", schema=None) as batch_op:
        batch_op.drop_index("jobs_by_subject")
        batch_op.drop_index("jobs_by_state")
    op.drop_table("jobs")
