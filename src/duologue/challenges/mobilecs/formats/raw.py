"""Reads raw dialogues: official turns of two utterances with their annotation (specification, section 1).

The order of keys carries meaning. Deviations of the raw corpus (a flat position, exchanged keys, missing parts) are
repaired with a warning; `source` keeps the original row.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from duologue.challenges.mobilecs.formats.annotations import TurnAnnotations, read_annotations
from duologue.challenges.mobilecs.formats.issues import Issues, expected_text, odd_field, open_rows, row_id, unique_id
from duologue.challenges.mobilecs.schema.intents import acts_of
from duologue.challenges.mobilecs.schema.ontology import CONFUSED, SPEAKERS, STAFF_INTENT, USER_INTENT, USER_TEXT
from duologue.core import problems
from duologue.core.decoded import shown
from duologue.core.records import Annotation, Answer, Dialogue, Example, Mention, Sample, Turn, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

RULES = {
    "not-a-list": "the file holds one JSON list",
    "item-not-object": "each dialogue is an object with `id` and `content`, or a list of turns (first version)",
    "dialog-id-missing": "a dialogue that is an object has an `id` (a warning; called `row-0`, ... by its place)",
    "dialog-id-type": "an `id` is a text",
    "dialog-id-repeated": "no two dialogues have the same `id` (a warning; the second is called `<id>~2`)",
    "content-type": "`content` is a list of turns",
    "repaired-file": "the file holds raw turns, not re-paired ones of track 2",
    "turn-type": "a turn is an object",
    "turn-speakers": "a turn has two utterances, texts under different keys",
    "intent-type": "`客服意图` and `用户意图` are texts where they are given",
    "intent-missing": "a turn has both intents or none (a warning; the official tools discard the dialogue)",
    "speakers-swapped": "the order of the intent keys fits that of the other turns (a warning)",
    "info-type": "`info` is an object with the lists `ents` and `triples`",
    "info-missing": "`info` has both `ents` and `triples` (a warning; a missing one is empty)",
    "entity-type": "an entity is an object with the texts `name`, `id` and `type`",
    "triple-type": "a triple is an object with the texts `ent-id`, `prop` and `value`",
    "part-missing": "entities have `name`, `id`, `type` and `pos`, triples `ent-id`, `prop` and `value`, none empty "
    "(a warning; the record is left out)",
    "owner-user": "the `ent-id` of the user's own slot values is `NA` (a warning; `na` is read as it)",
    "keys-exchanged": "entities have `name` and `id`, triples `ent-name` and `ent-id` (a warning; repaired)",
    "position-type": "positions are `[side, start, end]`, side 1 or 2, in characters from 0",
    "position-flat": "an entity's `pos` is a list of positions (a warning; repaired; the official scorer crashes)",
    "position-empty": "no position is an empty list (a warning; left out)",
    "position-text": "a position covers the name or value in its utterance (a warning)",
    problems.RULE: problems.RULE_SAYS,
}
"""Rules for raw files by id."""

_UNMARKED = TurnAnnotations()
Part = TypeVar("Part", Mention, Value)
Made = TypeVar("Made")

_RESERVED = frozenset({STAFF_INTENT, USER_INTENT, CONFUSED, "info"})
_OTHER = {SPEAKERS[0]: SPEAKERS[1], SPEAKERS[1]: SPEAKERS[0]}
_ROLES = {STAFF_INTENT: "system", USER_INTENT: "user"}
FIRST_VERSION = "v1"
"""Dialogues of the first public version have no ids; they are called `v1-00`, `v1-01`, ... in the file's order."""
WITHOUT_ID = "row-"
"""Prefix of the name of a dialogue without an id, before its index in the file."""


class _Shape(NamedTuple):
    """Utterances, intents and roles of a turn, from the order of its keys."""

    voices: tuple[str, ...]
    """Keys of the utterances, at most two."""
    intents: tuple[str, ...]
    roles: tuple[str, str]
    """Role of each utterance."""


class _Pair(NamedTuple):
    """A turn and its parsed parts."""

    row: dict[str, Any]
    shape: _Shape
    texts: list[str]
    marked: TurnAnnotations


