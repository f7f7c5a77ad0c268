"""Prompt of track 2's simulated user: a caller with the official goal card, in plain Chinese."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.simulator.user_move import BYE
from duologue.prompts.prompt_texts import filled
from duologue.prompts.user_prompt import UserPrompt

if TYPE_CHECKING:
    from duologue.core.records import Item, Sample

_NAME = "name"


class CallerPrompt(UserPrompt):
    """Tells the goal card: of each service what the caller knows and wants to know, and what he asks for by type."""

    texts = "user.toml"
    last_act = BYE

    def goal(self, sample: Sample) -> str:
        """Return the goal card, a line for each service, the own account and each type."""
        if sample.goal is None:
            return self.wording.nothing
        consult = [
            filled(self.wording.words["consult"], {"kind": one.rpartition("-")[2]}) for one in sample.goal.consultations
        ]
        return "\n".join([*map(self._card, sample.goal.items), *consult]) or self.wording.nothing

    def _card(self, item: Item) -> str:
        words = self.wording.words
        known = {slot: value for slot, value in item.known.items() if slot != _NAME}
        named = item.known.get(_NAME) or (item.kind or "").strip()
        parts = [words["own"] if item.name is None else filled(words["service"], {"name": named or words["some"]})]
        kind = (item.kind or "").strip()
        if item.name is not None and kind and kind != named:
            parts[0] += f"（{kind}）"
        if known:
            told = "，".join(f"{slot} {value}" for slot, value in known.items())
            parts.append(filled(words["knows"], {"known": told}))
        if item.asked:
            parts.append(filled(words["asks"], {"asked": "，".join(item.asked)}))
        return "；".join(parts)
