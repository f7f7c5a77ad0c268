"""Prompt of the challenge for chat models: the next utterance of the agent who leads from topic to topic.

Models read and write plain Chinese; the data is segmented, so what they say is cut into words as live input is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.proactive.knowledge import facts_of
from duologue.challenges.proactive.live.segmentation import joined, segmented
from duologue.core.extras import need
from duologue.core.records import Answer
from duologue.prompts.prompt import Prompt, Reading

if TYPE_CHECKING:
    from duologue.core.records import Fact, Sample, Turn
    from duologue.prompts.prompt import Asked

_EMPTY = "。"
"""A prediction file may have no empty line: `eval.py` would not score it."""


class LeadingPrompt(Prompt):
    """Tells goal, knowledge and history without the spaces between words, and asks for the agent's words."""

    texts = "agent.toml"

    def utterance(self, turn: Turn) -> str:
        """Return what was said, without the spaces between words."""
        return joined(super().utterance(turn))

    def fact(self, fact: Fact) -> str:
        """Return a fact without the spaces between words."""
        return " | ".join(map(joined, super().fact(fact).split(" | ")))

    def goal(self, sample: Sample) -> str:
        """Return the way from topic to topic, with what relates them."""
        if sample.goal is None:
            return self.wording.nothing
        return "\n".join([" → ".join(map(joined, sample.goal.topics)), *map(self.fact, sample.goal.relations)])

    def read(self, text: str, sample: Sample) -> Reading:
        """Return the utterance cut into words; names and values of the knowledge are cut as they are there.

        Raises `MissingExtraError` without the library that cuts words: what is scored would be other words.
        """
        need("rjieba", "zh")
        found = super().read(text, sample)
        if found.answer is None or found.answer.text is None:
            return found
        facts = facts_of(sample.goal, sample.knowledge)
        names = [*(sample.goal.topics if sample.goal else ()), *(one.subject for one in facts)]
        names += [str(one.object) for one in facts]
        words = segmented(joined(found.answer.text), names)
        return Reading(msgspec.structs.replace(found.answer, text=words) if words else None)

    def empty(self, sample: Sample) -> Answer:  # noqa: ARG002  # always the same
        """Return a full stop, since no prediction may be empty."""
        return Answer(text=_EMPTY)

    def said(self, answer: Answer, sample: Sample, asked: Asked = "answer") -> str | None:
        """Return a reference without the spaces between words."""
        found = super().said(answer, sample, asked)
        return None if found is None else joined(found)
