"""Finished talks as files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.arena.talks.sessions import dialogue_of, list_talks

if TYPE_CHECKING:
    from sqlalchemy import Connection

MOST = 100_000


def room_lines(connection: Connection, room_id: str) -> bytes:
    """Return the talks of a room that are over as dialogues, a JSON object a line, the first first; no person's id."""
    found = [one for one in reversed(list_talks(connection, room=room_id, limit=MOST)) if not one.open]
    return b"".join(msgspec.json.encode(dialogue_of(connection, one)) + b"\n" for one in found)
