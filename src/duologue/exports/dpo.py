"""Preference pairs of judged replies for DPO: JSON lines in TRL's conversational form (prompt, chosen, rejected).

A pair that is a tie teaches nothing and is left out; so is one of equal replies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.core.amounts import amount
from duologue.core.errors import FormatError, UsageError
from duologue.core.plugins import load_task
from duologue.core.records import Problem
from duologue.exports.prompts import prompt_of
from duologue.judges.note import open_note
from duologue.ratings.files import read_ratings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.judges.items import JudgedItem
    from duologue.judges.session import JudgeSession


class DpoPairs(NamedTuple):
    """The lines, and how many judged pairs are among them or are not."""

    text: str
    pairs: int
    ties: int
    equal: int
    """Pairs with a winner whose replies are the same text."""

    def remarks(self) -> list[str]:
        """Return the counts in words."""
        left_out = f"{amount(self.ties, 'tie')}, {self.equal:,} of equal or empty replies"
        return [f"{amount(self.pairs, 'pair')}; left out: {left_out}"]


def to_dpo(path: Path, folders: Sequence[Path] = ()) -> DpoPairs:
    """Return the pairs of a note that `duologue judge --pairs` wrote.

    The prompt is the sample in plain lines, as for other exports, with the facts that the judge was told. Raises
    `UsageError` for a note of points, for pairs of whole dialogues, which have no prompt in common, for pairs of which
    none could be read, and for files that are not to be had, and `FormatError` for judgements of something else.
    """
    opened = open_note(path, folders)
    note, session = opened.note, opened.session
    if note.kind != "pairs":
        raise UsageError(f"{path} is of points; preferences are what `duologue judge --pairs` asks for")
    if session is None:
        raise UsageError("\n".join((*opened.differences, *opened.missing)))
    if session.prompt.unit == "dialogue":
        raise UsageError(f"{path} is of whole dialogues, which have no prompt in common; pairs of replies have one")
    unread = note.report.get("unread")
    if isinstance(unread, int) and unread > 0 and unread == note.report.get("pairs"):
        asked = amount(unread, "judged pair")
        raise UsageError(
            f"{path} has {asked}, none of which could be read, so no preference is known; see what the judge said in "
            f"{note.calls[0].path}, and judge again with another model, or more --set reply_tokens where it was cut off"
        )
    language = load_task(note.task).info.language
    one, other = session.systems.values()
    lines, ties, equal = [], 0, 0
    for judged in read_ratings(opened.ratings, note.protocol, judge=True).preferences:
        if judged.item not in one or judged.item not in other or {judged.a, judged.b} != set(note.systems):
            message = f"item '{judged.item}' of {judged.a} and {judged.b} is none that was judged"
            advice = "take ratings, note and results as `duologue judge` wrote them"
            raise FormatError(opened.ratings, [Problem(rule="judged-pair", message=message, advice=advice)])
        chosen, rejected = one[judged.item], other[judged.item]
        if judged.outcome == "tie":
            ties += 1
            continue
        if (judged.a == note.systems[0]) != (judged.outcome == "a"):
            chosen, rejected = rejected, chosen
        if chosen.reply == rejected.reply or not chosen.reply.strip() or not rejected.reply.strip():
            equal += 1
            continue
        lines.append(msgspec.json.encode(_row(session, chosen, rejected, language)).decode() + "\n")
    return DpoPairs("".join(lines), len(lines), ties, equal)


def _row(session: JudgeSession, chosen: JudgedItem, rejected: JudgedItem, language: str) -> dict[str, Any]:
    sample = msgspec.structs.replace(chosen.sample, knowledge=tuple(session.prompt.known_facts(chosen)))
    return {
        "prompt": [{"role": "user", "content": prompt_of(sample, language)}],
        "chosen": [{"role": "assistant", "content": chosen.reply}],
        "rejected": [{"role": "assistant", "content": rejected.reply}],
    }
