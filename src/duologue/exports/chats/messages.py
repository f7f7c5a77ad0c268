"""Chat JSON of OpenAI (`messages` of `role` and `content`) and of ShareGPT (`conversations` of `from` and `value`).

A first message of the role `system` (or `developer`) is an instruction and no turn: it is kept in the dialogue's
`meta["instruction"]` and written back. What tools return are turns of speaker `api`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core.disk import replacing_text
from duologue.core.records import Dialogue, Problem
from duologue.exports.chats.rows import messages_of, own_id, read_dialogues, turn_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from duologue.core.problems import ProblemCollector

INSTRUCTION = "instruction"
"""Key of a dialogue's `meta`."""
_ROLES = {
    **dict.fromkeys(("user", "human", "prompter"), "user"),
    **dict.fromkeys(("assistant", "gpt", "chatgpt", "bing", "bard", "claude", "model", "bot"), "system"),
    **dict.fromkeys(("tool", "function", "observation", "function_response"), "api"),
    **dict.fromkeys(("system", "developer"), INSTRUCTION),
}
_IDS = ("id", "dialogue_id", "conversation_id")


class ChatLayout(NamedTuple):
    """How a chat file names what it holds."""

    messages: tuple[str, ...]
    """Keys of the list; the first is written."""
    speaker: str
    text: str
    names: dict[str, str]
    """Speaker of a turn -> what is written."""

    def read(self, path: Path) -> list[Dialogue]:
        """Return the dialogues of a file: a JSON list, one object, or JSON lines. Raises `FormatError`."""
        return read_dialogues(path, self._dialogue)

    def _dialogue(self, row: dict[str, Any], place: str, name: str, findings: ProblemCollector) -> Dialogue | None:
        found = messages_of(row, self.messages, place, findings)
        if found is None:
            return None
        turns = [turn_of(one, self.speaker, self.text, _ROLES, at, findings) for at, one in found]
        first = turns[0]
        meta = {}
        if first is not None and first.speaker == INSTRUCTION:
            meta = {INSTRUCTION: first.text}
            del turns[0], found[0]
        for (at, _), turn in zip(found, turns, strict=True):
            if turn is not None and turn.speaker == INSTRUCTION:
                message = "an instruction stands between turns, expected it before them"
                findings.add(Problem(rule="instruction-place", place=at, message=message))
        said = tuple(turn for turn in turns if turn is not None)
        return Dialogue(id=own_id(row, _IDS, name), turns=said, meta=meta, source=row)

    def row(self, dialogue: Dialogue) -> dict[str, Any]:
        """Return the object of a dialogue."""
        instruction = dialogue.meta.get(INSTRUCTION)
        said = [("system", str(instruction))] if instruction is not None else []
        said += [(self.names[turn.speaker], turn.text) for turn in dialogue.turns]
        return {
            "id": dialogue.id,
            self.messages[0]: [{self.speaker: speaker, self.text: text} for speaker, text in said],
        }


_OPENAI = ChatLayout(("messages",), "role", "content", {"user": "user", "system": "assistant", "api": "tool"})
_SHAREGPT = ChatLayout(
    ("conversations", "conversation"), "from", "value", {"user": "human", "system": "gpt", "api": "observation"}
)


def read_openai(path: Path) -> list[Dialogue]:
    """Return the dialogues of JSON lines (or a list) of `messages`. Raises `FormatError` with all problems."""
    return _OPENAI.read(path)


def write_openai(dialogues: Iterable[Dialogue], path: Path) -> None:
    """Write JSON lines, an object with `messages` for each dialogue."""
    with replacing_text(path) as out:
        for one in dialogues:
            out.write(json.dumps(_OPENAI.row(one), ensure_ascii=False) + "\n")


def read_sharegpt(path: Path) -> list[Dialogue]:
    """Return the dialogues of a list (or JSON lines) of `conversations`. Raises `FormatError` with all problems."""
    return _SHAREGPT.read(path)


def write_sharegpt(dialogues: Iterable[Dialogue], path: Path) -> None:
    """Write a JSON list, an object with `conversations` on a line for each dialogue."""
    with replacing_text(path) as out:
        out.write("[")
        for number, one in enumerate(dialogues):
            out.write(("," if number else "") + "\n" + json.dumps(_SHAREGPT.row(one), ensure_ascii=False))
        out.write("\n]\n")
