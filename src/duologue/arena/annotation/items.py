"""What is marked in a dialogue: mentions, values and intents as items, each suggested, confirmed, changed or added."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec

from duologue.core.decoded import is_text
from duologue.core.errors import RequestError
from duologue.core.records import Act, Annotation, Mention, Record, Span, Value
from duologue.core.typed import convert

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Dialogue

ItemLayer = Literal["mention", "value", "intent"]
ItemState = Literal["suggested", "confirmed", "changed", "removed", "added"]
_LIMIT = 2_000
_LONGEST = 200
_Part = TypeVar("_Part", Mention, Value)


class AnnotationItem(Record, frozen=True, kw_only=True):
    """One mark."""

    id: str
    """Unique within the dialogue; that of a suggestion stays with what becomes of it."""
    layer: ItemLayer
    turn: int
    """Index of the utterance, from 0."""
    label: str
    """Type, slot or intent."""
    start: int = 0
    """In characters (code points) of the utterance; 0 for intents."""
    end: int = 0
    """Exclusive."""
    entity: str | None = None
    """The entity of a mention, or that owns a value; `None` for the user and for intents."""
    args: tuple[str, ...] = ()
    """Arguments of an intent."""
    confirmed: bool = False
    """Whether a person has said that it is right; for suggestions nobody has looked at it is not."""
    by: tuple[str, ...] = ()
    """In adjudication: who marked it."""

    @property
    def content(self) -> tuple[object, ...]:
        """What it says, whoever says it."""
        return (self.layer, self.turn, self.start, self.end, self.label, self.entity, self.args)


def read_items(given: Any, dialogue: Dialogue) -> list[AnnotationItem]:
    """Return items that a client sent, each within its utterance. Raises `RequestError` saying what is wrong."""
    try:
        items = convert(given, list[AnnotationItem])
    except (msgspec.ValidationError, RecursionError) as error:
        raise RequestError(f"the annotation cannot be read: {error}") from error
    if len(items) > _LIMIT:
        raise RequestError(f"{len(items):,} marks are too many for one dialogue; {_LIMIT:,} is the most")
    if len({one.id for one in items}) < len(items):
        raise RequestError("two marks have the same id; load the page again")
    for one in items:
        _expect(one, dialogue)
    return items


def _expect(one: AnnotationItem, dialogue: Dialogue) -> None:
    """Raise `RequestError` for an item with bad texts, outside its utterance, or without what its layer needs."""
    texts = (one.id, one.label, *one.args, *one.by)
    if len(texts) > _LONGEST:
        raise RequestError(f"mark '{one.id[:20]}' has more than {_LONGEST} arguments")
    if not all(is_text(text) and 0 < len(text) <= _LONGEST for text in texts) or not is_text(one.entity or ""):
        raise RequestError(f"mark '{one.id[:20]!a}' has a text that is empty, or longer than {_LONGEST} characters")
    if not 0 <= one.turn < len(dialogue.turns):
        raise RequestError(f"mark '{one.id}' is in utterance {one.turn + 1} of {len(dialogue.turns)}")
    length = len(dialogue.turns[one.turn].text)
    if one.layer != "intent" and not 0 <= one.start < one.end <= length:
        raise RequestError(f"mark '{one.id}' covers {one.start} to {one.end} of an utterance of {length} characters")
    if one.layer == "mention" and not one.entity:
        raise RequestError(f"mention '{one.id}' belongs to no entity")
    if one.entity is not None and not 0 < len(one.entity) <= _LONGEST:
        raise RequestError(f"mark '{one.id}' names an entity without a name, or with one of more than {_LONGEST}")


def items_of(dialogue: Dialogue, prefix: str, *, confirmed: bool) -> list[AnnotationItem]:
    """Return the annotation that the turns hold as items; marks that do not cover their words are left out."""
    made = []
    for place, turn in enumerate(dialogue.turns):
        found = turn.annotation or Annotation()
        acts = [{"layer": "intent", "label": act.name, "args": act.args} for act in found.acts if act.name]
        made += [{"turn": place, **one} for one in (*acts, *_marks(found, dialogue, place))]
    return _numbered(made, prefix, confirmed=confirmed)


def items_of_annotation(found: Annotation, dialogue: Dialogue, prefix: str) -> list[AnnotationItem]:
    """Return what a system found as suggestions; what does not cover its words is left out."""
    mentions, values = _by_turn(found.mentions), _by_turn(found.values)
    made = [
        {"turn": place, **one}
        for place in range(len(dialogue.turns))
        for one in _marks(
            Annotation(mentions=tuple(mentions.get(place, ())), values=tuple(values.get(place, ()))), dialogue, place
        )
    ]
    return _numbered(made, prefix, confirmed=False)


def _by_turn(parts: Iterable[_Part]) -> dict[int, list[_Part]]:
    """Return by turn what is in it, in its order."""
    found: dict[int, list[_Part]] = {}
    for one in parts:
        if one.span is not None:
            found.setdefault(one.span.turn, []).append(one)
    return found


def _marks(found: Annotation, dialogue: Dialogue, turn: int) -> list[dict[str, Any]]:
    text = dialogue.turns[turn].text
    parts: list[tuple[str, str, str | None, str, Span | None]] = [
        ("mention", one.label, one.entity, one.text, one.span) for one in found.mentions if one.entity
    ]
    parts += [("value", one.slot, one.entity, one.text, one.span) for one in found.values]
    made = [
        {"layer": layer, "label": label, "entity": entity, "start": span.start, "end": span.end}
        for layer, label, entity, words, span in parts
        if span is not None and span.turn == turn and label and words and text[span.start : span.end] == words
    ]
    return list({tuple(one.values()): one for one in made}.values())


def _numbered(made: Iterable[dict[str, Any]], prefix: str, *, confirmed: bool) -> list[AnnotationItem]:
    return [AnnotationItem(id=f"{prefix}{number}", confirmed=confirmed, **one) for number, one in enumerate(made, 1)]


def annotated(dialogue: Dialogue, items: Sequence[AnnotationItem]) -> Dialogue:
    """Return the dialogue with the items as the annotation of its turns, whatever annotation it had."""
    turns = []
    of_turn: dict[int, list[AnnotationItem]] = {}
    for one in items:
        of_turn.setdefault(one.turn, []).append(one)
    for place, turn in enumerate(dialogue.turns):
        here = of_turn.get(place, [])
        spans = sorted((one for one in here if one.layer != "intent"), key=lambda one: (one.start, one.end, one.label))
        found = Annotation(
            acts=tuple(
                Act(speaker=turn.speaker, name=one.label, args=one.args) for one in here if one.layer == "intent"
            ),
            mentions=tuple(
                Mention(label=one.label, text=turn.text[one.start : one.end], entity=one.entity, span=_span(one))
                for one in spans
                if one.layer == "mention"
            ),
            values=tuple(
                Value(slot=one.label, text=turn.text[one.start : one.end], entity=one.entity, span=_span(one))
                for one in spans
                if one.layer == "value"
            ),
        )
        turns.append(msgspec.structs.replace(turn, annotation=found))
    return msgspec.structs.replace(dialogue, turns=tuple(turns))


def _span(one: AnnotationItem) -> Span:
    return Span(turn=one.turn, start=one.start, end=one.end)


def states(suggested: Sequence[AnnotationItem], items: Sequence[AnnotationItem]) -> dict[str, ItemState]:
    """Return the state of each item, and of each suggestion that is gone, by id.

    It follows from what the items say: nobody can call a suggestion confirmed that was changed.
    """
    known = {one.id: one for one in suggested}
    found: dict[str, ItemState] = {one.id: "removed" for one in suggested}
    for item in items:
        origin = known.get(item.id)
        if origin is None:
            found[item.id] = "added"
        elif origin.content != item.content:
            found[item.id] = "changed"
        else:
            found[item.id] = "confirmed" if item.confirmed else "suggested"
    return found


def tally_states(suggested: Sequence[AnnotationItem], items: Sequence[AnnotationItem]) -> Counter[ItemState]:
    """Return how many items are in which state."""
    return Counter(states(suggested, items).values())


def undecided(suggested: Sequence[AnnotationItem], items: Sequence[AnnotationItem]) -> int:
    """Return how many suggestions nobody has decided on."""
    return tally_states(suggested, items)["suggested"]


def pack(items: Iterable[AnnotationItem]) -> list[dict[str, Any]]:
    """Return items as the database and the pages have them."""
    made: list[dict[str, Any]] = msgspec.to_builtins(list(items))
    return made


def unpack(rows: Any) -> list[AnnotationItem]:
    """Return items as the database has them."""
    return convert(rows, list[AnnotationItem])
