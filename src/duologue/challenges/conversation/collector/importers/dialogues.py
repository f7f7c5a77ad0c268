"""Importer of generic dialogues: JSON lines of turns, chat files of other tools, the published conversation JSON.

Their turns become posts, so that they go the way of collected ones. Ids come from the dialogue's id alone: importing a
file again, or a part of it, gives the same posts.
"""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.conversation.collector.conversions import iso_moment, old_time
from duologue.challenges.conversation.collector.importers.insertion import ImportResult, add
from duologue.core import disk
from duologue.core.convlab import dialogues_file
from duologue.core.decoded import is_whole, shown
from duologue.core.disk import Source
from duologue.core.errors import FormatError
from duologue.core.lines import Lines
from duologue.core.problems import ProblemCollector
from duologue.core.records import Problem
from duologue.text.anonymiser import Anonymiser
from duologue.text.personal.finder import find
from duologue.text.personal.names import names_in
from duologue.text.personal.spans import PATTERN_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from duologue.store.posts import PostBase

    Row = dict[str, Any]

COMPANY = ("s", "system", "agent", "company", "assistant", "bot", "gpt")
"""Default speaker labels of the company, lower-cased."""
_TURNS = ("turns", "messages", "utterances", "dialog", "dialogue", "conversation", "conversations")
_SPEAKERS = ("speaker", "author", "role", "from", "agent")
_TEXTS = ("text", "utterance", "message", "content", "value")
_TIMES = ("time", "created_at", "timestamp", "date", "utterance_time", "message_time")
_IDS = ("id", "dialog_id", "dialogue_id", "conversation_id")
_ACCOUNTS = ("account", "company", "company_name", "brand")
_ROLES = frozenset(
    "u user customer client c visitor human guest caller consumer me you us 用户 客户 顾客 客服 坐席 系统".split()  # noqa: SIM905  # a list of words reads best as words
)
"""Speaker labels that are roles; others may be names of people."""
_NAMED = re.compile(r"(client|agent)[0-9]*")
_END_WORDS, _SAID_WORDS = re.compile("last|final"), re.compile("agent|message|response|utterance")
_DURATION = re.compile(r"(?:([0-9]{1,6})-)?([0-9]{1,6}):([0-9]{2}):([0-9]{2}(?:\.[0-9]+)?)")
_START = datetime(2000, 1, 1, tzinfo=UTC)
"""Start time of dialogues without timestamps."""
_STEP = timedelta(minutes=20)
"""Interval between turns without timestamps: longer than the 10 minutes within which extraction merges posts."""
_MAX_TURNS = 1 << 12


class ImportedTurn(NamedTuple):
    """A message of an imported dialogue."""

    speaker: str
    text: str
    moment: datetime | None


class ImportedDialogue(NamedTuple):
    """An imported dialogue."""

    number: str
    account: str
    turns: list[ImportedTurn]


def import_dialogues(
    base: PostBase,
    path: Path,
    *,
    account: str | None = None,
    company: Iterable[str] = COMPANY,
    language: str = "en",
    keep_personal_data: bool = False,
) -> ImportResult:
    """Import dialogues into a store: JSON lines, a JSON list, an object of dialogues by id, or ConvLab-3's `data.zip`.

    A dialogue has its turns in order: `[speaker, text]`, objects with speaker and text, or, as in the published
    conversation JSON, objects whose key `client...` or `agent...` holds the text; the agent's last message may stand in
    the header. Speakers named in `company` are the account. It is called as the dialogue says, else `account`, else
    as the file. Texts and speakers are made anonymous unless `keep_personal_data`. Raises `FormatError` with all
    dialogues that cannot be read.
    """
    own = {name.lower() for name in company}
    name = account or re.sub(r"\W+", "_", path.name.partition(".")[0])
    findings = ProblemCollector()
    made: dict[str, list[tuple[int, list[int]]]] = {}
    skipped: dict[str, int] = {}
    anonymiser = None if keep_personal_data else Anonymiser(keep=[] if account is None else [account])

    def posts() -> Iterator[Row]:
        for place, row in _rows(file, findings):
            found = _dialogue(row, place, name, findings)
            if found is None:
                continue
            if anonymiser is not None:
                found = _anonymous(found, own, anonymiser)
            rows = _posts(found, own, language)
            if len(rows) < 2:
                skipped["dialogues of one turn"] = skipped.get("dialogues of one turn", 0) + 1
                continue
            ids = [post["id"] for post in rows]
            made.setdefault(found.account, []).append((ids[-1], ids))
            yield from rows

    with dialogues_file(path) as file:
        total = add(base, posts())
    if problems := findings.problems():
        raise FormatError(path, problems)
    base.add_dialogues((owner, key, ids) for owner, rows in made.items() for key, ids in rows)
    dialogues = sum(len(dict(rows)) for rows in made.values())
    replaced = None if anonymiser is None else anonymiser.replaced()
    return ImportResult(posts=total, dialogues=dialogues, accounts=len(made), skipped=skipped, replaced=replaced)


