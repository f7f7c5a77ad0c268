"""Prompt of a simulated user: a person who chats and knows neither goal nor knowledge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.proactive.live.segmentation import joined, segmented
from duologue.prompts.user_prompt import UserPrompt

if TYPE_CHECKING:
    from duologue.core.records import Answer, Sample, Turn


class ListenerPrompt(UserPrompt):
    """Tells what was said without the spaces between words, and nothing else."""

    texts = "user.toml"

    def utterance(self, turn: Turn) -> str:
        """Return what was said, without the spaces between words."""
        return joined(super().utterance(turn))

    def turn(self, words: str, sample: Sample, *, hangs_up: bool) -> Answer:
        """Return words cut as those of the data are."""
        found = super().turn(words, sample, hangs_up=hangs_up)
        return msgspec.structs.replace(found, text=segmented(joined(words), ()) or self.wording.words["silence"])
