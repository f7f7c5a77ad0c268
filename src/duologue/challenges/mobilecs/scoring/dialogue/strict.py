"""Strict counts of track 2, without the official quirks (specification, section 15).

Intents are sets of (act, argument) pairs in one spelling, entities resolved on both sides. BLEU folds case and counts
empty replies. Success requires that a value is given soon after the request, in one or two replies, and not in a list
of the whole knowledge base.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.knowledge.goal import consultations_of
from duologue.challenges.mobilecs.schema.intents import ASK, QUERY, acts_of, entity_argument
from duologue.challenges.mobilecs.schema.ontology import (
    CONSULT,
    COVERED_TYPES,
    ENTITY_TYPES,
    REQUESTED,
    STAFF_INTENT,
    STAFF_TEXT,
    USER,
    USER_INTENT,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duologue.core.records import Act, Answer

    Base = Mapping[str, Mapping[str, str]]
    Row = Mapping[str, Any]

MAX_REPLIES = 2
"""Most replies that may contain a requested value; more is a habit, not an answer."""
MAX_DELAY = 2
"""Most turns from a request to its answer: staff ask to wait, or look something up first."""
MAX_UNRELATED = 2
"""Most unrelated values of the knowledge base in an answer; a reply that lists more answers nothing."""

_TYPES = frozenset(one.casefold() for one in ENTITY_TYPES)


class IntentPair(NamedTuple):
    """An act with one argument: what it is about (entity ids, the user or a type) and the slot; both may be empty."""

    label: str
    about: frozenset[str]
    slot: str


class RequestedItem(NamedTuple):
    """An item that the user requests."""

    asked_in: frozenset[int]
    """Turns in which it is requested; empty if no intent says so."""
    values: frozenset[str]
    """Any of these answers it; case folded."""


def count(row: Row, answers: Sequence[Answer | None]) -> list[dict[str, float]]:
    """Return the counts of each turn of a dialogue; the first turn has those of Success.

    `answers` has one per turn, `None` for a missing one, which counts as an empty reply without intents.
    """
    from duologue.challenges.mobilecs.scoring.dialogue.metrics import count_replies  # numpy only where it is needed

    base = row["KB"]
    counted = []
    pairs = [
        ("".join(_reply(answer).split()), "".join(_folded(turn[STAFF_TEXT]).split()))
        for turn, answer in zip(row["content"], answers, strict=True)
    ]
    bleu = count_replies(pairs, official=False)
    for turn, answer, replies in zip(row["content"], answers, bleu, strict=True):
        acts = answer.annotation.acts if answer is not None and answer.annotation is not None else ()
        counted.append(
            {
                **_user_counts(acts, turn.get(USER_INTENT, ""), base),
                **_system_counts(acts, turn.get(STAFF_INTENT, "")),
                **replies,
            }
        )
    if counted:
        counted[0] |= _success_counts(row, [_reply(answer) for answer in answers])
    return counted


def _folded(text: str) -> str:
    return text.casefold()


def _reply(answer: Answer | None) -> str:
    return _folded(answer.text) if answer is not None and answer.text is not None else ""


def _user_counts(acts: Iterable[Act], gold: str, base: Base) -> dict[str, float]:
    predicted = pairs_of((act for act in acts if act.speaker == "user"), base)
    wanted = pairs_of(acts_of(gold, "user"), base)
    return {
        "user-intent right": _matched(predicted, wanted),
        "user-intent said": len(predicted),
        "user-intent wanted": len(wanted),
    }


def _matched(predicted: Iterable[IntentPair], wanted: Iterable[IntentPair]) -> int:
    """Return the size of a maximum one-to-one matching: an ambiguous name takes no pair from another."""
    fitting = {pair: [one for one in wanted if _same(pair, one)] for pair in predicted}
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


def _same(predicted: IntentPair, gold: IntentPair) -> bool:
    """Tell whether two pairs agree; a name shared by several entities may mean any of them."""
    about = predicted.about & gold.about if predicted.about or gold.about else True
    return predicted.label == gold.label and predicted.slot == gold.slot and bool(about)


def pairs_of(acts: Iterable[Act], base: Base) -> set[IntentPair]:
    """Return the acts as a set of pairs; an act without arguments is a pair of its own.

    Query and question are one label, as in the official scorer.
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
    name = name.strip()
    named = frozenset(entity for entity, slots in base.items() if name in _spoken_names(slots) and entity != USER)
    return IntentPair(label, named or frozenset({name}), slot)


