"""JSON of transcripts: a list of calls, one per line or one alone, each with turns; or rows as those of a table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.formats.transcript_order import UNTOLD
from duologue.challenges.mobilecs.formats.transcript_rows import SaidRows, columns_of, odd, plain_name, plain_speaker
from duologue.challenges.mobilecs.formats.transcript_words import TURNS, WRAPPERS
from duologue.core import disk
from duologue.core.decoded import is_text, shown
from duologue.core.lines import cut
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from duologue.challenges.mobilecs.formats.transcript_order import Start, Turn
    from duologue.challenges.mobilecs.formats.transcript_rows import Told
    from duologue.core.problems import ProblemCollector

SUFFIXES = (".json", ".jsonl", ".ndjson")
_DEEPEST = 4
"""Objects around a list of calls that are looked into."""


def json_calls(text: str, path: Path, problems: ProblemCollector) -> Told:
    """Yield the calls of a file with their places."""
    rows = SaidRows(path)
    for place, row in _json_rows(text, path, problems):
        turns = _turns_of(row)
        said = _said(row) if not isinstance(row, dict) or not turns else "a call"
        if isinstance(said, tuple):
            columns = columns_of(tuple(row)) if isinstance(row, dict) else None
            if rows.columns is None or rows.columns.call is None:
                rows.columns = columns or rows.columns
            rows.add(place, columns.call_of([*row.values()]) if columns is not None else "", *said)
            continue
        said_in_turns = [_said(one) for one in turns or ()]
        wrong = next((one for one in said_in_turns if isinstance(one, str)), None)
        if turns is None or wrong is not None:
            problems.add(
                Problem(
                    rule="transcript-turns",
                    place=place,
                    message=f"found {wrong or said}, expected turns with speaker and text",
                    advice='write {"turns": [["客服", "您好"], ["用户", "喂"]]}',
                )
            )
            continue
        yield (
            place,
            rows.ordered([(turn, one[1]) for one in said_in_turns if isinstance(one, tuple) for turn in one[0]]),
        )
    yield from rows.calls(problems)


def _json_rows(text: str, path: Path, problems: ProblemCollector) -> Iterator[tuple[str, Any]]:
    lines = [(number, line) for number, line in enumerate(cut(text), start=1) if line.strip()]
    begins = text.lstrip()[:1]
    spread = len(lines) > 1 and not any(_is_json(line) for _, line in lines[: 2 if begins == "{" else 1])
    if (begins == "[" and (spread or len(lines) == 1)) or (begins == "{" and spread):
        for number, row in enumerate(_unwrapped(disk.decode_json(text, path)), start=1):
            yield f"call {number}", row
        return
    for number, line in lines:
        try:
            row = json.loads(line)
            yield from ((f"line {number}", one) for one in (_unwrapped(row) if len(lines) == 1 else [row]))
        except (ValueError, RecursionError) as error:
            advice = "give a list of calls, or a call on each line"
            place = f"line {number}"
            problems.add(Problem(rule="transcript-json", place=place, message=f"no JSON: {error}", advice=advice))


def _unwrapped(whole: Any) -> list[Any]:
    """Return the calls of a list, or of an object that is one call or holds them under a usual key."""
    for _ in range(_DEEPEST):
        held = whole if isinstance(whole, dict) and not _turns_of(whole) else {}
        inner = _held(held, WRAPPERS, list | dict)
        if inner is None:
            break
        whole = inner
    return whole if isinstance(whole, list) else [whole]


def _is_json(line: str) -> bool:
    """Tell whether a line is JSON by itself."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _turns_of(row: Any) -> list[Any] | None:
    """Return the turns of a call, none of an empty one; `None` where it is no call."""
    if isinstance(row, dict):
        found: list[Any] | None = _held(row, TURNS, list)
        return found
    return row if isinstance(row, list) else None


def _held(row: dict[str, Any], names: Sequence[str], kind: Any) -> Any:
    """Return what an object holds under the first of some names, if it is of a kind."""
    keys = {plain_name(key): key for key in row}
    return next((row[keys[name]] for name in names if name in keys and isinstance(row[keys[name]], kind)), None)


def _said(one: Any) -> tuple[list[Turn], Start] | str:
    """Return what an object or a pair tells, and when it begins; in words what it is where it tells nothing."""
    if isinstance(one, dict):
        columns, cells = columns_of(tuple(one)), list(one.values())
        if not columns.are_enough:
            return f"an object with {', '.join(list(one)[:5]) or 'nothing'}"
        turns = columns.turns(cells)
        return turns if isinstance(turns, str) else (turns, columns.started(cells))
    if not isinstance(one, list) or len(one) != 2:
        return shown(one)
    wrong = [cell for cell in one if not is_text(cell)]
    return odd(wrong[0]) if wrong else ([(plain_speaker(one[0]), one[1])], UNTOLD)
