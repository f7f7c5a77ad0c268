"""Utterances of a generated call with the labels of their intents."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from duologue.challenges.mobilecs.simulator.utterance import Text


class IntentLabel(NamedTuple):
    """A label of an intent and what it asks for: an entity's slot, the user's slot, or a type."""

    name: str
    entity: int | None = None
    slot: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether it has no argument."""
        return not self.slot


class Line:
    """One utterance: its labels in order and its text."""

    __slots__ = ("labels", "text")

    def __init__(self, labels: list[IntentLabel], text: Text) -> None:
        self.labels, self.text = labels, text

    @property
    def main(self) -> str:
        """The last label, which the other side answers."""
        return self.labels[-1].name
