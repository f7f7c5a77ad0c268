"""Tables of talks: what is said, with which system or whom, and the campaigns in which people are paired."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Table, UniqueConstraint

from duologue.arena.database.column_types import BigInteger, Integer, Json, Moment, StoredText
from duologue.arena.database.tables import metadata
from duologue.arena.people.tables import BLIND, PERSONAL, person_column
from duologue.core.records import Answer, Dialogue

talk_rooms: Final = Table(
    "talk_rooms",
    metadata,
    Column("id", StoredText, primary_key=True),
    Column("title", StoredText, nullable=False),
    Column("task", StoredText, nullable=False),
    Column("system", StoredText, nullable=False),
    Column("settings", Json(list[str]), nullable=False, server_default="[]"),  # KEY=VALUE, of the system's recipe
    Column("place", StoredText),
    Column("seed", Integer, nullable=False),
    Column("shows", Json(list[str]), nullable=False),
    Column(
        "state", StoredText, CheckConstraint("state IN ('open', 'closed')", name="talk_rooms_state"), nullable=False
    ),
    Column("created_at", Moment, nullable=False),
)
"""Systems that people may talk with, as an organiser opened them: where each talk is set, and what it shows."""

pairings: Final = Table(
    "pairings",
    metadata,
    Column("id", StoredText, primary_key=True),
    Column("title", StoredText, nullable=False),
    Column("task", StoredText, nullable=False),
    Column("settings", Json(dict[str, Any]), nullable=False),
    Column("state", StoredText, CheckConstraint("state IN ('open', 'closed')", name="pairings_state"), nullable=False),
    Column("created_at", Moment, nullable=False),
)
"""Campaigns in which people are paired to make dialogues."""

pairing_scenes: Final = Table(
    "pairing_scenes",
    metadata,
    Column("id", StoredText, primary_key=True),
    Column("pairing_id", StoredText, ForeignKey("pairings.id"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("scene", Json(Dialogue), nullable=False),  # a dialogue without turns
    Column(
        "state",
        StoredText,
        CheckConstraint("state IN ('free', 'taken', 'done')", name="pairing_scenes_state"),
        nullable=False,
    ),
    UniqueConstraint("pairing_id", "position"),
)

pairing_people: Final = Table(
    "pairing_people",
    metadata,
    Column("pairing_id", StoredText, ForeignKey("pairings.id"), primary_key=True),
    Column("person_id", StoredText, ForeignKey("people.id"), primary_key=True, info={"erase": "row"}),
    Column(
        "state",
        StoredText,
        CheckConstraint("state IN ('waiting', 'talking', 'away')", name="pairing_people_state"),
        nullable=False,
    ),
    Column("waiting_since", Moment, nullable=False),
    Column("seen_at", Moment, nullable=False),
)

talks: Final = Table(
    "talks",
    metadata,
    Column("id", StoredText, primary_key=True),
    Column("kind", StoredText, CheckConstraint("kind IN ('system', 'people')", name="talks_kind"), nullable=False),
    Column("task", StoredText, nullable=False),
    Column("lang", StoredText, nullable=False),
    Column("system", StoredText, info=BLIND),
    Column("settings", Json(list[str]), nullable=False, server_default="[]", info=BLIND),
    Column("place", StoredText, info=BLIND),
    Column("seed", Integer, info=BLIND),
    Column("room_id", StoredText, ForeignKey("talk_rooms.id"), index=True),
    Column("pairing_id", StoredText, ForeignKey("pairings.id"), index=True),
    Column("scene_id", StoredText, ForeignKey("pairing_scenes.id")),
    person_column(erase="keep"),  # the user's side
    person_column("leader_id", erase="keep", nullable=True),  # whoever is in the system's place
    Column("shows", Json(list[str]), nullable=False),
    Column("setting", Json(dict[str, Any] | None), info=BLIND),  # when the system is ready
    Column("opening", Json(list[Answer] | None), info=BLIND),  # answers that the system gave before the first turn
    Column("dialogue", Json(Dialogue | None), info=BLIND),  # the transcript in the challenge's text
    Column(
        "state",
        StoredText,
        CheckConstraint("state IN ('open', 'finished', 'abandoned')", name="talks_state"),
        nullable=False,
    ),
    Column("ended_by", StoredText, nullable=False, default=""),
    Column("trouble", StoredText, nullable=False, default="", info=BLIND),  # may have a system's address
    Column("problems", Json(list[dict[str, str]] | None), info=BLIND),
    Column("verdict", StoredText, nullable=False, default=""),
    Column("created_at", Moment, nullable=False),
    Column("last_at", Moment, nullable=False),
    Column("ended_at", Moment),
    Index("talks_by_state", "state", "last_at"),
)

talk_turns: Final = Table(
    "talk_turns",
    metadata,
    Column("talk_id", StoredText, ForeignKey("talks.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("speaker", StoredText, nullable=False),
    Column(
        "kind", StoredText, CheckConstraint("kind IN ('words', 'call', 'fact')", name="talk_turns_kind"), nullable=False
    ),
    Column("text", StoredText, nullable=False, info=PERSONAL),  # as people read it
    Column("remarks", Json(list[str]), nullable=False),  # the trace, a line each
    Column("answers", Json(list[Answer] | None)),  # of the system: a talk is taken up again
    Column("created_at", Moment, nullable=False),
)

talk_signs: Final = Table(
    "talk_signs",
    metadata,
    Column("pairing_id", StoredText, ForeignKey("pairings.id"), primary_key=True),
    Column("sign", BigInteger, primary_key=True),
    Column("talk_id", StoredText, ForeignKey("talks.id"), primary_key=True),
    info={"internal": True},
)
"""What is said in the finished dialogues of a pairing, an utterance as a number: where it was said is looked up."""
