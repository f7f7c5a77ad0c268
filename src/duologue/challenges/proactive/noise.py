"""Noisy copies of data files: the user's turns as speech would bring them, all else as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.proactive.formats.files import DialogueIds, read_rows, row_line, session_id, write_lines
from duologue.challenges.proactive.formats.rules import form_of

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.text.noise.speech_channel import SpeechChannel


def distort(path: Path, out: Path, channel: SpeechChannel) -> int:
    """Write a session or sample file with noise on the user's turns; return how many utterances changed.

    The noise of a sample is that of its dialogue. Raises as `read_rows` does.
    """
    ids = DialogueIds()
    lines, changed = [], 0
    for number, row in enumerate(read_rows(path)):
        is_session = form_of(row) == "session"
        name = session_id(row, number) if is_session else ids.of(row)
        made = _noisy(row, "conversation" if is_session else "history", name, channel)
        key = "conversation" if is_session else "history"
        changed += sum(one != other for one, other in zip(row[key], made[key], strict=True))
        lines.append(row_line(made))
    write_lines(lines, out)
    return changed


def _noisy(row: dict[str, Any], key: str, name: str, channel: SpeechChannel) -> dict[str, Any]:
    texts = [channel.say(text, dialogue=name, at=at).text if at % 2 else text for at, text in enumerate(row[key])]
    return {**row, key: texts}
