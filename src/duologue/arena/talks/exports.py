"""Finished talks as files, without personal data of those who talked.

What people type may hold a telephone number or a name of theirs: before it leaves the site it passes the anonymiser.
What a talk is about, its goal and knowledge, was given to them and stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from duologue.arena.talks.sessions import dialogue_of, list_talks
from duologue.core.disk import temporary_folder
from duologue.core.records import Dialogue, Turn
from duologue.core.typed import convert
from duologue.text.anonymiser import Anonymiser
from duologue.text.personal.finder import find
from duologue.text.personal.names import names_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Connection

    from duologue.core.optional_protocols import Paired

LIMIT = 100_000
_TYPED = "typed"
"""Under which `Turn.meta` has the words of a person, where the text is cut as the challenge's data is."""


def room_dialogues(connection: Connection, room_id: str) -> list[Dialogue]:
    """Return the talks of a room that are over as dialogues, the first first; no person's id."""
    found = [one for one in reversed(list_talks(connection, room=room_id, limit=LIMIT)) if not one.open]
    return [dialogue_of(connection, one) for one in found]


def dialogue_lines(dialogues: Iterable[Dialogue]) -> bytes:
    """Return dialogues as JSON, one a line."""
    return b"".join(msgspec.json.encode(one) + b"\n" for one in dialogues)


def official_file(task: Paired, dialogues: Iterable[Dialogue]) -> bytes:
    """Return the bytes of the official file of a task with these dialogues."""
    with temporary_folder() as folder:
        path = folder / "dialogues"
        task.write_dialogues(dialogues, path)
        return path.read_bytes()


def anonymous(dialogues: Iterable[Dialogue], anonymiser: Anonymiser | None = None) -> list[Dialogue]:
    """Return dialogues with placeholders for personal data in what was said; `anonymiser` counts them."""
    anonymiser = anonymiser or Anonymiser()
    return [_anonymous(one, anonymiser) for one in dialogues]


def _anonymous(dialogue: Dialogue, anonymiser: Anonymiser) -> Dialogue:
    one = anonymiser.dialogue(_texts(msgspec.to_builtins((dialogue.knowledge, dialogue.goal, dialogue.source))))
    # A text in which words stand apart hides names; they are found as they were typed, and then wherever they stand.
    typed = [str(turn.meta.get(_TYPED, turn.text)) for turn in dialogue.turns]
    told = [text[span.start : span.end] for text in typed for span in find(text) if span.kind == "NAME"]
    names = [name for full in told for name in names_in(full)]
    turns = tuple(convert(one.value(msgspec.to_builtins(turn), names), Turn) for turn in dialogue.turns)
    return msgspec.structs.replace(dialogue, turns=turns)


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in what JSON holds."""
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        yield from _texts(one)
