"""Official rows of dialogues that people annotated: what they left as it was read stays byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.formats.issues import Issues
from duologue.challenges.mobilecs.formats.raw import content_of, read_dialogues
from duologue.challenges.mobilecs.formats.turn_info import info_of
from duologue.challenges.mobilecs.schema.intents import intent_of
from duologue.challenges.mobilecs.schema.ontology import SPEAKERS, STAFF_INTENT, USER_INTENT
from duologue.core.records import Annotation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Dialogue, Turn

_INTENTS = {"system": STAFF_INTENT, "user": USER_INTENT}


def annotated_row(dialogue: Dialogue) -> Any:
    """Return the official row: a turn whose annotation and words are as in the source is the source's own.

    In any other turn, keys that are no annotation stay, behind those of the format.
    """
    given = content_of(dialogue.source) if dialogue.source is not None else []
    before = read_dialogues([dialogue.source], Issues()) if dialogue.source is not None else []
    known = before[0].turns if before else ()
    content = []
    for number in range(0, len(dialogue.turns), 2):
        pair = dialogue.turns[number : number + 2]
        kept = given[number // 2] if number // 2 < len(given) else {}
        same = _said(known[number : number + 2]) == _said(pair)
        content.append(kept if same else _turn(pair, number, kept))
    if isinstance(dialogue.source, list):
        return content
    return {**(dialogue.source or {"id": dialogue.id}), "content": content}


def _said(turns: Sequence[Turn]) -> list[tuple[object, ...]]:
    """Return what is told of turns, in an order that does not matter to it."""
    return [(turn.speaker, turn.text, turn.annotation and _sorted(turn.annotation)) for turn in turns]


def _sorted(found: Annotation) -> tuple[object, ...]:
    return (found.acts, sorted(map(repr, found.mentions)), sorted(map(repr, found.values)))


def _turn(pair: Sequence[Turn], first: int, kept: dict[str, Any]) -> dict[str, Any]:
    """Return a turn in the official order of keys, in which the intents come in the order of the speakers."""
    voices = [turn.meta.get("voice", SPEAKERS[place]) for place, turn in enumerate(pair)]
    marked = [turn.annotation or Annotation() for turn in pair]
    both = Annotation(
        mentions=tuple(one for found in marked for one in found.mentions),
        values=tuple(one for found in marked for one in found.values),
    )
    if all(turn.annotation is None for turn in pair):  # a bare turn stays one
        return {**kept, **{voice: turn.text for voice, turn in zip(voices, pair, strict=True)}}
    made = {
        **{voice: turn.text for voice, turn in zip(voices, pair, strict=True)},
        **{_INTENTS[turn.speaker]: intent_of(found.acts) for turn, found in zip(pair, marked, strict=True)},
        "info": info_of(both, first, len(pair)),
    }
    return made | {key: value for key, value in kept.items() if key not in made}