def _spoken_names(slots: Mapping[str, str]) -> list[str]:
    """Return the names of an entity, case folded and without blanks at their ends, as arguments are read."""
    return [name.strip() for name in _folded(slots.get("name", "")).split(",")]


def _system_counts(acts: Iterable[Act], gold: str) -> dict[str, float]:
    predicted = {act.name for act in acts if act.speaker == "system"}
    wanted = {act.name for act in acts_of(gold, "system")}
    return {
        "system-intent right": len(predicted & wanted),
        "system-intent said": len(predicted),
        "system-intent wanted": len(wanted),
    }


def _success_counts(row: Row, replies: Sequence[str]) -> dict[str, float]:
    """Return whether the dialogue has requests and whether the replies answer all of them.

    Requests that the staff's own replies do not answer by the same rule are not counted.
    """
    gold = answered_items(row, [turn[STAFF_TEXT] for turn in row["content"]])
    answerable = [item for item, is_known in gold.items() if is_known]
    given = answered_items(row, replies)
    fulfilled = all(given[item] for item in answerable)
    return {"success dialogues": float(bool(answerable)), "success fulfilled": float(bool(answerable) and fulfilled)}


def answered_items(row: Row, replies: Sequence[str]) -> dict[RequestedItem, bool]:
    """Return for each requested item of a dialogue whether the replies, one per turn, answer it."""
    items, values = requested_items(row), _values(row["KB"])
    folded = [_folded(reply) for reply in replies]
    wanted = frozenset(value for item in items for value in item.values)
    return {item: is_answered(item, folded, values - wanted) for item in items}


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


def is_answered(item: RequestedItem, replies: Sequence[str], unrelated: frozenset[str]) -> bool:
    """Tell whether the replies answer an item: soon after the request, in one or two replies, not among many values."""
    containing = [place for place, reply in enumerate(replies) if any(value in reply for value in item.values)]
    if not containing or len(containing) > MAX_REPLIES:
        return False
    return any(
        _is_soon(place, item.asked_in) and _unrelated_values(replies[place], item, unrelated) <= MAX_UNRELATED
        for place in containing
    )


def _is_soon(place: int, asked_in: frozenset[int]) -> bool:
    return not asked_in or any(asked <= place <= asked + MAX_DELAY for asked in asked_in)


def _unrelated_values(reply: str, item: RequestedItem, unrelated: frozenset[str]) -> int:
    """Return the number of unrelated values in a reply, without those that are part of a requested value."""
    requested = [value for value in item.values if value in reply]
    return sum(value in reply and not any(value in one for one in requested) for value in unrelated)


def requested_items(row: Row) -> list[RequestedItem]:
    """Return the requested items of a dialogue that the knowledge base has.

    Values that the user has given are left out, compared as a whole.
    """
    base, asked = row["KB"], _turns_of_requests(row)
    found = []
    for name, entry in (row.get("goal") or {}).items():
        if name == CONSULT:
            for consultation in consultations_of(entry):
                kind = _folded(consultation.rsplit("-", maxsplit=1)[-1])
                found.append(RequestedItem(frozenset(asked.get((kind, ""), ())), _names_of(base, kind)))
        elif name in base:
            for slot, known in entry.items():
                mentioned = _folded(known).split(",")
                if REQUESTED in mentioned and slot in base[name]:
                    values = frozenset(_folded(base[name][slot]).split(",")) - {*mentioned, ""}
                    found.append(RequestedItem(frozenset(asked.get((name, _folded(slot)), ())), values))
    return [item for item in found if item.values]


def _names_of(base: Base, kind: str) -> frozenset[str]:
    covered = COVERED_TYPES.get(kind, ())
    named = (slots.get("name", "") for slots in base.values() if _folded(slots.get("type", "")) in covered)
    return frozenset(one for names in named for one in _folded(names).split(",") if one)


def _turns_of_requests(row: Row) -> dict[tuple[str, str], set[int]]:
    """Return the turns in which each slot of an entity or the user, or each type, is requested."""
    found: dict[tuple[str, str], set[int]] = {}
    for number, turn in enumerate(row["content"]):
        for pair in pairs_of(acts_of(turn.get(USER_INTENT, ""), "user"), row["KB"]):
            for about in pair.about:
                found.setdefault((about, pair.slot), set()).add(number)
    return found
