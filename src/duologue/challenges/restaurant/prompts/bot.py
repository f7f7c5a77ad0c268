"""Prompt of the challenge for chat models: candidates to rank, with what the knowledge base has of those named."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from duologue.prompts.prompt import Prompt

if TYPE_CHECKING:
    from duologue.core.records import Fact, Sample


class BookingPrompt(Prompt):
    """Asks for the bot's next utterance among the candidates."""

    texts = "bot.toml"

    def known_facts(self, sample: Sample) -> list[Fact]:
        """Return the facts about the restaurants that were named, the latest first; none without a knowledge base."""
        world = self.worlds.get(sample.world or "")
        if world is None:
            return []
        words = chain.from_iterable(reversed(turn.text.split()) for turn in reversed(sample.history))
        facts = chain.from_iterable(world.about(word) for word in dict.fromkeys(words))
        return list(dict.fromkeys(facts))[: self._facts]
