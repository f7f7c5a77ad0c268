"""Track 2 counted strictly: what the specification's section 15 recommends in place of the official quirks.

Intents are sets of (act, argument) pairs in one spelling, entities resolved on both sides. BLEU folds case and counts
empty replies. Success wants a value told after it was asked for, once or twice, and not in a list of everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.knowledge.goal import consultations_of
from duologue.challenges.mobilecs.schema.intents import ASK, QUERY, acts_of, entity_argument
from duologue.challenges.mobilecs.schema.ontology import (
    ASKED,
    CONSULT,
    COVERED_TYPES,
    ENTITY_TYPES,
    STAFF_INTENT,
    STAFF_TEXT,
    USER,
    USER_INTENT,
)
from duologue.challenges.mobilecs.scoring.dialogue.bleu import bleu_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duologue.core.records import Act, Answer

    Base = Mapping[str, Mapping[str, str]]
    Row = Mapping[str, Any]

MOST_REPLIES = 2
"""A value that more replies tell than these is a habit, not an answer."""
PATIENCE = 2
"""So many replies may come between a request and its answer: staff ask to wait, or look something up first."""
MOST_UNRELATED = 2
"""A reply that lists more values of the knowledge base than these beside the requested ones tells nothing."""

_TYPES = frozenset(one.casefold() for one in ENTITY_TYPES)


class IntentPair(NamedTuple):
    """An act with one argument: what it is about (entity ids, the user or a type) and the slot; both may be empty."""

    label: str
    about: frozenset[str]
    slot: str


class RequestedItem(NamedTuple):
    """Something a user wants to hear."""

    asked_in: frozenset[int]
    """Turns in which it is asked for; empty where no intent tells."""
    values: frozenset[str]
    """Any of these answers it; case folded."""


def count(row: Row, answers: Sequence[Answer | None]) -> list[dict[str, float]]:
    """Return the counts of each turn of a dialogue; those of Success stand with its first turn.

    `answers` has one per turn, `None` where none is given: then nothing is said there.
    """
    base = row["KB"]
    counted = []
    for turn, answer in zip(row["content"], answers, strict=True):
        acts = answer.annotation.acts if answer is not None and answer.annotation is not None else ()
        counted.append(
            {
                **_user_counts(acts, turn.get(USER_INTENT, ""), base),
                **_system_counts(acts, turn.get(STAFF_INTENT, "")),
                **bleu_counts(_reply(answer), _folded(turn[STAFF_TEXT]), capped=False),
            }
        )
    if counted:
        counted[0] |= _success_counts(row, [_reply(answer) for answer in answers])
    return counted


def _folded(text: str) -> str:
    return text.casefold()


def _reply(answer: Answer | None) -> str:
    return _folded(answer.text) if answer is not None and answer.text is not None else ""


def _user_counts(acts: Iterable[Act], true: str, base: Base) -> dict[str, float]:
    said = pairs_of((act for act in acts if act.speaker == "user"), base)
    wanted = pairs_of(acts_of(true, "user"), base)
    return {
        "user-intent right": _matched(said, wanted),
        "user-intent said": len(said),
        "user-intent wanted": len(wanted),
    }


def _matched(said: Iterable[IntentPair], wanted: Iterable[IntentPair]) -> int:
    """Return how many pairs can be matched one to one, at most: a name of several entities takes none from another."""
    fitting = {pair: [one for one in wanted if _same(pair, one)] for pair in said}
    taken: dict[IntentPair, IntentPair] = {}

    def place(pair: IntentPair, tried: set[IntentPair]) -> bool:
        for one in fitting[pair]:
            if one not in tried:
                tried.add(one)
                if one not in taken or place(taken[one], tried):
                    taken[one] = pair
                    return True
        return False

    return sum(place(pair, set()) for pair in fitting)


def _same(said: IntentPair, true: IntentPair) -> bool:
    """Tell whether two pairs are one: a name that several entities share may mean any of them."""
    about = said.about & true.about if said.about or true.about else True
    return said.label == true.label and said.slot == true.slot and bool(about)


def pairs_of(acts: Iterable[Act], base: Base) -> set[IntentPair]:
    """Return the acts as a set of pairs; an act without arguments is a pair of its own.

    A request to look something up and a question are one label, as the official scorer has it.
    """
    found = set()
    for act in acts:
        label = ASK if act.name == QUERY else act.name
        found |= {_pair(label, argument, base) for argument in act.args} or {IntentPair(label, frozenset(), "")}
    return found


def _pair(label: str, argument: str, base: Base) -> IntentPair:
    folded = _folded(argument.strip())
    parsed = entity_argument(argument.strip())
    if parsed is not None:
        return IntentPair(label, frozenset({parsed[0]}), _folded(parsed[1]))
    if folded in _TYPES:
        return IntentPair(label, frozenset({folded}), "")
    name, dash, slot = folded.rpartition("-")
    if not dash:
        return IntentPair(label, frozenset({USER}), folded)
    named = frozenset(
        entity for entity, slots in base.items() if name in _folded(slots.get("name", "")).split(",") and entity != USER
    )
    return IntentPair(label, named or frozenset({name}), slot)


def _system_counts(acts: Iterable[Act], true: str) -> dict[str, float]:
    said = {act.name for act in acts if act.speaker == "system"}
    wanted = {act.name for act in acts_of(true, "system")}
    return {
        "system-intent right": len(said & wanted),
        "system-intent said": len(said),
        "system-intent wanted": len(wanted),
    }


def _success_counts(row: Row, replies: Sequence[str]) -> dict[str, float]:
    """Return whether the dialogue has requests and whether the replies answer all of them.

    What the staff did not answer either, by the same rule, is asked of no system.
    """
    items = requested_items(row)
    true = [_folded(turn[STAFF_TEXT]) for turn in row["content"]]
    values = _values(row["KB"])
    wanted = frozenset(value for item in items for value in item.values)
    answerable = [item for item in items if is_told(item, true, values - wanted)]
    told = all(is_told(item, replies, values - wanted) for item in answerable)
    return {"success dialogues": float(bool(answerable)), "success fulfilled": float(bool(answerable) and told)}


def _values(base: Base) -> frozenset[str]:
    """Return the values of all slots of a knowledge base, names and types aside; case folded."""
    return frozenset(
        value
        for slots in base.values()
        for slot, values in slots.items()
        if slot not in {"name", "type"}
        for value in _folded(values).split(",")
        if value
    )


def is_told(item: RequestedItem, replies: Sequence[str], unrelated: frozenset[str]) -> bool:
    """Tell whether the replies answer an item: soon after a request, in one or two replies, not among many values."""
    telling = [place for place, reply in enumerate(replies) if any(value in reply for value in item.values)]
    if not telling or len(telling) > MOST_REPLIES:
        return False
    return any(
        _in_time(place, item.asked_in) and _beside(replies[place], item, unrelated) <= MOST_UNRELATED
        for place in telling
    )


def _in_time(place: int, asked_in: frozenset[int]) -> bool:
    return not asked_in or any(asked <= place <= asked + PATIENCE for asked in asked_in)


def _beside(reply: str, item: RequestedItem, unrelated: frozenset[str]) -> int:
    """Return how many unrelated values a reply lists; one that is a part of a requested value is none."""
    told = [value for value in item.values if value in reply]
    return sum(value in reply and not any(value in one for one in told) for value in unrelated)


def requested_items(row: Row) -> list[RequestedItem]:
    """Return what the user of a dialogue wants to hear, as far as the knowledge base has it.

    Values that the user has said are left out, compared as a whole.
    """
    base, asked = row["KB"], _asked(row)
    found = []
    for name, entry in (row.get("goal") or {}).items():
        if name == CONSULT:
            for wish in consultations_of(entry):
                kind = _folded(wish.rsplit("-", maxsplit=1)[-1])
                found.append(RequestedItem(frozenset(asked.get((kind, ""), ())), _names_of(base, kind)))
        elif name in base:
            for slot, known in entry.items():
                said = _folded(known).split(",")
                if ASKED in said and slot in base[name]:
                    values = frozenset(_folded(base[name][slot]).split(",")) - {*said, ""}
                    found.append(RequestedItem(frozenset(asked.get((name, _folded(slot)), ())), values))
    return [item for item in found if item.values]


def _names_of(base: Base, kind: str) -> frozenset[str]:
    covered = COVERED_TYPES.get(kind, ())
    named = (slots.get("name", "") for slots in base.values() if _folded(slots.get("type", "")) in covered)
    return frozenset(one for names in named for one in _folded(names).split(",") if one)


def _asked(row: Row) -> dict[tuple[str, str], set[int]]:
    """Return the turns in which each entity's slot, the user's slot or a type is asked for."""
    found: dict[tuple[str, str], set[int]] = {}
    for number, turn in enumerate(row["content"]):
        for pair in pairs_of(acts_of(turn.get(USER_INTENT, ""), "user"), row["KB"]):
            for about in pair.about:
                found.setdefault((about, pair.slot), set()).add(number)
    return found
