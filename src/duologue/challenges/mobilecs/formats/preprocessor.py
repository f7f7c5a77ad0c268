"""Preprocesses raw dialogues into track 2 data: buckets, re-paired turns, intents (specification, 4.1 to 4.4).

All functions take and return decoded official objects and change none of them. Where the order of the official tools is
random (names and values of an entity), it is the order of first appearance here.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.knowledge.goal import goal_and_base
from duologue.challenges.mobilecs.schema.intents import normalise_user, to_ascii, with_arguments
from duologue.challenges.mobilecs.schema.ontology import (
    CONFUSED,
    STAFF_INTENT,
    STAFF_TEXT,
    UNTRANSCRIBED,
    USER_INTENT,
    USER_TEXT,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Row = Mapping[str, Any]
    Turn = Mapping[str, Any]

_FIRST, _SECOND = 1, 2


class Buckets(NamedTuple):
    """Raw dialogues by who opens every turn; `others` (confused, mixed, more than two voices) are discarded."""

    service_first: list[Any]
    user_first: list[Any]
    others: list[Any]


def sort_dialogues(rows: Iterable[Row]) -> Buckets:
    """Return the dialogues in their buckets, in the order of the file (4.1)."""
    buckets = Buckets([], [], [])
    for row in rows:
        getattr(buckets, bucket_of(row["content"])).append(row)
    return buckets


def bucket_of(content: Sequence[Turn]) -> str:
    """Return the bucket of a dialogue: a field of `Buckets`."""
    openers, voices = set(), set()
    for turn in content:
        if STAFF_INTENT not in turn or USER_INTENT not in turn:
            return "others"
        if CONFUSED in turn or CONFUSED in turn[STAFF_INTENT] or CONFUSED in turn[USER_INTENT]:
            return "others"
        keys = list(turn)
        openers.add("service_first" if keys.index(STAFF_INTENT) < keys.index(USER_INTENT) else "user_first")
        voices.update(keys[:2])
    if len(openers) == 1 and len(voices) == 2:
        return openers.pop()
    return "others"


def process(rows: Iterable[Row], *, shared: bool = True) -> list[dict[str, Any]]:
    """Return track 2 dialogues (`id`, `KB`, `goal`, `content`): those the staff opens, then those the user opens.

    A triple whose value both sides of a turn contain goes to two turns. In the official program it is one object, so
    both get the side that is written last; with `shared` false each turn has its own, with its position there. Raises
    `KeyError`, `TypeError` and the like for a row of another form.
    """
    buckets = sort_dialogues(rows)
    pairs = [(row["id"], _re_paired(row["content"], shared=shared)) for row in buckets.service_first]
    pairs += [(row["id"], _with_role_keys(row["content"])) for row in buckets.user_first]
    made = []
    for name, turns in pairs:
        content = [_with_normal_intents(turn) for turn in turns]
        goal, base = goal_and_base(content)
        made.append({"id": name, "KB": base, "goal": goal, "content": content})
    return made


def annotated(turn: Turn, key: str) -> Sequence[dict[str, Any]]:
    """Return the `ents` or `triples` of a turn; none if it has no annotation."""
    found: Sequence[dict[str, Any]] = (turn.get("info") or {}).get(key) or ()
    return found


def _re_paired(content: Sequence[Turn], *, shared: bool) -> list[dict[str, Any]]:
    """Return re-paired turns: each user side with the staff side of the next turn (4.2).

    The speakers' keys are those of the first turn for all turns (sic).
    """
    staff, user = list(content[0])[:2]
    triples = [[_copied(one) for one in annotated(turn, "triples")] for turn in content]
    select = _shared_triples if shared else _own_triples
    turns = []
    for number, (here, after) in enumerate(pairwise(content)):
        user_text, staff_text = here[user], after[staff]
        turns.append(
            {
                USER_TEXT: user_text.replace(UNTRANSCRIBED, ""),
                STAFF_TEXT: staff_text.replace(UNTRANSCRIBED, ""),
                USER_INTENT: here[USER_INTENT],
                STAFF_INTENT: after[STAFF_INTENT],
                "info": {
                    "ents": [
                        *_on_side(annotated(here, "ents"), _SECOND, _FIRST),
                        *_on_side(annotated(after, "ents"), _FIRST, _SECOND),
                    ],
                    "triples": [
                        *select(user_text, triples[number], _SECOND, _FIRST),
                        *select(staff_text, triples[number + 1], _FIRST, _SECOND),
                    ],
                },
            }
        )
    return turns


def _copied(triple: Mapping[str, Any]) -> dict[str, Any]:
    return {**triple, "pos": list(triple["pos"])} if isinstance(triple.get("pos"), list) else dict(triple)


def _on_side(entities: Iterable[Mapping[str, Any]], side: int, new: int) -> list[dict[str, Any]]:
    """Return the entities with positions on `side`, reduced to these and renumbered to side `new`."""
    kept = []
    for entity in entities:
        places = entity.get("pos") or ()
        if places and not isinstance(places[0], list):  # one position, not a list of them
            places = [places]
        positions = [[new, *place[1:]] for place in places if place and place[0] == side]
        if positions:
            kept.append({**entity, "pos": positions})
    return kept


def _shared_triples(text: str, triples: Iterable[dict[str, Any]], _: int, new: int) -> list[dict[str, Any]]:
    """Return the triples whose value occurs anywhere in the text, renumbered in place to side `new` (sic)."""
    kept = [one for one in triples if "value" in one and one["value"] in text]
    for triple in kept:
        if triple.get("pos"):
            triple["pos"][0] = new
    return kept


def _own_triples(text: str, triples: Iterable[dict[str, Any]], side: int, new: int) -> list[dict[str, Any]]:
    """Return copies of the triples whose value occurs in the text, with its position there on side `new`."""
    kept = []
    for triple in triples:
        if triple["value"] in text:
            start = triple["pos"][1] if triple.get("pos", (0,))[0] == side else text.index(triple["value"])
            place = {"pos": [new, start, start + len(triple["value"])]} if "pos" in triple else {}
            kept.append({**triple, **place})
    return kept


def _with_role_keys(content: Sequence[Turn]) -> list[dict[str, Any]]:
    """Return turns that the user opens with their two texts under the new keys, at the end.

    The first turn decides whose text is whose in all turns (sic).
    """
    user, staff = list(content[0])[:2]
    return [
        {
            **{key: value for key, value in turn.items() if key not in (user, staff)},
            USER_TEXT: turn[user].replace(UNTRANSCRIBED, ""),
            STAFF_TEXT: turn[staff].replace(UNTRANSCRIBED, ""),
        }
        for turn in content
    ]


def _with_normal_intents(turn: Turn) -> dict[str, Any]:
    """Return the turn with normalised intents, and with arguments from its triples (4.3, 4.4)."""
    user_intent = with_arguments(normalise_user(turn[USER_INTENT]), turn[USER_TEXT], annotated(turn, "triples"))
    return {**turn, USER_INTENT: user_intent, STAFF_INTENT: to_ascii(turn[STAFF_INTENT])}
