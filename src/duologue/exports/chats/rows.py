"""Rows of chat files: found in JSON or JSON lines, read one by one, all their problems told at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.core import disk
from duologue.core.decoded import is_text, pointer, shown
from duologue.core.disk import Source
from duologue.core.errors import FormatError
from duologue.core.lines import Lines
from duologue.core.problems import ProblemCollector
from duologue.core.records import Problem, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from duologue.core.records import Dialogue

    Row = dict[str, Any]
    ReadRow = Callable[[Row, str, str, ProblemCollector], Dialogue | None]
    """Makes a dialogue of a row, its place in the file, the id that it has where it tells none, and problems."""


def read_dialogues(path: Path, read: ReadRow) -> list[Dialogue]:
    """Return the dialogues of a JSON list, of one JSON object, or of JSON lines.

    Raises `FormatError` with the problems of all rows: no object, no dialogue, an id that is there twice.
    """
    findings = ProblemCollector()
    found: dict[str, Dialogue] = {}
    for number, (place, row) in enumerate(_rows(path, findings), start=1):
        if not isinstance(row, dict):
            findings.add(
                Problem(rule="dialogue-type", place=place, message=f"found {shown(row)}, expected an object with turns")
            )
            continue
        dialogue = read(row, place, str(number), findings)
        if dialogue is None:
            continue
        if dialogue.id in found:
            advice = "give each dialogue an id of its own"
            message = f"id {shown(dialogue.id)} is there already"
            findings.add(Problem(rule="dialogue-id-twice", place=place, message=message, advice=advice))
        found[dialogue.id] = dialogue
    if not found and not findings.problems():
        findings.add(Problem(rule="no-dialogue", message="there is no dialogue in the file"))
    if problems := findings.problems():
        raise FormatError(path, problems)
    return list(found.values())


def _rows(path: Path, findings: ProblemCollector) -> Iterator[tuple[str, Any]]:
    """Yield what stands for a dialogue, with its place."""
    lines = Lines(Source(path), unmarked=True)
    first = next((line for line in lines if line.strip()), "").strip()
    if len(lines) > 1 and first.startswith("{") and first.endswith("}"):
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    yield f"line {number}", disk.decode_json(line, path, number)
                except FormatError as error:
                    findings.add(error.problems[0])
        return
    decoded, _, _ = disk.read_json(path)
    if isinstance(decoded, list):
        yield from ((pointer(at), row) for at, row in enumerate(decoded))
    else:
        yield "", decoded


def own_id(row: Row, keys: tuple[str, ...], otherwise: str) -> str:
    """Return the id that a row tells under one of the keys; a number counts as its digits."""
    for key in keys:
        value = row.get(key)
        if is_text(value) and value:
            return str(value)
        if type(value) is int:
            return str(value)
    return otherwise


def messages_of(
    row: Row, keys: tuple[str, ...], place: str, findings: ProblemCollector
) -> list[tuple[str, Any]] | None:
    """Return the messages under one of the keys, each with its place; `None`, and a problem, where there are none."""
    key = next((one for one in keys if one in row), keys[0])
    found = row.get(key)
    if not isinstance(found, list) or not found:
        told = f"'{key}' is {shown(found)}" if key in row else f"there is no '{key}'"
        findings.add(Problem(rule="messages-type", place=place, message=f"{told}, expected a list of messages"))
        return None
    start = place if place.startswith("/") else f"{place} " if place else ""
    return [(f"{start}{pointer(key, at)}", message) for at, message in enumerate(found)]


def turn_of(
    message: Any, speaker: str, text: str, roles: Mapping[str, str], place: str, findings: ProblemCollector
) -> Turn | None:
    """Return the turn of a message whose keys for speaker and text are given; `None`, and problems, for no message."""
    if not isinstance(message, dict):
        findings.add(Problem(rule="message-type", place=place, message=f"found {shown(message)}, expected an object"))
        return None
    role, said = message.get(speaker), _joined(message.get(text))
    known = roles.get(role.lower()) if isinstance(role, str) else None
    if known is None:
        told = f"'{speaker}' is {shown(role)}, expected one of {', '.join(sorted(roles))}"
        findings.add(Problem(rule="message-speaker", place=place, message=told))
    if not is_text(said):
        advice = "calls of tools and pictures have no text: take such messages out"
        told = f"'{text}' is {shown(message.get(text))}, expected a text"
        findings.add(Problem(rule="message-text", place=place, message=told, advice=advice))
        return None
    return None if known is None else Turn(speaker=known, text=said)


def _joined(content: Any) -> Any:
    """Return the text of a content in parts, as chat endpoints take it; anything else as it is."""
    if not isinstance(content, list) or not content:
        return content
    parts = [one.get("text") if isinstance(one, dict) and one.get("type") == "text" else None for one in content]
    texts = [one for one in parts if isinstance(one, str)]
    return "".join(texts) if len(texts) == len(parts) else content
