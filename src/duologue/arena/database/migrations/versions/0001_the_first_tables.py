"""The first tables."""

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
        "tracks",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("definition", sa.JSON(), nullable=False),
        sa.Column("agreement_sha256", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_tracks")),
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
    op.drop_table("talk_turns")
    op.drop_table("finalists")
    with op.batch_alter_table("campaign_units", schema=None) as batch_op:
        batch_op.drop_index("campaign_units_by_item")
        batch_op.drop_index("campaign_units_by_campaign")

    op.drop_table("campaign_units")
    with op.batch_alter_table("annotation_versions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_annotation_versions_sheet_id"))

    op.drop_table("annotation_versions")
    op.drop_table("team_ratings")
    op.drop_table("team_members")
    with op.batch_alter_table("talks", schema=None) as batch_op:
        batch_op.drop_index("talks_by_state")
        batch_op.drop_index(batch_op.f("ix_talks_room_id"))
        batch_op.drop_index(batch_op.f("ix_talks_person_id"))
        batch_op.drop_index(batch_op.f("ix_talks_pairing_id"))
        batch_op.drop_index(batch_op.f("ix_talks_leader_id"))

    op.drop_table("talks")
    with op.batch_alter_table("sign_in_sessions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_sign_in_sessions_person_id"))
        batch_op.drop_index(batch_op.f("ix_sign_in_sessions_link_id"))

    op.drop_table("sign_in_sessions")
    with op.batch_alter_table("entries", schema=None) as batch_op:
        batch_op.drop_index("entries_by_team")
        batch_op.drop_index("entries_by_phase")

    op.drop_table("entries")
    op.drop_table("campaign_answers")
    with op.batch_alter_table("annotation_sheets", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_annotation_sheets_person_id"))
        batch_op.drop_index(batch_op.f("ix_annotation_sheets_dialogue_id"))

    op.drop_table("annotation_sheets")
    op.drop_table("track_files")
    with op.batch_alter_table("teams", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_teams_owner_id"))

    op.drop_table("teams")
    with op.batch_alter_table("sign_in_links", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_sign_in_links_person_id"))

    op.drop_table("sign_in_links")
    op.drop_table("phase_moves")
    op.drop_table("phase_boards")
    op.drop_table("person_roles")
    op.drop_table("pairing_scenes")
    op.drop_table("pairing_people")
    op.drop_table("norm_rounds")
    with op.batch_alter_table("campaign_volunteers", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_campaign_volunteers_person_id"))

    op.drop_table("campaign_volunteers")
    op.drop_table("campaign_items")
    with op.batch_alter_table("audit_log", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_audit_log_person_id"))
        batch_op.drop_index("audit_log_at")

    op.drop_table("audit_log")
    op.drop_table("annotation_members")
    with op.batch_alter_table("annotation_dialogues", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_annotation_dialogues_project_id"))

    op.drop_table("annotation_dialogues")
    with op.batch_alter_table("access_tokens", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_access_tokens_person_id"))

    op.drop_table("access_tokens")
    op.drop_table("tracks")
    op.drop_table("talk_rooms")
    op.drop_table("people")
    op.drop_table("pairings")
    with op.batch_alter_table("nonces", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_nonces_answered_at"))

    op.drop_table("nonces")
    with op.batch_alter_table("jobs", schema=None) as batch_op:
        batch_op.drop_index("jobs_by_subject")
        batch_op.drop_index("jobs_by_state")

    op.drop_table("jobs")
    op.drop_table("campaigns")
    op.drop_table("annotation_projects")
