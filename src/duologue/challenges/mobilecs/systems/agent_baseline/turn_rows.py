"""Turns of dialogues as the parts of a stream: those to learn from, those to be answered, and answers of parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.formats.track2 import place_of
from duologue.challenges.mobilecs.schema.intents import STAFF_LABELS, USER_LABELS, acts_of, intent_of
from duologue.challenges.mobilecs.systems.agent.kb_pieces import base_with_names
from duologue.challenges.mobilecs.systems.agent_baseline.stream import (
    TurnParts,
    joined,
    names_in,
    result_of,
    spoken_intent,
    without_repetition,
)
from duologue.core.records import Act, Annotation, Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.mobilecs.systems.agent_baseline.stream import Base
    from duologue.core.records import Example, Sample


def open_turn(sample: Sample, base: Base) -> TurnParts:
    """Return the last turn of a sample: the names that the user said before, and the user's words."""
    said = [turn.text for turn in sample.history if turn.speaker == "user"]
    named = joined(name for text in said[:-1] for name in names_in(text, base))
    return TurnParts(named, said[-1] if said else "")


def answer_of(turn: TurnParts, reply: str) -> Answer:
    """Return the answer of a turn whose intents are said; labels that the challenge has not are left out."""
    user = tuple(act for act in acts_of(turn.user_intent, "user") if act.name in USER_LABELS)
    staff = dict.fromkeys(act.name for act in acts_of(turn.staff_intent, "system") if act.name in STAFF_LABELS)
    acts = (*user, *(Act(speaker="system", name=name) for name in staff))
    return Answer(text=without_repetition(reply), annotation=Annotation(acts=acts))


def learned_turns(examples: Sequence[Example]) -> list[tuple[Sample, TurnParts]]:
    """Return the samples whose reply and intents are known, dialogue by dialogue, with all parts of the turn."""
    found: list[tuple[Sample, TurnParts]] = []
    names: dict[str, list[list[str]]] = {}
    for one in sorted(examples, key=lambda one: (one.sample.dialogue_id, (place_of(one.sample.id) or ("", 0))[1])):
        sample = one.sample
        base = base_with_names(sample.knowledge)
        text = sample.history[-1].text if sample.history else ""
        earlier = names.setdefault(sample.dialogue_id, [])
        now = names_in(text, base)
        reference = one.references[0] if one.references else None
        if reference is not None and reference.annotation is not None:
            acts = reference.annotation.acts
            intent = spoken_intent(acts, base, [*earlier, now])
            staff = intent_of(act for act in acts if act.speaker == "system")
            so_far = joined(name for each in earlier for name in each)
            parts = TurnParts(so_far, text, joined(now), intent, result_of(intent, base), staff, reference.text or "")
            found.append((sample, parts))
        earlier.append(now)
    return found
