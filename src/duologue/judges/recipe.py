"""Recipe of a judge."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from duologue.core.bounds import Count, Positive
from duologue.core.errors import UsageError
from duologue.endpoints.settings import EndpointSettings

Share = Annotated[float, Meta(ge=0, le=1)]


class JudgeRecipe(EndpointSettings, frozen=True, kw_only=True):
    """Which model judges, what it is told, and how it is tested."""

    name: str = ""
    """What the judge is called among the raters; empty: the name of the model."""
    language: Literal["", "en", "zh"] = ""
    """Language of the prompt; empty: that of the task."""
    turns: Count = 0
    """Last turns before a reply that are told; 0: all."""
    facts: Positive = 60
    """Facts that are told at most."""
    repeats: Share = 0.1
    """Share of the items that are judged a second time, with another seed, for the judge's agreement with itself."""
    injections: Count = 10
    """Items with which it is tried whether a reply that asks for points gets more; 0: none."""

    def __post_init__(self) -> None:
        """Refuse entries that do not go together."""
        super().__post_init__()
        if self.repeats and "seed" in self.omit:
            raise UsageError("repeats: a second judgement is asked with another seed, which omit leaves out; repeats=0")

    @property
    def rater(self) -> str:
        """The name of the judge among the raters."""
        return self.name or self.model
