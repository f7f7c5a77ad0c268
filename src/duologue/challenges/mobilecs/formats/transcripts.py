"""Reads plain transcripts of calls: text with a speaker before each utterance, tables, JSON, subtitles.

* text: `speaker: utterance`, a line each, with either colon, a time before the speaker left out; a line without a
  speaker goes on with the utterance before, and an empty line ends the call; or the speaker and a time on a line of
  their own above what is said
* tables (`.csv`, `.tsv`): a head with columns for call, speaker and text, or for call and what each side says; without
  one for the call the file is one
* JSON (`.json`, `.jsonl`): a list of calls, one per line or one alone, each with turns `[speaker, text]` or objects; or
  a list of such turns, or one per line, which say of what call they are as rows of a table do
* subtitles (`.srt`, `.vtt`, or what reads as such): a call, with its speakers named in the cues
"""

from __future__ import annotations

import codecs
import logging
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.challenges.mobilecs.formats import transcript_cues, transcript_json, transcript_tables
from duologue.challenges.mobilecs.formats.transcript_cues import are_cues, cue_calls
from duologue.challenges.mobilecs.formats.transcript_heads import headed_calls
from duologue.challenges.mobilecs.formats.transcript_json import json_calls
from duologue.challenges.mobilecs.formats.transcript_lines import text_calls
from duologue.challenges.mobilecs.formats.transcript_tables import table_calls
from duologue.core import disk
from duologue.core.amounts import amount
from duologue.core.errors import FormatError, UsageError
from duologue.core.problems import ProblemCollector
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.challenges.mobilecs.formats.transcript_order import Turn

_LOG = logging.getLogger(__name__)
RULES = {
    "transcript-empty": "a file holds at least one call with something said",
    "transcript-speaker": "the first line of a call names its speaker, before a colon or with a time",
    "transcript-columns": "the head of a table names columns for the speaker and the text, or for each side",
    "transcript-calls": "what tells calls apart is the same in all rows of a call, and told in each",
    "transcript-table": "quotes of a table are closed",
    "transcript-row": "a row of a table has the columns of its head, nothing beyond them, and says who speaks",
    "transcript-json": "JSON is a list of calls, or one call on each line",
    "transcript-cue": "what is shown in subtitles stands below a time, `00:00:01,000 --> 00:00:04,000`",
    "transcript-turns": "a call is an object with turns, each `[speaker, text]` or an object with both as texts",
}
"""Rules for transcripts by id."""
BREAK = "_"
"""Sign of MobileCS for a break inside an utterance."""


class Transcript(NamedTuple):
    """One call as it is told in a file."""

    place: str
    """Where it is in the file, in words."""
    turns: list[Turn]
    """Speaker as the file calls it, and what it says; nobody speaks twice in a row."""


class PackedTranscript(NamedTuple):
    """A file of an archive, read already."""

    path: Path
    """What messages call it: the archive, and its name in there."""
    data: bytes


def read_transcripts(file: Path | PackedTranscript, encoding: str = "utf-8") -> list[Transcript]:
    """Return the calls of a file in their order; utterances in a row by one speaker are joined by a break.

    `encoding` is that of a file which is not UTF-8. Raises `FormatError` with all problems of the file, `StorageError`
    where it cannot be read, `UsageError` for an unknown encoding.
    """
    path, data = file if isinstance(file, PackedTranscript) else (file, disk.read_bytes(file))
    text = _decoded(data, path, encoding)
    suffix = path.with_name(path.name.removesuffix(".gz")).suffix.lower()
    problems = ProblemCollector()
    if suffix in transcript_json.SUFFIXES:
        found = json_calls(text, path, problems)
    elif suffix in transcript_tables.SUFFIXES:
        found = table_calls(text, path, transcript_tables.SUFFIXES[suffix], problems)
    elif suffix in transcript_cues.SUFFIXES or are_cues(text):
        found = cue_calls(text, path, problems)
    else:
        headed = headed_calls(text)
        found = text_calls(text, problems) if headed is None else iter(headed)
    told = [Transcript(place, _joined(turns)) for place, turns in found]
    calls = [call for call in told if call.turns]
    if not calls and not problems.problems():
        problems.add(Problem(rule="transcript-empty", message="nobody says anything in the file"))
    if problems.problems():
        raise FormatError(path, problems.problems())
    if len(calls) < len(told):
        silent = amount(len(told) - len(calls), "call")
        _LOG.warning("%s: %s left out, in which nobody says anything", path, silent)
    return calls


def _decoded(data: bytes, path: Path, encoding: str) -> str:
    try:
        return disk.decode_text(data, path)[0]
    except FormatError as error:
        (problem,) = error.problems
        told = _in_encoding(data, encoding)
        if told is not None:
            return told
        likely = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "gb18030"
        if _in_encoding(data, likely) is None:
            raise
        advice = f"it may be {likely}: say --encoding {likely}, or save the file as UTF-8"
        raise FormatError(path, [msgspec.structs.replace(problem, advice=advice)]) from error


def _in_encoding(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding).lstrip("\ufeff")
    except UnicodeError:
        return None
    except LookupError as error:
        raise UsageError(f"there is no encoding of texts '{encoding}'; say --encoding gb18030, for instance") from error


def _joined(turns: Sequence[Turn]) -> list[Turn]:
    """Return what is said in one line each, without empty utterances, those in a row by one speaker as one."""
    made: list[tuple[str, list[str]]] = []
    for speaker, text in turns:
        pieces = [piece for line in text.splitlines() if (piece := " ".join(line.split()))]
        if pieces and made and made[-1][0] == speaker:
            made[-1][1].extend(pieces)
        elif pieces:
            made.append((speaker, pieces))
    return [(speaker, BREAK.join(pieces)) for speaker, pieces in made]
