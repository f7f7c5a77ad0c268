"""The official track 2 scorer, quirk by quirk (specification, section 8).

Takes decoded dialogues with gold and generated fields, as the organisers merged them. Where the official program
ends with a Python error, `score` raises an `OfficialError` that names it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.knowledge.kb import query
from duologue.challenges.mobilecs.schema.intents import ASK, ID_LENGTH, QUERY, bracketed, without_brackets
from duologue.challenges.mobilecs.schema.ontology import (
    CONSULT,
    GENERATED_REPLY,
    GENERATED_STAFF_INTENT,
    GENERATED_USER_INTENT,
    REQUESTED,
    STAFF_INTENT,
    STAFF_TEXT,
    USER_INTENT,
)
from duologue.challenges.mobilecs.scoring.official_errors import official_errors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ColumnCounts = dict[str, float]
Arguments = list["str | list[str]"]
"""Arguments of a label: strings, and groups of alternative strings (one per name of an entity)."""


class ScoredDialogue(NamedTuple):
    """Counts of the official program for one dialogue."""

    turns: list[ColumnCounts]
    """Counts per turn; empty for a turn without a generated user intent, which the program skips."""
    requested: list[str]
    """Requested items; each is a list of alternatives, joined by commas."""
    fulfilled: bool
    """Whether each of them occurs in some reply."""


def score(dialogues: Sequence[Mapping[str, Any]]) -> list[ScoredDialogue]:
    """Return the counts of each dialogue. Raises `OfficialError` if the official program ends with an error."""
    replies: list[tuple[ColumnCounts, tuple[str, str]]] = []
    with official_errors("track 2 scorer"):
        scored = [_score(dialogue, replies) for dialogue in dialogues]
    from duologue.challenges.mobilecs.scoring.dialogue.metrics import count_replies  # numpy only where it is needed

    for (turn, _), counted in zip(replies, count_replies([pair for _, pair in replies], official=True), strict=True):
        turn.update(counted)
    return scored


def divisions_by_zero(scored: Sequence[ScoredDialogue]) -> list[str]:
    """Return the reason of each division by zero in the official program, which then prints nothing."""
    reasons = {
        "no user intent is predicted right": "user-intent right",
        "no staff intent is predicted right": "system-intent right",
        "all replies are empty": "bleu length",
    }
    turns = [turn for one in scored for turn in one.turns]
    found = [reason for reason, column in reasons.items() if not any(turn.get(column) for turn in turns)]
    if not any(one.requested for one in scored):
        found.append("no dialogue has a requested item")
    return found


def _score(dialogue: Mapping[str, Any], pairs: list[tuple[ColumnCounts, tuple[str, str]]]) -> ScoredDialogue:
    """Return the counts of a dialogue without those of BLEU; add to `pairs` each reply and reference to be counted."""
    requested = requested_items(dialogue["goal"], dialogue["KB"])
    turns: list[ColumnCounts] = []
    replies = []
    for turn in dialogue["content"]:
        if GENERATED_USER_INTENT not in turn:
            turns.append({})
            continue
        counted = user_counts(turn[GENERATED_USER_INTENT], turn[USER_INTENT], dialogue["KB"])
        counted |= system_counts(turn[GENERATED_STAFF_INTENT], turn[STAFF_INTENT])
        reply = turn[GENERATED_REPLY]
        if reply != "":  # a pair with an empty reply is left out
            pairs.append((counted, ("".join(reply.split()), "".join(turn[STAFF_TEXT].split()))))
        turns.append(counted)
        replies.append(reply)
    fulfilled = all(any(one in reply for one in item.split(",") for reply in replies) for item in requested)
    return ScoredDialogue(turns, requested, fulfilled)


def user_counts(predicted: str, gold: str, base: Mapping[str, Any]) -> ColumnCounts:
    """Return right, said and wanted of the user intents of one turn (8.2).

    Right (for precision) and missing (for recall) are counted separately, so an incomplete act can be both; `wanted`
    is right plus missing, the denominator of the official recall.
    """
    given, wanted = _labels(predicted, base), _labels(gold, base)
    right = sum(_is_right(arguments, wanted, label) for label, arguments in given.items())
    missing = sum(_is_missing(arguments, given, label) for label, arguments in wanted.items())
    return {
        "user-intent right": right,
        "user-intent said": len(given),
        "user-intent wanted": right + missing,
    }


def _labels(intent: str, base: Mapping[str, Any]) -> dict[str, Arguments | None]:
    """Return the arguments of each label, `None` for a label without; of equal labels the last counts."""
    found: dict[str, Arguments | None] = {}
    for item in intent.replace(QUERY, ASK).split(","):
        label, bracket, _ = item.partition("(")
        found[label] = _arguments(item, base) if bracket else None
    return found


def _arguments(item: str, base: Mapping[str, Any]) -> Arguments:
    found: Arguments = []
    for argument in bracketed(item):
        if "ent" not in argument:
            found.append(argument)
        elif argument[:ID_LENGTH] in base:  # so `ent-10` is taken for `ent-1`
            slot = argument.split("-")[-1]
            group = [f"{name}-{slot}" for name in base[argument[:ID_LENGTH]]["name"].split(",")]
            if group not in found:
                found.append(group)
    return found


def _is_right(arguments: Arguments | None, gold: dict[str, Arguments | None], label: str) -> bool:
    if arguments is None:
        return label in gold
    wanted = gold.get(label)
    if wanted is None:
        return False
    flat = [one for group in wanted for one in (group if isinstance(group, list) else [group])]
    return all(one in flat for one in arguments)


def _is_missing(arguments: Arguments | None, predicted: dict[str, Arguments | None], label: str) -> bool:
    if arguments is None:
        return label not in predicted
    given = predicted.get(label)
    if given is None:
        return True
    return not all(any(one in given for one in (group if isinstance(group, list) else [group])) for group in arguments)


def system_counts(predicted: str, gold: str) -> ColumnCounts:
    """Return right, said and wanted of the staff intents of one turn, by substring of the whole string (8.3)."""
    predicted, gold = without_brackets(predicted), without_brackets(gold)
    pieces = predicted.split(",")
    right = sum(piece in gold for piece in pieces)
    missing = sum(piece not in predicted for piece in gold.split(","))
    return {
        "system-intent right": right,
        "system-intent said": len(pieces),
        "system-intent wanted": right + missing,
    }


def requested_items(goal: Mapping[str, Any], base: Mapping[str, Any]) -> list[str]:
    """Return the requested items that the knowledge base has: alternatives joined by commas (8.4).

    Values that occur anywhere in the user's own value of the slot are left out.
    """
    found = []
    for name, entry in goal.items():
        if name == CONSULT:
            for consultation in entry.split(","):
                names = query(base, ent_type=consultation.split("-")[-1])
                if names is not None:
                    found.append(",".join(names))
        elif name in base:
            for slot, known in entry.items():
                if REQUESTED in known and slot in base[name]:
                    values = [value for value in base[name][slot].split(",") if value not in known]
                    if values:
                        found.append(",".join(values))
    return found
