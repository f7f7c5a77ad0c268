"""One entity that a call will speak of, with the names and values that will be said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from duologue.challenges.mobilecs.simulator.catalogue import Product
    from duologue.challenges.mobilecs.simulator.utterance import Text


class PlannedValue(NamedTuple):
    """A value that will be said, marked with its slot."""

    slot: str
    text: Text


class PlannedEntity:
    """One entity of a call: its product, the names and values that will be said."""

    def __init__(self, number: int, product: Product) -> None:
        self.number, self.product = number, product
        self.names: list[Text] = []
        """Mentions, the fullest first, with the marks of values inside them."""
        self.values: list[PlannedValue] = []
        """Values that no name holds."""
        self.slots: dict[str, list[str]] = {}
        """All values by slot."""
        self.held = False
        """Whether the user has it, and this is said."""
