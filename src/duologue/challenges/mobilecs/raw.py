"""Raw dialogues: the official turns of two utterances with their annotation, as records (specification, section 1).

Key order carries meaning and is read as it stands. What the raw corpus has in an odd form (a flat position,
exchanged keys, missing parts) is mended with a warning; `source` keeps the row as it was.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, TypeVar

from duologue.challenges.mobilecs.faults import Faults, fresh_id, is_count, open_rows, row_id
from duologue.challenges.mobilecs.intents import acts_of
from duologue.challenges.mobilecs.schema import CONFUSED, SPEAKERS, STAFF_INTENT, USER, USER_INTENT
from duologue.core.decoded import shown
from duologue.core.records import Annotation, Dialogue, Mention, Span, Turn, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

RULES = {
    "not-a-list": "the file holds one JSON list",
    "item-not-object": "each dialogue is an object with `id` and `content`, or a list of turns (first version)",
    "dialog-id-missing": "a dialogue that is an object has an `id`",
    "dialog-id-type": "an `id` is a text that is not empty",
    "dialog-id-repeated": "no two dialogues have the same `id` (a warning; the second is called `<id>~2`)",
    "content-type": "`content` is a list of turns",
    "turn-type": "a turn is an object",
    "turn-speakers": "a turn has two utterances, texts under different keys",
    "intent-type": "`客服意图` and `用户意图` are texts where they are given",
    "intent-missing": "a turn has both intents or none (a warning; the official tools discard the dialogue)",
    "speakers-swapped": "the order of the intent keys fits that of the other turns (a warning)",
    "info-type": "`info` is an object with the lists `ents` and `triples`",
    "info-missing": "`info` has both `ents` and `triples` (a warning; a missing one is empty)",
    "entity-type": "an entity is an object with the texts `name`, `id` and `type`",
    "triple-type": "a triple is an object with the texts `ent-id`, `prop` and `value`",
    "keys-exchanged": "entities have `name` and `id`, triples `ent-name` and `ent-id` (a warning; mended)",
    "position-type": "positions are `[side, start, end]`, side 1 or 2, in characters from 0",
    "position-flat": "an entity's `pos` is a list of positions (a warning; mended, the official scorer crashes on it)",
    "position-text": "a position covers the name or value in its utterance (a warning)",
    "too-many-problems": "the check stops after 1,000 errors",
}
"""Ids of the rules for raw files, and what each demands."""

_EMPTY: dict[str, Any] = {"ents": [], "triples": []}
_NOTHING: tuple[tuple[()], tuple[()]] = ((), ())
Part = TypeVar("Part", Mention, Value)

_RESERVED = frozenset({STAFF_INTENT, USER_INTENT, CONFUSED, "info"})
_OTHER = {SPEAKERS[0]: SPEAKERS[1], SPEAKERS[1]: SPEAKERS[0]}
_ROLES = {STAFF_INTENT: "system", USER_INTENT: "user"}
FIRST_VERSION = "v1"
"""Dialogues of the first public version have no ids; they are called `v1-00`, `v1-01`, ... in the file's order."""


def read_dialogues(rows: Any, faults: Faults) -> list[Dialogue]:
    """Return the dialogues in a decoded raw file; `faults` gathers its problems.

    Two utterances of a turn are two `Turn`s, whose role follows the order of the intent keys, or for unlabelled
    dialogues the speaker's number (1 is the staff). Dialogues with errors are left out.
    """
    found = []
    taken: set[str] = set()
    for number, row in enumerate(open_rows(rows, faults)):
        dialogue = _dialogue(row, number, taken, faults)
        if dialogue is not None:
            found.append(dialogue)
        if faults.full:
            faults.stop()
            break
    return found


def _dialogue(row: Any, number: int, taken: set[str], faults: Faults) -> Dialogue | None:
    before = faults.errors
    if isinstance(row, list):
        name: str | None = f"{FIRST_VERSION}-{number:02d}"
        content: Any = row
        faults.enter(number, name)
    elif isinstance(row, dict):
        faults.enter(number, row.get("id"))
        name, content = row_id(row, faults), row.get("content")
    else:
        faults.enter(number, None)
        faults.add("item-not-object", "", f"found {shown(row)}, expected an object with id and content")
        return None
    if not isinstance(content, list):
        faults.add("content-type", "/content", f"'content' is {shown(content)}, expected a list of turns")
        return None
    turns: list[Turn] = []
    for place, turn in enumerate(content):
        turns += _pair(turn, place, faults)
    _warn_of_swapped(turns, faults)
    if faults.errors > before or name is None:
        return None
    return Dialogue(id=fresh_id(name, taken, faults), turns=tuple(turns), source=row)


