"""Prompt of the challenge for chat models: a reply to a customer, tokenized as the challenge's text is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.conversation.extraction.twitter.cleaner import Cleaner
from duologue.challenges.conversation.systems.lookup import refuse_knowledge
from duologue.core.records import Answer
from duologue.prompts.prompt import Prompt, Reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.core.protocols import World
    from duologue.core.records import Sample

_EMPTY = "."


class ReplyPrompt(Prompt):
    """Asks for a reply in plain words, and lower-cases and tokenizes it."""

    texts = "prompts.toml"

    def prepare(self, worlds: Mapping[str, World]) -> None:
        """Raise `UsageError` for knowledge: no prompt tells it."""
        refuse_knowledge(worlds, self.mark)

    def read(self, text: str, sample: Sample) -> Reading:
        """Return the reply as the challenge writes its text."""
        found = super().read(text, sample)
        if found.answer is None or found.answer.text is None:
            return found
        words = Cleaner().clean(found.answer.text)
        return Reading(msgspec.structs.replace(found.answer, text=words) if words else None)

    def empty(self, sample: Sample) -> Answer:  # noqa: ARG002  # always the same
        """Return a full stop, since a file without any word is refused."""
        return Answer(text=_EMPTY)