def read_dialogues(rows: Any, issues: Issues) -> list[Dialogue]:
    """Return the dialogues of a decoded raw file; `issues` collects its problems.

    The two utterances of a turn are two `Turn`s, whose roles follow the order of the intent keys, or for unlabelled
    dialogues the speaker's number (1 is the staff). Dialogues with errors are left out.
    """
    return _read(rows, _as_dialogue, issues)


def read_examples(rows: Any, issues: Issues) -> list[Example]:
    """Return the track 1 examples of a decoded raw file: bare turns, with mentions and values as the reference.

    Roles and problems are those of `read_dialogues`. A dialogue without annotation (unlabelled) has no reference.
    """
    return _read(rows, _as_example, issues)


def _read(rows: Any, make: Callable[[Any, str, list[_Pair]], Made], issues: Issues) -> list[Made]:
    found = []
    taken: dict[str, int] = {}
    for number, row in enumerate(open_rows(rows, issues)):
        before = issues.errors
        name, pairs = _pairs(row, number, issues)
        if name is not None and issues.errors == before:
            found.append(make(row, unique_id(name, taken, issues), pairs))
    return found


def _pairs(row: Any, number: int, issues: Issues) -> tuple[str | None, list[_Pair]]:
    """Return the id and turns of a row, collecting all its problems."""
    if isinstance(row, list):
        name: str | None = f"{FIRST_VERSION}-{number:02d}"
        content: Any = row
        issues.enter(number, name)
    elif isinstance(row, dict):
        issues.enter(number, row.get("id"))
        name, content = _name(row, number, issues), row.get("content")
    else:
        issues.enter(number, None)
        issues.add("item-not-object", "", f"found {shown(row)}, expected an object with id and content")
        return None, []
    if not isinstance(content, list):
        issues.add("content-type", "/content", odd_field(row, "content", "a list of turns"))
        return None, []
    if content and isinstance(content[0], dict) and USER_TEXT in content[0] and SPEAKERS[0] not in content[0]:
        message = f"the turns have '{USER_TEXT}', as track 2 data has it: paired anew, with values in two turns"
        issues.add("repaired-file", "/content", message, "give the raw dialogues that it was made of")
        return name, []
    read = [_pair(turn, place, issues) for place, turn in enumerate(content)]
    pairs = [pair for pair in read if pair is not None]
    _warn_of_swapped(pairs, issues)
    return name, pairs


def _name(row: dict[str, Any], number: int, issues: Issues) -> str | None:
    """Return the id of a row, or one made from its index if it has none."""
    if row.get("id") in (None, ""):
        issues.warn("dialog-id-missing", "", f"there is no 'id'; called {WITHOUT_ID}{number}")
        return f"{WITHOUT_ID}{number}"
    return row_id(row, issues)


def _as_dialogue(row: Any, name: str, pairs: list[_Pair]) -> Dialogue:
    turns = tuple(turn for place, pair in enumerate(pairs) for turn in _annotated_turns(pair, place))
    return Dialogue(id=name, turns=turns, source=row)


def _annotated_turns(pair: _Pair, place: int) -> Iterator[Turn]:
    info = pair.row.get("info")
    for side, (voice, role, text) in enumerate(zip(pair.shape.voices, pair.shape.roles, pair.texts, strict=True)):
        intent = pair.row.get(USER_INTENT if role == "user" else STAFF_INTENT)
        annotation = None
        if info is not None or intent is not None:
            acts = acts_of(intent, role) if intent is not None else ()
            mentions, values = _on(2 * place + side, pair.marked.mentions), _on(2 * place + side, pair.marked.values)
            annotation = Annotation(acts=acts, mentions=mentions, values=values)
        yield Turn(speaker=role, text=text, annotation=annotation, meta={"voice": voice})


