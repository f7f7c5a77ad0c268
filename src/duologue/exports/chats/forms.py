"""The forms of chat files in one table, and a task's data as dialogues."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.core.disk import replacing_text
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.plugins import load_task, names
from duologue.core.records import Dialogue, Turn
from duologue.exports.chats.messages import read_openai, read_sharegpt, write_openai, write_sharegpt
from duologue.exports.chats.unified import read_unified, write_unified

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from duologue.core.protocols import Task
    from duologue.core.records import Example


class ChatForm(NamedTuple):
    """A form of chat files."""

    name: str
    about: str
    read: Callable[[Path], list[Dialogue]] | None
    """`None` where it is only written."""
    write: Callable[[Iterable[Dialogue], Path], None]
    speakers: frozenset[str]
    """Speakers whose turns it has a place for."""


def write_dialogue_lines(dialogues: Iterable[Dialogue], path: Path) -> None:
    """Write `U: ` and `S: ` lines with an empty line between dialogues; any white space becomes one blank.

    They are data of the conversation challenge, which reads them.
    """
    with replacing_text(path) as out:
        for number, dialogue in enumerate(dialogues):
            out.write("\n" if number else "")
            for turn in dialogue.turns:
                if turn.speaker in _MARKS:
                    out.write(f"{_MARKS[turn.speaker]} {' '.join(turn.text.split())}\n")


_MARKS = {"user": "U:", "system": "S:"}
_TWO, _ALL = frozenset(("user", "system")), frozenset(("user", "system", "api"))
FORMS = (
    ChatForm("openai", "`messages` of role and content, as chat endpoints train on", read_openai, write_openai, _ALL),
    ChatForm("sharegpt", "`conversations` of from and value", read_sharegpt, write_sharegpt, _ALL),
    ChatForm("convlab", "the unified format of ConvLab-3", read_unified, write_unified, _TWO),
    ChatForm("lines", "U: and S: lines, data of the conversation challenge", None, write_dialogue_lines, _TWO),
)


class Converted(NamedTuple):
    """What came of writing dialogues in another form."""

    dialogues: int
    turns: int
    left_out: int
    """Turns that the form has no place for."""


def convert_chats(source: str, target: str, path: Path, out: Path) -> Converted:
    """Write the dialogues of a file in another form. `source` is a form, or a task whose data file it is.

    Raises `UsageError` for an unknown form, and `FormatError` with all problems of the file.
    """
    to = _form(target, [one.name for one in FORMS])
    assert to is not None
    readers = [one.name for one in FORMS if one.read is not None]
    form = _form(source, [*readers, *names("tasks")])
    dialogues = form.read(path) if form is not None and form.read is not None else dialogues_in(load_task(source), path)
    to.write(dialogues, out)
    turns = [turn for dialogue in dialogues for turn in dialogue.turns]
    placed = sum(turn.speaker in to.speakers for turn in turns)
    return Converted(len(dialogues), placed, len(turns) - placed)


def _form(name: str, known: list[str]) -> ChatForm | None:
    """Return the form of that name; `None` for a task. Raises `UsageError` for neither."""
    if name not in known:
        raise UsageError(f"there is no form '{name}' here{did_you_mean(name, known)}")
    return next((one for one in FORMS if one.name == name), None)


def dialogues_in(task: Task, path: Path) -> list[Dialogue]:
    """Return the dialogues of a task's data file, from its samples: the longest history of each with its reply.

    The reply is the text of the first reference, or of the candidate that it puts first; where there is none, the
    history stands alone. Where histories hold what the user says alone, each reply follows what it answers. Raises as
    `load` does, and `UsageError` where nothing was said in any.
    """
    longest: dict[str, Example] = {}
    replies: dict[str, dict[int, str]] = {}
    for example in task.load(path):
        name, turns = example.sample.dialogue_id, len(example.sample.history)
        if name not in longest or turns >= len(longest[name].sample.history):
            longest[name] = example
        if (reply := _reply(example)) is not None:
            replies.setdefault(name, {})[turns] = reply
    found = [Dialogue(id=name, turns=_turns(example, replies.get(name, {}))) for name, example in longest.items()]
    if not any(one.turns for one in found):
        raise UsageError(f"{path} has no dialogues of '{task.info.name}': no sample has a history or a reply")
    return found


def _turns(example: Example, replies: Mapping[int, str]) -> tuple[Turn, ...]:
    """Return what is said in a history, with the reply behind it; `replies` are those by the turns before them."""
    turns: list[Turn] = []
    history = example.sample.history
    heard = any(turn.speaker == "system" for turn in history)
    for at, turn in enumerate(history, start=1):
        turns.append(msgspec.structs.replace(turn, annotation=None, meta={}))
        if at in replies and not (heard and at < len(history)):
            turns.append(Turn(speaker="system", text=replies[at]))
    if not history and 0 in replies:
        turns.append(Turn(speaker="system", text=replies[0]))
    return tuple(turn for turn in turns if turn.text.strip())


def _reply(example: Example) -> str | None:
    """Return what the system says; `None` where it is not told, or nothing."""
    return next((text for one in example.references if (text := _said(example, one.text, one.ranking))), None)


def _said(example: Example, text: str | None, ranking: tuple[str, ...] | None) -> str | None:
    if text is not None or not ranking:
        return text
    return next((one.text for one in example.sample.candidates if one.id == ranking[0]), None)
