"""Signs of what pairs said."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from duologue.arena.talks.likeness import sign_of

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_TALKS = sa.table("talks", *(sa.column(name) for name in ("id", "pairing_id", "state")), sa.column("dialogue", sa.JSON))


def upgrade() -> None:
    """Make the tables of this version, with the signs of the dialogues that are finished."""
    signs = op.create_table(
        "talk_signs",
        sa.Column("pairing_id", sa.Text(), nullable=False),
        sa.Column("sign", sa.BigInteger(), nullable=False),
        sa.Column("talk_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["pairing_id"], ["pairings.id"], name=op.f("fk_talk_signs_pairing_id_pairings")),
        sa.ForeignKeyConstraint(["talk_id"], ["talks.id"], name=op.f("fk_talk_signs_talk_id_talks")),
        sa.PrimaryKeyConstraint("pairing_id", "sign", "talk_id", name=op.f("pk_talk_signs")),
    )
    finished = sa.select(_TALKS.c.id).where(_TALKS.c.pairing_id.is_not(None), _TALKS.c.state == "finished")
    connection = op.get_bind()
    for talk in connection.execute(finished.order_by(_TALKS.c.id)).scalars().all():
        query = sa.select(_TALKS.c.pairing_id, _TALKS.c.dialogue).where(_TALKS.c.id == talk)
        pairing, dialogue = connection.execute(query).one()
        said = {sign_of(turn["text"]) for turn in (dialogue or {}).get("turns", ())}
        if said:
            rows = [{"pairing_id": pairing, "sign": sign, "talk_id": talk} for sign in sorted(said)]
            connection.execute(sa.insert(signs), rows)


def downgrade() -> None:
    """Make the tables of the version before."""
    op.drop_table("talk_signs")