def _on(utterance: int, parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return the mentions or values of one utterance."""
    return tuple([one for one in parts if one.span is not None and one.span.turn == utterance])


def _as_example(row: Any, name: str, pairs: list[_Pair]) -> Example:
    turns = []
    mentions: list[Mention] = []
    values: list[Value] = []
    for _, (voices, _, roles), texts, marked in pairs:
        turns.append(Turn(speaker=roles[0], text=texts[0], meta={"voice": voices[0]}))
        turns.append(Turn(speaker=roles[1], text=texts[1], meta={"voice": voices[1]}))
        mentions += marked.mentions
        values += marked.values
    references: tuple[Answer, ...] = ()
    if not pairs or any(pair.shape.intents or pair.row.get("info") is not None for pair in pairs):
        # by utterance, within one in the order of the file
        annotation = Annotation(
            mentions=tuple(sorted(mentions, key=_utterance)), values=tuple(sorted(values, key=_utterance))
        )
        references = (Answer(annotation=annotation),)
    sample = Sample(id=name, dialogue_id=name, history=tuple(turns))
    return Example(sample=sample, references=references, source=row)


_utterance = attrgetter("span.turn")


def content_of(row: Any) -> Any:
    """Return the turns of a raw row, that of the first version included."""
    return row if isinstance(row, list) else row["content"]


def _pair(turn: Any, place: int, issues: Issues) -> _Pair | None:
    """Return the two utterances of a turn with their annotation."""
    if not isinstance(turn, dict):
        issues.add("turn-type", f"/content/{place}", f"found {shown(turn)}, expected an object")
        return None
    shape = _shape(tuple(turn))
    texts = [turn[key] for key in shape.voices]
    if len(texts) < 2 or not issues.are_texts(texts):
        issues.add("turn-speakers", f"/content/{place}", f"the turn has {len(texts)} utterances, expected two texts")
        return None
    if len(shape.intents) != 2 or not issues.are_texts([turn[shape.intents[0]], turn[shape.intents[1]]]):
        _check_intents(turn, shape.intents, f"/content/{place}", issues)
    info = turn.get("info")
    marked = read_annotations(info, place, texts, issues) if info is not None else _UNMARKED
    return _Pair(turn, shape, texts, marked)


def _check_intents(turn: dict[str, Any], intents: tuple[str, ...], pointer: str, issues: Issues) -> None:
    for key in intents:
        if not issues.is_text(turn[key]):
            issues.add(
                "intent-type", f"{pointer}/{key}", f"'{key}' is {shown(turn[key])}, expected {expected_text(turn[key])}"
            )
    if len(intents) == 1:
        issues.warn("intent-missing", pointer, f"there is only '{intents[0]}', expected both intents or none")


@lru_cache(maxsize=64)
def _shape(keys: tuple[str, ...]) -> _Shape:
    """Return the shape of a turn by the order of its keys; a file has few different orders."""
    voices = tuple(key for key in keys if key not in _RESERVED)[:2]
    intents = tuple(key for key in keys if key in _ROLES)
    if len(intents) == 2:
        return _Shape(voices, intents, (_ROLES[intents[0]], _ROLES[intents[1]]))
    return _Shape(voices, intents, ("user", "system") if voices[:1] == (SPEAKERS[1],) else ("system", "user"))


def _warn_of_swapped(pairs: list[_Pair], issues: Issues) -> None:
    """Warn of turns in which a voice has another role than in most: an annotator exchanged the intents."""
    firsts = [(pair.shape.voices[0], pair.shape.roles[0]) for pair in pairs]
    if len(set(firsts)) < 2:  # all turns alike
        return
    staff = Counter(
        (voice, role) if role == "system" else (_OTHER.get(voice, voice), "system") for voice, role in firsts
    )
    (usual, _), _ = staff.most_common(1)[0]
    mixed = len({role for _, role in firsts}) > 1
    advice = "the official tools " + (
        "discard the dialogue" if mixed else "take the speakers of the first turn for all"
    )
    for place, (voice, role) in enumerate(firsts):
        if (voice == usual) != (role == "system"):
            message = f"{voice} is the {role} here, and {usual} is the system in most turns"
            issues.warn("speakers-swapped", f"/content/{place}", message, advice)


def official_rows(rows: Any) -> list[dict[str, Any]]:
    """Return decoded rows as the official preprocessing takes them: those of the first version get ids.

    Rows that are no dialogues stay as they are and fail in the preprocessing.
    """
    return [
        row
        if isinstance(row, dict) and "id" in row
        else {"id": f"{WITHOUT_ID}{number}", **row}
        if isinstance(row, dict)
        else {"id": f"{FIRST_VERSION}-{number:02d}", "content": row}
        for number, row in enumerate(rows if isinstance(rows, list) else [rows])
    ]
