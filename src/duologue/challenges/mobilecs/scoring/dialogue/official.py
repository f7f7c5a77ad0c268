"""The official track 2 scorer, quirk by quirk (specification, section 8).

It works on decoded dialogues that hold what was said and what was generated, as the organisers merged them. Where
the official program ends with an error of Python, `score` raises an `OfficialError` that names it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.knowledge.kb import query
from duologue.challenges.mobilecs.schema.intents import ASK, ID_LENGTH, QUERY, bracketed, without_brackets
from duologue.challenges.mobilecs.schema.ontology import (
    ASKED,
    CONSULT,
    GENERATED_REPLY,
    GENERATED_STAFF_INTENT,
    GENERATED_USER_INTENT,
    STAFF_INTENT,
    STAFF_TEXT,
    USER_INTENT,
)
from duologue.challenges.mobilecs.scoring.dialogue.bleu import bleu_counts
from duologue.challenges.mobilecs.scoring.official_errors import official_errors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ColumnCounts = dict[str, float]
Arguments = list["str | list[str]"]
"""Arguments of a label: plain strings, and groups of which one string is enough (one per name of an entity)."""


class ScoredDialogue(NamedTuple):
    """What the official program counts in one dialogue."""

    turns: list[ColumnCounts]
    """Per turn its counts; empty for a turn without a generated user intent, which the program skips."""
    requested: list[str]
    """Items that the user wants to hear; each holds alternatives, joined by commas."""
    fulfilled: bool
    """Whether all of them are in some reply."""


def score(dialogues: Sequence[Mapping[str, Any]]) -> list[ScoredDialogue]:
    """Return the counts of each dialogue. Raises `OfficialError` where the official program ends with an error."""
    with official_errors("track 2 scorer"):
        return [_score(dialogue) for dialogue in dialogues]


def divisions_by_zero(scored: Sequence[ScoredDialogue]) -> list[str]:
    """Return for each score at which the official program divides by zero why it does; then it prints nothing."""
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


def _score(dialogue: Mapping[str, Any]) -> ScoredDialogue:
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
            counted |= bleu_counts(reply, turn[STAFF_TEXT])
        turns.append(counted)
        replies.append(reply)
    fulfilled = all(any(one in reply for one in item.split(",") for reply in replies) for item in requested)
    return ScoredDialogue(turns, requested, fulfilled)


def user_counts(said: str, true: str, base: Mapping[str, Any]) -> ColumnCounts:
    """Return right, said and wanted of the user intents of one turn (8.2).

    What is right for precision and what is missing for recall are counted apart, so an incomplete act can be both:
    `wanted` is right plus missing, as the official recall divides.
    """
    predicted, gold = _labels(said, base), _labels(true, base)
    right = sum(_is_right(arguments, gold, label) for label, arguments in predicted.items())
    missing = sum(_is_missing(arguments, predicted, label) for label, arguments in gold.items())
    return {
        "user-intent right": right,
        "user-intent said": len(predicted),
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
    said = predicted.get(label)
    if said is None:
        return True
    return not all(any(one in said for one in (group if isinstance(group, list) else [group])) for group in arguments)


def system_counts(said: str, true: str) -> ColumnCounts:
    """Return right, said and wanted of the staff intents of one turn, by substring of the whole string (8.3)."""
    said, true = without_brackets(said), without_brackets(true)
    pieces = said.split(",")
    right = sum(piece in true for piece in pieces)
    missing = sum(piece not in said for piece in true.split(","))
    return {
        "system-intent right": right,
        "system-intent said": len(pieces),
        "system-intent wanted": right + missing,
    }


def requested_items(goal: Mapping[str, Any], base: Mapping[str, Any]) -> list[str]:
    """Return what a user wants to hear, as far as the knowledge base has it: alternatives joined by commas (8.4).

    Values that occur anywhere in what the user said of the slot are left out.
    """
    found = []
    for name, entry in goal.items():
        if name == CONSULT:
            for wish in entry.split(","):
                names = query(base, ent_type=wish.split("-")[-1])
                if names is not None:
                    found.append(",".join(names))
        elif name in base:
            for slot, known in entry.items():
                if ASKED in known and slot in base[name]:
                    values = [value for value in base[name][slot].split(",") if value not in known]
                    if values:
                        found.append(",".join(values))
    return found