def _rows(path: Path, findings: ProblemCollector) -> Iterator[tuple[str, Any]]:
    """Yield candidate dialogues with their location in the file."""
    source = Source(path)
    lines = Lines(source, unmarked=True)
    first = next(iter(lines), "")
    if _is_json(first) and len(lines) > 1:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield f"line {number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                findings.add(Problem(rule="dialogue-json", place=f"line {number}", message=f"not valid JSON: {error}"))
        return
    decoded, _, _ = disk.read_json(path)
    if isinstance(decoded, dict) and not _turns_of(decoded):
        for key, row in decoded.items():
            yield f"/{key}", {"id": key, **row} if isinstance(row, dict) else {"id": key, "turns": row}
    elif isinstance(decoded, dict):
        yield "the file", decoded
    else:
        yield from ((f"/{at}", row) for at, row in enumerate(decoded if isinstance(decoded, list) else [decoded]))


def _is_json(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _turns_of(row: Row) -> list[Any] | None:
    return next((row[name] for name in _TURNS if isinstance(row.get(name), list)), None)


def _dialogue(row: Any, place: str, account: str, findings: ProblemCollector) -> ImportedDialogue | None:
    turns = _turns_of(row) if isinstance(row, dict) else None
    if turns is None:
        message = f"found no list of turns; expected one under {', '.join(repr(name) for name in _TURNS)}"
        findings.add(Problem(rule="dialogue-turns", place=place, message=message))
        return None
    if len(turns) >= _MAX_TURNS:
        findings.add(Problem(rule="dialogue-long", place=place, message=f"found {len(turns):,} turns"))
        return None
    read = [_turn(turn) for turn in turns]
    for at, turn in enumerate(read):
        if turn is None:
            message = f"turn {at + 1} has no speaker and text: {json.dumps(turns[at])[:80]}"
            findings.add(Problem(rule="dialogue-turn", place=place, message=message))
            return None
    found = [turn for turn in read if turn is not None]
    last = _last_turn(row, found)
    given = _first(row, _IDS)
    number = json.dumps(row, sort_keys=True) if given is None else str(given)
    named = _first(row, _ACCOUNTS)
    owner = named if isinstance(named, str) else account
    turns = [*found, *([last] if last else [])]
    for name in (number, owner, *(turn.speaker for turn in turns)):  # ids are made of these
        if not is_whole(name):
            message = f"{shown(name)} holds half a surrogate pair, which is no character"
            findings.add(Problem(rule="dialogue-character", place=place, message=message))
            return None
    return ImportedDialogue(number, owner, turns)


def _turn(turn: Any) -> ImportedTurn | None:
    if isinstance(turn, list) and len(turn) == 2 and isinstance(turn[1], str):
        return ImportedTurn(str(turn[0]), turn[1], None)
    if not isinstance(turn, dict):
        return None
    moment = _moment(_first(turn, _TIMES)) or next(
        (found for value in turn.values() if (found := _moment(value))), None
    )
    for key, value in turn.items():
        if _NAMED.fullmatch(key) and isinstance(value, str) and not _first(turn, _TEXTS):
            return ImportedTurn(key, value, moment)
    speaker, text = _first(turn, _SPEAKERS), _first(turn, _TEXTS)
    return ImportedTurn(str(speaker), text, moment) if speaker is not None and isinstance(text, str) else None


def _last_turn(row: Row, turns: list[ImportedTurn]) -> ImportedTurn | None:
    """Return the agent's last message from the header, timed by a duration given there."""
    for key, value in row.items():
        if not _names_the_last(key) or _moment(value) or _duration(value):
            continue
        turn = (
            _turn(value)
            if isinstance(value, dict)
            else ImportedTurn("agent", value, None)
            if isinstance(value, str)
            else None
        )
        if turn is None or turn.moment is not None or not turns:
            return turn
        before = turns[-1].moment
        gap = next((found for name, one in row.items() if "last" in name and (found := _duration(one))), _STEP)
        return turn._replace(moment=None if before is None else before + gap)
    return None


def _anonymous(found: ImportedDialogue, own: set[str], anonymiser: Anonymiser) -> ImportedDialogue:
    """Return the dialogue with anonymised texts, and speakers as roles or numbers."""
    called: dict[str, str] = {}
    for turn in found.turns:
        label = turn.speaker.lower()
        is_role = label in _ROLES or label in own or label == found.account.lower() or _NAMED.fullmatch(label)
        called.setdefault(turn.speaker, turn.speaker if is_role else f"person{len(called) + 1}")
    names = [name for speaker, role in called.items() if role != speaker for name in names_in(speaker)]
    one = anonymiser.dialogue()
    turns = [turn._replace(speaker=called[turn.speaker], text=one.text(turn.text, names)) for turn in found.turns]
    account = found.account
    if any(span.kind in PATTERN_KINDS for span in find(account)):
        account = f"account_{hashlib.sha256(account.encode()).hexdigest()[:8]}"
    return ImportedDialogue(found.number, account, turns)


def _posts(found: ImportedDialogue, own: set[str], language: str) -> list[Row]:
    """Return the dialogue as posts, each a reply to the previous one."""
    digest = hashlib.sha256(f"{found.account}/{found.number}".encode()).digest()
    start = int.from_bytes(digest[:6], "big") << 14  # 48 + 14 bits: room for turns, below all 63-bit limits
    moment = _START
    posts: list[Row] = []
    for at, turn in enumerate(found.turns):
        moment = turn.moment or moment + _STEP
        label = turn.speaker.lower()
        named = _NAMED.fullmatch(label)
        is_own = label in own or (named is not None and named[1] in own) or label == found.account.lower()
        name = found.account if is_own else f"{label}_{digest.hex()[:8]}"
        author = int.from_bytes(hashlib.sha256(name.lower().encode()).digest()[:6], "big")
        posts.append(
            {
                "id": start + at,
                "id_str": str(start + at),
                "created_at": old_time(moment),
                "text": turn.text,
                "truncated": False,
                "lang": language,
                "in_reply_to_status_id": start + at - 1 if at else None,
                "user": {"id": author, "screen_name": name, "name": ""},
            }
        )
    return posts


def _first(row: Row, names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _moment(value: object) -> datetime | None:
    """Parse an ISO time; UTC without a zone."""
    return iso_moment(value) if isinstance(value, str) and len(value) >= 10 and value[4:5] == "-" else None


def _duration(value: object) -> timedelta | None:
    """Parse a duration `HH:MM:SS.s` or `D-HH:MM:SS.s`."""
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    days, hours, minutes, seconds = match.groups()
    return timedelta(days=int(days or 0), hours=int(hours), minutes=int(minutes), seconds=float(seconds))


def _names_the_last(key: str) -> bool:
    """Tell whether a key names the last message, such as `last_agent_message` or `agent_final`."""
    first, agent = _END_WORDS.search(key), key.find("agent")
    return (first is not None and _SAID_WORDS.search(key, first.end()) is not None) or (
        agent >= 0 and _END_WORDS.search(key, agent + len("agent")) is not None
    )
