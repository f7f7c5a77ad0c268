"""Mistakes of a result by what each subtask is for: dialogue acts confused, slots of calls, facts of options and items.

A mistake is a dialogue whose true answer is not ranked first. What was said instead is held against the answer and the
dialogue so far; facts are read from the fact lines of the history.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from duologue.challenges.restaurant.knowledge.api_calls import arguments_of
from duologue.challenges.restaurant.knowledge.facts import parse_fact
from duologue.challenges.restaurant.schema import templates
from duologue.core.records import Mistake

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.records import Answer, Example, Sample

_NAMED = ("option", "repeat", "phone", "address")
_PURPOSES = {"api_call": "API calls", "update-ack": "updates", "option": "options", "repeat": "options"}
_ORDER = [slot.name for slot in templates.SLOTS_EXTRA]
"""Slots in the order of the api_call."""


def purpose_of(text: str) -> str:
    """Return what a bot utterance is for, in the words of the subtasks: API calls, updates, options, ...

    >>> purpose_of("api_call thai hanoi two cheap casual"), purpose_of("where should it be")
    ('API calls', 'questions for slots')
    """
    kind = templates.answer_type(text)
    if kind in {"phone", "address"}:
        return "extra information"
    if kind.startswith("ask-"):
        return "questions for slots"
    return _PURPOSES.get(kind, "course of the dialogue")


def mistakes(examples: Sequence[Example], answers: Mapping[str, Answer]) -> list[Mistake]:
    """Return the kinds of mistakes with their counts, the most frequent first; ties by name.

    Examples without candidates or truth are left out: what was said cannot be read.
    """
    counts: Counter[tuple[str, str]] = Counter()
    totals: Counter[str] = Counter()
    for one in examples:
        texts = {candidate.id: candidate.text for candidate in one.sample.candidates}
        truth = (one.references[0].ranking or ("",))[0] if one.references else ""
        if truth not in texts:
            continue
        answer = answers.get(one.sample.id)
        first = (answer.ranking or ("",))[0] if answer is not None else ""
        wanted = texts[truth]
        totals[purpose_of(wanted)] += 1
        if first != truth:
            counts[purpose_of(wanted), kind_of(one.sample, wanted, texts.get(first))] += 1
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [Mistake(purpose=purpose, kind=kind, n=n, of=totals[purpose]) for (purpose, kind), n in ordered]


def kind_of(sample: Sample, wanted: str, said: str | None) -> str:
    """Return the kind of one mistake: what was said in place of what was wanted."""
    if said is None:
        return "no answer"
    if said == wanted:
        return "the same text under another id"
    right, found = templates.answer_type(wanted), templates.answer_type(said)
    if right == found == "api_call":
        return _call(wanted, said, [turn.text for turn in sample.history])
    if right == found and right in {"option", "repeat"}:
        return _option(sample, wanted, said)
    if right == found and right in _NAMED:
        return f"fact: the {right} of another restaurant"
    if {right, found} == {"phone", "address"}:
        return f"fact: {found} for {right}"
    if right.startswith("ask-") and found.startswith("ask-"):
        return f"slot: asks for {found.removeprefix('ask-')}, not {right.removeprefix('ask-')}"
    if found == "other":
        found = "a fact line" if parse_fact(said) else "a line of the user or unknown"
    return f"dialogue act: {found} for {right}"


def _call(wanted: str, said: str, history: Sequence[str]) -> str:
    """Return which slots of a call are wrong."""
    right, found = arguments_of(wanted) or (), arguments_of(said) or ()
    if len(right) != len(found):
        return f"slot: {len(found)} values in place of {len(right)}"
    if said in history:
        return "slot: the call before the updates"
    wrong = [place for place, (one, other) in enumerate(zip(right, found, strict=True)) if one != other]
    names = [_ORDER[place] if place < len(_ORDER) else f"number {place + 1}" for place in wrong]
    return f"slot: {', '.join(names)}"


def _option(sample: Sample, wanted: str, said: str) -> str:
    """Return why an option or a repeated one is wrong, by the facts that were listed and what was proposed."""
    facts = [parse_fact(turn.text) for turn in sample.history if turn.speaker == "api"]
    listed = {fact.subject for fact in facts if fact is not None}
    proposed = {
        turn.text.rsplit(maxsplit=1)[-1]
        for turn in sample.history
        if turn.speaker == "system" and templates.answer_type(turn.text) == "option"
    }
    name = said.rsplit(maxsplit=1)[-1]
    if name not in listed:
        return "fact: a restaurant that is not listed"
    if templates.answer_type(wanted) == "repeat":
        return "fact: another option is repeated" if name in proposed else "fact: an option never proposed is repeated"
    return "fact: an option proposed before" if name in proposed else "fact: rating (a listed restaurant rated lower)"