def content_of(row: Any) -> Any:
    """Return the turns of a raw row, that of the first version included."""
    return row if isinstance(row, list) else row["content"]


def _pair(turn: Any, place: int, faults: Faults) -> list[Turn]:
    """Return the two utterances of a turn."""
    pointer = f"/content/{place}"
    if not isinstance(turn, dict):
        faults.add("turn-type", pointer, f"found {shown(turn)}, expected an object")
        return []
    voices = [key for key in turn if key not in _RESERVED][:2]
    if len(voices) < 2 or not (faults.is_text(turn[voices[0]]) and faults.is_text(turn[voices[1]])):
        faults.add("turn-speakers", pointer, f"the turn has {len(voices)} utterances, expected two texts")
        return []
    roles = _roles(turn, voices, pointer, faults)
    texts = [turn[key] for key in voices]
    info = turn.get("info")
    parts = _info(info, 2 * place, texts, pointer, faults) if info is not None and info != _EMPTY else _NOTHING
    made = []
    for side, (voice, role) in enumerate(zip(voices, roles, strict=True)):
        intent = turn.get(USER_INTENT if role == "user" else STAFF_INTENT)
        annotation = None
        if info is not None or intent is not None:
            acts = acts_of(intent, role) if isinstance(intent, str) else ()
            mentions, values = _on(2 * place + side, parts[0]), _on(2 * place + side, parts[1])
            annotation = Annotation(acts=acts, mentions=mentions, values=values)
        made.append(Turn(speaker=role, text=turn[voice], annotation=annotation, meta={"voice": voice}))
    return made


