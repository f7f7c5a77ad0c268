"""What a person typed in talks, taken out of everything that keeps it; the talks, and how they were rated, stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs
from sqlalchemy import select, update

from duologue.arena.campaigns.tables import campaign_answers
from duologue.arena.people.personal_data import delete_person
from duologue.arena.talks.tables import talk_turns, talks

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.people.personal_data import DeletedData

REMOVED = "[…]"
"""What stands in place of an utterance."""


def delete_person_and_words(connection: Connection, person_id: str, *, now: int, by: str | None) -> DeletedData:
    """Delete a person as `delete_person` does, and what they typed in talks."""
    utterances = remove_typed_words(connection, person_id)
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
                turns = [one | {"text": REMOVED} if one["speaker"] == side else one for one in dialogue["turns"]]
                values["dialogue"] = dialogue | {"turns": turns}
            connection.execute(update(talks).where(talks.c.id == talk).values(values))
            _remove_from_answers(connection, talk, side)
    return removed


def _remove_from_answers(connection: Connection, talk: str, side: str) -> None:
    answers = select(campaign_answers.c.id, campaign_answers.c.content).where(campaign_answers.c.talk_id == talk)
    for answer, content in connection.execute(answers).all():
        turns = [[speaker, REMOVED if speaker == side else text] for speaker, text in content["turns"]]
        changed = update(campaign_answers).where(campaign_answers.c.id == answer)
        connection.execute(changed.values(content=content | {"turns": turns}))
