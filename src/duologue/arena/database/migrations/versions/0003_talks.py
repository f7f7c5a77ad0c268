"""Talks with systems, and of pairs of people."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of this version."""
    op.create_table(
        "pairings",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("state IN ('open', 'closed')", name=op.f("ck_pairings_pairings_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pairings")),
    )
    op.create_table(
        "talk_rooms",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("system", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=True),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("shows", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("state IN ('open', 'closed')", name=op.f("ck_talk_rooms_talk_rooms_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_talk_rooms")),
    )
    op.create_table(
        "pairing_people",
        sa.Column("pairing_id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("waiting_since", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "state IN ('waiting', 'talking', 'away')", name=op.f("ck_pairing_people_pairing_people_state")
        ),
        sa.ForeignKeyConstraint(["pairing_id"], ["pairings.id"], name=op.f("fk_pairing_people_pairing_id_pairings")),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_pairing_people_person_id_people")),
        sa.PrimaryKeyConstraint("pairing_id", "person_id", name=op.f("pk_pairing_people")),
    )
    op.create_table(
        "pairing_scenes",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("pairing_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("scene", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.CheckConstraint("state IN ('free', 'taken', 'done')", name=op.f("ck_pairing_scenes_pairing_scenes_state")),
        sa.ForeignKeyConstraint(["pairing_id"], ["pairings.id"], name=op.f("fk_pairing_scenes_pairing_id_pairings")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pairing_scenes")),
        sa.UniqueConstraint("pairing_id", "position", name=op.f("uq_pairing_scenes_pairing_id")),
    )
    op.create_table(
        "talks",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("lang", sa.Text(), nullable=False),
        sa.Column("system", sa.Text(), nullable=True),
        sa.Column("place", sa.Text(), nullable=True),
        sa.Column("seed", sa.Integer(), nullable=True),
        sa.Column("room_id", sa.Text(), nullable=True),
        sa.Column("pairing_id", sa.Text(), nullable=True),
        sa.Column("scene_id", sa.Text(), nullable=True),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("leader_id", sa.Text(), nullable=True),
        sa.Column("shows", sa.JSON(), nullable=False),
        sa.Column("setting", sa.JSON(), nullable=True),
        sa.Column("opening", sa.JSON(), nullable=True),
        sa.Column("dialogue", sa.JSON(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("ended_by", sa.Text(), nullable=False),
        sa.Column("trouble", sa.Text(), nullable=False),
        sa.Column("problems", sa.JSON(), nullable=True),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("kind IN ('system', 'people')", name=op.f("ck_talks_talks_kind")),
        sa.CheckConstraint("state IN ('open', 'finished', 'abandoned')", name=op.f("ck_talks_talks_state")),
        sa.ForeignKeyConstraint(["leader_id"], ["people.id"], name=op.f("fk_talks_leader_id_people")),
        sa.ForeignKeyConstraint(["pairing_id"], ["pairings.id"], name=op.f("fk_talks_pairing_id_pairings")),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_talks_person_id_people")),
        sa.ForeignKeyConstraint(["room_id"], ["talk_rooms.id"], name=op.f("fk_talks_room_id_talk_rooms")),
        sa.ForeignKeyConstraint(["scene_id"], ["pairing_scenes.id"], name=op.f("fk_talks_scene_id_pairing_scenes")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_talks")),
    )
    with op.batch_alter_table("talks", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_talks_leader_id"), ["leader_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_talks_pairing_id"), ["pairing_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_talks_person_id"), ["person_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_talks_room_id"), ["room_id"], unique=False)
        batch_op.create_index("talks_by_state", ["state", "last_at"], unique=False)
    op.create_table(
        "talk_turns",
        sa.Column("talk_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("speaker", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("remarks", sa.JSON(), nullable=False),
        sa.Column("answers", sa.JSON(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("kind IN ('words', 'call', 'fact')", name=op.f("ck_talk_turns_talk_turns_kind")),
        sa.ForeignKeyConstraint(["talk_id"], ["talks.id"], name=op.f("fk_talk_turns_talk_id_talks")),
        sa.PrimaryKeyConstraint("talk_id", "position", name=op.f("pk_talk_turns")),
    )


def downgrade() -> None:
    """Make the tables of the version before."""
    op.drop_table("talk_turns")
    with op.batch_alter_table("talks", schema=None) as batch_op:
        batch_op.drop_index("talks_by_state")
        batch_op.drop_index(batch_op.f("ix_talks_room_id"))
        batch_op.drop_index(batch_op.f("ix_talks_person_id"))
        batch_op.drop_index(batch_op.f("ix_talks_pairing_id"))
        batch_op.drop_index(batch_op.f("ix_talks_leader_id"))
    op.drop_table("talks")
    op.drop_table("pairing_scenes")
    op.drop_table("pairing_people")
    op.drop_table("talk_rooms")
    op.drop_table("pairings")
