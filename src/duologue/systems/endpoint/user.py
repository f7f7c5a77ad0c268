"""A chat model behind an endpoint as a simulated user: calls, caps and accounts are those of the system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.errors import UsageError
from duologue.endpoints.account import Account
from duologue.prompts.user_prompt import UserPrompt, user_prompt_of
from duologue.systems.endpoint.endpoint import EndpointSystem

if TYPE_CHECKING:
    from duologue.core.protocols import TaskInfo
    from duologue.core.records import Answer, Sample
    from duologue.prompts.prompt import Prompt
    from duologue.systems.endpoint.recipe import EndpointRecipe


class EndpointUser(EndpointSystem):
    """Play the user of a conversation: a model is told its goal card, where the task has one, and what was said."""

    def __init__(self, recipe: EndpointRecipe) -> None:
        """Take a recipe. Raises `UsageError` for one with examples: these are of the system's side."""
        if recipe.shots:
            raise UsageError("shots: examples are those of the system's side, and a user takes none; leave them out")
        super().__init__(recipe)

    def _prompt_for(self, info: TaskInfo) -> Prompt:
        return user_prompt_of(info, self.recipe.language, turns=self.recipe.turns)

    def _answered(self, prompt: Prompt, sample: Sample) -> tuple[Answer, Account]:
        settled = prompt.settled(sample) if isinstance(prompt, UserPrompt) else None
        return super()._answered(prompt, sample) if settled is None else (settled, Account())
