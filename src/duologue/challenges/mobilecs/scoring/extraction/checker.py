"""Checks a track 1 result file and reports all its problems at once (specification, sections 6.1 and 15).

Variant `official` accepts every file that the official cleaning and scoring programs get through. Variant `strict`
also requires complete fields, known turns and positions that cover the name.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.challenges.mobilecs.formats.issues import Issues, is_count
from duologue.challenges.mobilecs.formats.raw import content_of
from duologue.challenges.mobilecs.schema.english import bilingual
from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, NOISE, USER
from duologue.challenges.mobilecs.schema.task_infos import EXTRACTION
from duologue.challenges.mobilecs.scoring import results
from duologue.challenges.mobilecs.scoring.extraction import official
from duologue.challenges.mobilecs.scoring.official_errors import OfficialError
from duologue.core import problems
from duologue.core.decoded import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.records import Annotation, Example, Problem, Submission

RULES = {
    **results.RULES,
    "entities-type": "each item has `entities`, a list",
    "triples-type": "each item has `triples`, a list",
    "entity-type": "an entity is an object with the texts `id`, `name` and `type`",
    "entity-type-unknown": "a `type` is one of the ten entity types (a warning)",
    "entity-repeated": "no mention is given twice (a warning; the second costs precision)",
    "triple-type": "a triple is an object with the texts `ent-id`, `prop` and `value`",
    "triple-repeated": "no triple is given twice for the same words (a warning; a value said twice is two triples)",
    "triple-unmentioned": "the entity of a triple has a mention (a warning; the official scorer needs one)",
    "position-type": "an entity's `position` is `[start, end]` in characters from 0, end behind start",
    "position-missing": "a triple has a `position` (a warning; the official scorer needs it)",
    "position-text": "the words at `position` are the entity's `name`, breaks aside",
    "turn-missing": "entities and triples have a `turn_id`",
    "turn-type": "`turn_id` and `utterance_id` are integers from 0",
    "turn-spelled": "a `turn_id` is an integer, not its digits as a text (a warning)",
    "turn-from-utterance": "`turn_id` is given beside `utterance_id` (a warning; the official scorer needs it)",
    "turn-differs": "`utterance_id` lies in the turn of `turn_id`",
    "turn-unknown": "a turn lies within its dialogue",
    "official-crash": "the official programs get through the file",
    problems.RULE: problems.RULE_SAYS,
}
"""Ids of the rules for track 1 result files, and what each demands."""

_BREAKS = str.maketrans(NOISE[1], NOISE[0])
_WITHOUT_NOISE = str.maketrans("", "", NOISE)
_TYPES = ", ".join(map(bilingual, ENTITY_TYPES))


class ComparedMention(NamedTuple):
    """A mention as the strict variant compares it; `side` is 0 or 1, `None` if the file does not say."""

    entity: str
    turn: int
    side: int | None
    start: int
    end: int
    label: str


class ComparedTriple(NamedTuple):
    """A triple as the strict variant compares it; `entity` is `None` for the user, `value` has no breaks."""

    entity: str | None
    turn: int
    slot: str
    value: str


@dataclass(slots=True)
class DialogueExtraction:
    """Mentions and triples of one dialogue; unreadable ones, and those with a wrong position, are only counted."""

    mentions: list[ComparedMention] = field(default_factory=list)
    triples: list[ComparedTriple] = field(default_factory=list)
    wrong_mentions: int = 0
    wrong_triples: int = 0
    mention_rows: list[int] = field(default_factory=list)
    """The place of each mention among those of its row, unusable ones included."""
    triple_rows: list[int] = field(default_factory=list)
    """The same of each triple."""


@dataclass(frozen=True, slots=True)
class CheckedExtractions:
    """Problems and usable answers of a result file under the strict rules."""

    problems: tuple[Problem, ...]
    documents: Mapping[str, DialogueExtraction] = field(default_factory=dict)
    """The usable part of each answer, by dialogue id."""


def check(submission: Submission, examples: Sequence[Example] | None, variant: str) -> tuple[Problem, ...]:
    """Return all problems of a result file, warnings included, at most about 1,000 errors and as many warnings.

    `examples` is the data, when it is known. Raises `UsageError` for an unknown variant.
    """
    EXTRACTION.expect_variant(variant)
    if variant == "official":
        return official_refusal(submission, examples)
    return examine(submission, examples).problems


def official_refusal(submission: Submission, examples: Sequence[Example] | None) -> tuple[Problem, ...]:
    """Return why the official programs end with an error; empty if they get through.

    Rows of dialogues that are not in the gold data are skipped unread; if it is not known, any row may be in it.
    """
    unreadable = results.unreadable_officially(submission)
    if unreadable:
        return unreadable
    try:
        if examples is None:
            official.replay_without_gold(submission.rows)
        else:
            official.score(gold_rows(examples), submission.rows)
    except OfficialError as error:
        found = error.problem()
        if examples is None:
            found = msgspec.structs.replace(found, message=f"{found.message}, {UNLESS_UNKNOWN}")
        return (found,)
    return ()


UNLESS_UNKNOWN = "unless the truth does not have the dialogue"
"""Added to an error of the official programs while the gold data is unknown: rows of other dialogues are skipped."""


def gold_rows(examples: Sequence[Example]) -> list[dict[str, Any]]:
    """Return the source rows of the examples, as the official scorer reads them."""
    return [
        one.source
        if isinstance(one.source, dict)
        else {"id": one.sample.id, "content": content_of(one.source if one.source is not None else [])}
        for one in examples
    ]


def examine(submission: Submission, examples: Sequence[Example] | None) -> CheckedExtractions:
    """Return all problems under the strict rules, and the answers that are usable."""
    known = (
        None if examples is None else {one.sample.id: [turn.text for turn in one.sample.history] for one in examples}
    )
    problems, documents = results.examine(submission, known, "id, entities and triples", _extraction)
    return CheckedExtractions(problems, documents)


def _extraction(row: dict[str, Any], texts: list[str] | None, issues: Issues) -> DialogueExtraction:
    entities, triples = (_records(row, key, issues) for key in ("entities", "triples"))
    ids = {one["id"] for one in entities if isinstance(one, dict) and isinstance(one.get("id"), str)}
    mentions = [_mention(one, texts, f"/entities/{number}", issues) for number, one in enumerate(entities)]
    _warn_of_repeated_mentions(mentions, issues)
    values = [_triple(one, texts, ids, f"/triples/{number}", issues) for number, one in enumerate(triples)]
    _warn_of_repeated_values(triples, values, texts, issues)
    return DialogueExtraction(
        mentions=[one for one in mentions if one is not None],
        triples=[one for one in values if one is not None],
        wrong_mentions=mentions.count(None),
        wrong_triples=values.count(None),
        mention_rows=[number for number, one in enumerate(mentions) if one is not None],
        triple_rows=[number for number, one in enumerate(values) if one is not None],
    )


def _records(row: dict[str, Any], key: str, issues: Issues) -> list[Any]:
    """Return the list `row[key]`; an empty one, with a problem, if it is none."""
    part = row.get(key)
    if isinstance(part, list):
        return part
    what = f"is {shown(part)}" if key in row else "is missing"
    advice = "an empty list says that there is none"
    issues.add(f"{key}-type", f"/{key}", f"'{key}' {what}, expected a list", advice)
    return []


def _warn_of_repeated_mentions(mentions: Sequence[ComparedMention | None], issues: Issues) -> None:
    """Warn of each mention that is given before; `None` stands for an unusable one."""
    seen: set[ComparedMention | None] = set()
    for number, one in enumerate(mentions):
        if one is not None and one in seen:
            issues.warn("entity-repeated", f"/entities/{number}", "the same mention is given before")
        seen.add(one)


def _mention(one: Any, texts: list[str] | None, pointer: str, issues: Issues) -> ComparedMention | None:
    if not isinstance(one, dict):
        issues.add("entity-type", pointer, f"found {shown(one)}, expected an object")
        return None
    whole = issues.expect_texts(one, ("id", "name", "type"), "entity-type", pointer)
    place = one.get("position")
    placed = isinstance(place, list) and len(place) == 2 and all(map(is_count, place)) and place[0] < place[1]
    if not placed:
        message = f"'position' is {shown(place)}, expected [start, end] with 0 <= start < end"
        issues.add("position-type", pointer, message)
    turn = _turn(one, texts, pointer, issues)
    if not whole or not placed or turn is None:
        return None
    assert isinstance(place, list)
    if one["type"] not in ENTITY_TYPES:
        message = f"{shown(one['type'])} is none of the ten entity types"
        issues.warn("entity-type-unknown", pointer, message, f"the types are {_TYPES}")
    number, side = turn
    if texts is not None:
        side = _side(one["name"], place, texts[2 * number : 2 * number + 2], side)
        if side == _NEITHER:
            here = " or ".join(shown(text[place[0] : place[1]]) for text in texts[2 * number : 2 * number + 2])
            message = f"position {place} of turn {number} covers {here}, expected {shown(one['name'])}"
            issues.add("position-text", pointer, message, "positions count characters of one utterance from 0")
            return None
    return ComparedMention(one["id"], number, side, place[0], place[1], one["type"])


_NEITHER = -1


def _side(name: str, place: list[int], texts: list[str], given: int | None) -> int | None:
    """Return the side whose text at `place` is the name, blanks and underscores being equal.

    `None` if both match and the file does not say which; `_NEITHER` if none does, or not the given one.
    """
    wanted = name.translate(_BREAKS)
    fitting = [side for side, text in enumerate(texts) if text[place[0] : place[1]].translate(_BREAKS) == wanted]
    if given is not None:
        return given if given in fitting else _NEITHER
    return _NEITHER if not fitting else fitting[0] if len(fitting) == 1 else None


def _triple(one: Any, texts: list[str] | None, ids: set[str], pointer: str, issues: Issues) -> ComparedTriple | None:
    if not isinstance(one, dict):
        issues.add("triple-type", pointer, f"found {shown(one)}, expected an object")
        return None
    whole = issues.expect_texts(one, ("ent-id", "prop", "value"), "triple-type", pointer)
    turn = _turn(one, texts, pointer, issues)
    if not isinstance(one.get("position"), list):
        issues.warn("position-missing", pointer, "there is no 'position'; the official scorer needs one")
    if not whole or turn is None:
        return None
    if one["ent-id"] != USER and one["ent-id"] not in ids:
        message = f"{shown(one['ent-id'])} has no mention; the official scorer needs one"
        issues.warn("triple-unmentioned", pointer, message)
    owner = None if one["ent-id"] == USER else one["ent-id"]
    return ComparedTriple(owner, turn[0], one["prop"], one["value"].translate(_WITHOUT_NOISE))


def _warn_of_repeated_values(
    triples: Sequence[Any], values: Sequence[ComparedTriple | None], texts: list[str] | None, issues: Issues
) -> None:
    """Warn of each triple that is given before for the same words: a value that is said twice is two triples."""
    given: Counter[tuple[ComparedTriple, tuple[tuple[int, int, int], ...]]] = Counter()
    seen: set[ComparedTriple] = set()
    for number, (one, value) in enumerate(zip(triples, values, strict=True)):
        if value is None:
            continue
        places = places_of(one, value, texts)
        if given[value, places] >= max(1, len(places)) or (not places and value in seen):
            issues.warn("triple-repeated", f"/triples/{number}", "the same triple is given before in this turn")
        given[value, places] += 1
        seen.add(value)


def places_of(one: Any, value: ComparedTriple, texts: list[str] | None) -> tuple[tuple[int, int, int], ...]:
    """Return where the value of a triple is said: side, start and end; both sides where it does not say which.

    None where the value does not stand at its position; without the texts its position is believed, on side -1 where
    it does not say which.
    """
    position, utterance = one.get("position"), one.get("utterance_id")
    if not isinstance(position, list) or len(position) != 2 or not all(map(is_count, position)):
        return ()
    start, end = position
    if texts is None:
        return ((utterance % 2 if is_count(utterance) else -1, start, end),)
    sides = (utterance % 2,) if is_count(utterance) else (0, 1)
    said = texts[2 * value.turn : 2 * value.turn + 2]
    return tuple((side, start, end) for side in sides if said[side][start:end].translate(_WITHOUT_NOISE) == value.value)


def _turn(one: dict[str, Any], texts: list[str] | None, pointer: str, issues: Issues) -> tuple[int, int | None] | None:
    """Return turn and side of an entity or triple from `turn_id` and `utterance_id`; `None` if unusable."""
    turn: Any = one.get("turn_id")
    utterance: Any = one.get("utterance_id")
    if isinstance(turn, str) and turn.isascii() and turn.isdecimal() and len(turn) < 7:
        issues.warn("turn-spelled", pointer, f"'turn_id' is the text {shown(turn)}; read as a number")
        turn = int(turn)
    if turn is None and utterance is None:
        issues.add("turn-missing", pointer, "there is no 'turn_id'")
        return None
    for key, value in (("turn_id", turn), ("utterance_id", utterance)):
        if value is not None and not is_count(value):
            issues.add("turn-type", pointer, f"'{key}' is {shown(value)}, expected an integer from 0")
            return None
    if turn is None:
        message = "there is 'utterance_id' and no 'turn_id'; the official scorer needs it"
        issues.warn("turn-from-utterance", pointer, message, "add turn_id = utterance_id // 2")
        turn = utterance // 2
    if utterance is not None and utterance // 2 != turn:
        issues.add("turn-differs", pointer, f"utterance {utterance} lies in turn {utterance // 2}, not in {turn}")
        return None
    if texts is not None and 2 * turn >= len(texts):
        issues.add("turn-unknown", pointer, f"there is no turn {turn}; the dialogue has {len(texts) // 2}")
        return None
    return turn, None if utterance is None else utterance % 2


def of_annotation(annotation: Annotation) -> DialogueExtraction:
    """Return gold mentions and values as the strict variant compares them."""
    found = DialogueExtraction()
    for number, mention in enumerate(annotation.mentions):
        if mention.span is not None and mention.entity is not None:
            turn, side = divmod(mention.span.turn, 2)
            place = (mention.span.start, mention.span.end)
            found.mentions.append(ComparedMention(mention.entity, turn, side, *place, mention.label))
            found.mention_rows.append(number)
    for number, value in enumerate(annotation.values):
        if value.span is not None:
            text = value.text.translate(_WITHOUT_NOISE)
            found.triples.append(ComparedTriple(value.entity, value.span.turn // 2, value.slot, text))
            found.triple_rows.append(number)
    return found
