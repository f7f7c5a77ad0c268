"""What a system looks up while it answers: passages of external knowledge, for display."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import World
    from duologue.core.records import Sample


class FoundPassage(NamedTuple):
    """A passage that fits a dialogue."""

    about: str
    """Its title or question, as the file has it; empty where there is none."""
    text: str
    """In the challenge's tokens."""
    similarity: float
    """From 0 to 1."""


@runtime_checkable
class LooksUp(Protocol):
    """A system that tells which passages it looked up."""

    def trace(self, sample: Sample) -> Sequence[FoundPassage]:
        """Return the passages that counted in the answer to a sample, the most similar first. After `prepare` only."""
        ...


def refuse_knowledge(worlds: Mapping[str, World], name: str) -> None:
    """Raise `UsageError` where there is knowledge for a system that looks nothing up."""
    if worlds:
        raise UsageError(
            f"'{name}' looks nothing up while it answers: leave --kb out ({', '.join(sorted(worlds))}), or take a "
            f"system that does (retriever)"
        )