def _on(utterance: int, parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return the mentions or values that stand in one utterance."""
    if not parts:
        return ()
    return tuple([one for one in parts if one.span is not None and one.span.turn == utterance])


def _roles(turn: dict[str, Any], voices: list[str], pointer: str, faults: Faults) -> list[str]:
    intents = [key for key in turn if key in _ROLES]
    for key in intents:
        if not faults.is_text(turn[key]):
            faults.add("intent-type", f"{pointer}/{key}", f"'{key}' is {shown(turn[key])}, expected a text")
    if len(intents) == 2:
        return [_ROLES[intents[0]], _ROLES[intents[1]]]
    if intents:
        faults.warn("intent-missing", pointer, f"there is only '{intents[0]}', expected both intents or none")
    return ["user", "system"] if voices[0] == SPEAKERS[1] else ["system", "user"]


def _warn_of_swapped(turns: list[Turn], faults: Faults) -> None:
    """Warn where a voice has another role than in most turns: an annotator exchanged the intents."""
    firsts = [(turn.meta["voice"], turn.speaker) for turn in turns[::2]]
    if len(set(firsts)) < 2:  # all turns alike
        return
    staff = Counter(
        (voice, role) if role == "system" else (_OTHER.get(voice, voice), "system") for voice, role in firsts
    )
    (usual, _), _ = staff.most_common(1)[0]
    for place, (voice, role) in enumerate(firsts):
        if (voice == usual) != (role == "system"):
            message = f"{voice} is the {role} here, and {usual} is the system in most turns"
            faults.warn("speakers-swapped", f"/content/{place}", message, "the official tools discard the dialogue")


def _info(info: Any, first: int, texts: list[str], pointer: str, faults: Faults) -> tuple[list[Mention], list[Value]]:
    pointer = f"{pointer}/info"
    if not isinstance(info, dict):
        faults.add("info-type", pointer, f"'info' is {shown(info)}, expected an object")
        return [], []
    lists = []
    for key in ("ents", "triples"):
        if key not in info:
            faults.warn("info-missing", pointer, f"there is no '{key}'; taken for empty")
        part = info.get(key, [])
        if not isinstance(part, list):
            faults.add("info-type", f"{pointer}/{key}", f"'{key}' is {shown(part)}, expected a list")
            part = []
        lists.append(part)
    mentions: list[Mention] = []
    for number, entity in enumerate(lists[0]):
        mentions += _mentions(entity, first, texts, f"{pointer}/ents/{number}", faults)
    values = [
        value
        for number, triple in enumerate(lists[1])
        if (value := _value(triple, first, texts, f"{pointer}/triples/{number}", faults)) is not None
    ]
    return mentions, values


def mended_entity(entity: dict[str, Any]) -> dict[str, Any]:
    """Return an entity record with its usual keys and a list of positions; the same object where nothing is odd."""
    renamed = _renamed(entity, {"ent-name": "name", "ent-id": "id"})
    pos = renamed.get("pos")
    flat = isinstance(pos, list) and bool(pos) and not isinstance(pos[0], list)
    return {**renamed, "pos": [pos]} if flat else renamed


def mended_triple(triple: dict[str, Any]) -> dict[str, Any]:
    """Return a triple with its usual keys; the same object where nothing is odd."""
    return _renamed(triple, {"name": "ent-name", "id": "ent-id"})


def _renamed(record: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    odd = {key: name for key, name in names.items() if key in record and name not in record}
    return {odd.get(key, key): value for key, value in record.items()} if odd else record


def _mentions(entity: Any, first: int, texts: list[str], pointer: str, faults: Faults) -> list[Mention]:
    if not isinstance(entity, dict):
        faults.add("entity-type", pointer, f"found {shown(entity)}, expected an object")
        return []
    mended = mended_entity(entity)
    if list(mended) != list(entity):
        faults.warn("keys-exchanged", pointer, "an entity has the keys of a triple; read as name and id")
    elif mended is not entity:
        faults.warn("position-flat", pointer, "'pos' is one position, expected a list of positions")
    if not faults.expect_texts(mended, ("name", "id", "type"), "entity-type", pointer):
        return []
    positions = mended.get("pos", [])
    if not isinstance(positions, list):
        faults.add("position-type", f"{pointer}/pos", f"'pos' is {shown(positions)}, expected a list of positions")
        return []
    return [
        Mention(label=mended["type"], text=mended["name"], entity=mended["id"], span=span)
        for place in positions
        if (span := _span(place, mended["name"], first, texts, pointer, faults)) is not None
    ]


def _value(triple: Any, first: int, texts: list[str], pointer: str, faults: Faults) -> Value | None:
    """Return the slot value of a triple. Without a position it stands where its text is first found in the turn."""
    if not isinstance(triple, dict):
        faults.add("triple-type", pointer, f"found {shown(triple)}, expected an object")
        return None
    mended = mended_triple(triple)
    if mended is not triple:
        faults.warn("keys-exchanged", pointer, "a triple has the keys of an entity; read as ent-name and ent-id")
    if not faults.expect_texts(mended, ("ent-id", "prop", "value"), "triple-type", pointer):
        return None
    text = mended["value"]
    span = _span(mended["pos"], text, first, texts, pointer, faults) if "pos" in mended else _found(text, first, texts)
    if span is None:
        return None
    owner = None if mended["ent-id"] == USER else mended["ent-id"]
    return Value(slot=mended["prop"], text=text, entity=owner, span=span)


def _found(text: str, first: int, texts: list[str]) -> Span:
    """Return where the text first stands in the turn; an empty span at its beginning where it does not."""
    for side, utterance in enumerate(texts):
        start = utterance.find(text)
        if start >= 0:
            return Span(turn=first + side, start=start, end=start + len(text))
    return Span(turn=first, start=0, end=0)


def _span(place: Any, text: str, first: int, texts: list[str], pointer: str, faults: Faults) -> Span | None:
    if not isinstance(place, list) or len(place) != 3 or not all(map(is_count, place)) or place[0] not in {1, 2}:
        message = f"a position is {_spelled(place)}, expected [side, start, end] with side 1 or 2"
        faults.add("position-type", f"{pointer}/pos", message)
        return None
    side, start, end = place
    covered = texts[side - 1][start:end]
    if covered != text:
        message = f"the position {place} covers {shown(covered)}, expected {shown(text)}"
        faults.warn("position-text", f"{pointer}/pos", message)
    return Span(turn=first + side - 1, start=start, end=end)


def _spelled(place: Any) -> str:
    return f"[{', '.join(map(shown, place[:5]))}]" if isinstance(place, list) else shown(place)


def mended_row(row: Any, name: str) -> dict[str, Any]:
    """Return a raw row with usual keys throughout, for the official tools; the row must have passed the reader."""
    content = []
    for turn in content_of(row):
        info = turn.get("info") or {}
        content.append(
            {
                **turn,
                "info": {
                    **info,
                    "ents": [_with(mended_entity(entity), "pos", []) for entity in info.get("ents", [])],
                    "triples": [_with(mended_triple(one), "ent-name", USER) for one in info.get("triples", [])],
                },
            }
        )
    return {"id": name, "content": content}


def _with(record: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    return record if key in record else {**record, key: value}
