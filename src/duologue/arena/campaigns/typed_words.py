"""What a person typed in talks: given to them, and taken out of all that keeps it; talks and their ratings stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs
from sqlalchemy import and_, or_, select, update

from duologue.arena.campaigns.tables import campaign_answers
from duologue.arena.people.personal_data import data_of, delete_person
from duologue.arena.talks.likeness import renew_signs
from duologue.arena.talks.sessions import end
from duologue.arena.talks.tables import talk_turns, talks

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.people.personal_data import DeletedData, PersonRows

REMOVED = "[…]"
"""What stands in place of an utterance."""


def data_and_words_of(connection: Connection, person_id: str) -> PersonRows:
    """Return all rows that name a person, as `data_of` does, and with them what they typed in talks."""
    led = and_(talks.c.kind == "people", talks.c.leader_id == person_id, talk_turns.c.speaker == "system")
    said = or_(and_(talks.c.person_id == person_id, talk_turns.c.speaker == "user"), led)
    shown = [talk_turns.c[name] for name in ("talk_id", "position", "text", "created_at")]
    rows = connection.execute(
        select(*shown).join(talks, talks.c.id == talk_turns.c.talk_id).where(said).order_by(*shown[:2])
    )
    turns = [dict(row) for row in rows.mappings()]
    return data_of(connection, person_id) | ({talk_turns.name: turns} if turns else {})


def delete_person_and_words(connection: Connection, person_id: str, *, now: int, by: str | None) -> DeletedData:
    """Delete a person as `delete_person` does, and what they typed in talks; their talks with systems are over.

    An answer under way would bring the words back.
    """
    utterances = remove_typed_words(connection, person_id)
    going = select(talks.c.id).where(talks.c.person_id == person_id, talks.c.kind == "system", talks.c.state == "open")
    for talk in connection.execute(going).scalars().all():
        end(connection, talk, "abandoned", "user", now=now)
    done = delete_person(connection, person_id, now=now, by=by)
    return structs.replace(done, deleted=done.deleted | {"utterances": utterances})


def remove_typed_words(connection: Connection, person_id: str) -> int:
    """Take a person's utterances out of all talks, their transcripts and the answers that raters see.

    Returns how many utterances there were. What others said stays, even where it repeats them.
    """
    removed = 0
    for column, side in ((talks.c.person_id, "user"), (talks.c.leader_id, "system")):
        held = select(talks.c.id, talks.c.dialogue).where(column == person_id)
        if side == "system":
            held = held.where(talks.c.kind == "people")
        for talk, dialogue in connection.execute(held).all():
            own = (talk_turns.c.talk_id == talk) & (talk_turns.c.speaker == side)
            removed += connection.execute(update(talk_turns).where(own).values(text=REMOVED)).rowcount
            values: dict[str, Any] = {"problems": None}  # they quote
            if dialogue is not None:
                turns = [_emptied(one) if one["speaker"] == side else one for one in dialogue["turns"]]
                values["dialogue"] = dialogue | {"turns": turns}
                renew_signs(connection, talk, [one["text"] for one in turns if one["text"] != REMOVED])
            connection.execute(update(talks).where(talks.c.id == talk).values(values))
            _remove_from_answers(connection, talk, side)
    return removed


def _emptied(turn: dict[str, Any]) -> dict[str, Any]:
    """Return a turn without its words: what a challenge notes of them, such as how they were typed, holds them too."""
    meta = {name: value for name, value in turn["meta"].items() if isinstance(value, int)}
    return turn | {"text": REMOVED, "annotation": None, "meta": meta}


def _remove_from_answers(connection: Connection, talk: str, side: str) -> None:
    answers = select(campaign_answers.c.id, campaign_answers.c.content).where(campaign_answers.c.talk_id == talk)
    for answer, content in connection.execute(answers).all():
        turns = [[speaker, REMOVED if speaker == side else text] for speaker, text in content["turns"]]
        changed = update(campaign_answers).where(campaign_answers.c.id == answer)
        connection.execute(changed.values(content=content | {"turns": turns}))
