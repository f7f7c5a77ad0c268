"""From raw dialogues to track 2 data: buckets, re-paired turns, intents with arguments (specification, 4.1 to 4.4).

All functions take and give decoded official objects and change none of them. Where the official tools leave an
order to chance (names and values of an entity), it is the order of first appearance here.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.goal import goal_and_base
from duologue.challenges.mobilecs.intents import normalise_user, to_ascii, with_arguments
from duologue.challenges.mobilecs.schema import (
    CONFUSED,
    STAFF_INTENT,
    STAFF_TEXT,
    UNTRANSCRIBED,
    USER_INTENT,
    USER_TEXT,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Turn = Mapping[str, Any]

_FIRST, _SECOND = 1, 2


class Buckets(NamedTuple):
    """Raw dialogues by who opens every turn; `others` (confused, mixed, more than two voices) are discarded."""

    service_first: list[Any]
    user_first: list[Any]
    others: list[Any]


def sort_dialogues(rows: Iterable[Mapping[str, Any]]) -> Buckets:
    """Return the dialogues in their buckets, in the order of the file (4.1)."""
    buckets = Buckets([], [], [])
    for row in rows:
        getattr(buckets, _bucket(row["content"])).append(row)
    return buckets


def _bucket(content: Sequence[Turn]) -> str:
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


def process(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return track 2 dialogues (`id`, `KB`, `goal`, `content`): those the staff opens, then those the user opens.

    Raises `KeyError`, `TypeError` and the like as the official tools do where a row is not of the form; the
    checks of the reader find these before.
    """
    buckets = sort_dialogues(rows)
    pairs = [(row["id"], _repaired(row["content"])) for row in buckets.service_first]
    pairs += [(row["id"], [_renamed(turn) for turn in row["content"]]) for row in buckets.user_first]
    made = []
    for name, turns in pairs:
        content = [_with_normal_intents(turn) for turn in turns]
        goal, base = goal_and_base(content)
        made.append({"id": name, "KB": base, "goal": goal, "content": content})
    return made


def _repaired(content: Sequence[Turn]) -> list[dict[str, Any]]:
    """Return turns that the user opens: each user side with the staff side of the turn after (4.2)."""
    staff, user = list(content[0])[:2]
    return [_joined(here, after, user, staff) for here, after in pairwise(content)]


def _joined(here: Turn, after: Turn, user: str, staff: str) -> dict[str, Any]:
    asked, told = here["info"], after["info"]
    return {
        USER_TEXT: here[user].replace(UNTRANSCRIBED, ""),
        STAFF_TEXT: after[staff].replace(UNTRANSCRIBED, ""),
        USER_INTENT: here[USER_INTENT],
        STAFF_INTENT: after[STAFF_INTENT],
        "info": {
            "ents": [*_on_side(asked["ents"], _SECOND, _FIRST), *_on_side(told["ents"], _FIRST, _SECOND)],
            "triples": [
                *_said_in(here[user], asked["triples"], _FIRST),
                *_said_in(after[staff], told["triples"], _SECOND),
            ],
        },
    }


def _on_side(entities: Iterable[Mapping[str, Any]], side: int, new: int) -> list[dict[str, Any]]:
    """Return the entities with positions on `side`, with these alone and with the number `new`."""
    kept = []
    for entity in entities:
        positions = [[new, *place[1:]] for place in entity["pos"] if place[0] == side]
        if positions:
            kept.append({**entity, "pos": positions})
    return kept


def _said_in(text: str, triples: Iterable[Mapping[str, Any]], new: int) -> list[dict[str, Any]]:
    """Return the triples whose value occurs anywhere in the text: a triple can go to both neighbours (sic)."""
    kept = []
    for triple in triples:
        if triple["value"] in text:
            moved = {"pos": [new, *triple["pos"][1:]]} if "pos" in triple else {}
            kept.append({**triple, **moved})
    return kept


def _renamed(turn: Turn) -> dict[str, Any]:
    """Return a turn that the user opens with its two texts under the new keys, at the end."""
    user, staff = list(turn)[:2]
    kept = {key: value for key, value in turn.items() if key not in (user, staff)}
    texts = {USER_TEXT: turn[user], STAFF_TEXT: turn[staff]}
    return {**kept, **{key: text.replace(UNTRANSCRIBED, "") for key, text in texts.items()}}


def _with_normal_intents(turn: Turn) -> dict[str, Any]:
    """Return the turn with its intents spelled alike and with arguments where its triples tell them (4.3, 4.4)."""
    asked = with_arguments(normalise_user(turn[USER_INTENT]), turn[USER_TEXT], turn["info"]["triples"])
    return {**turn, USER_INTENT: asked, STAFF_INTENT: to_ascii(turn[STAFF_INTENT])}
