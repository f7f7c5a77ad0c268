"""The service that a call speaks of at a moment: values and short names that come without another are its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.simulator.telling_names import is_telling

if TYPE_CHECKING:
    from duologue.challenges.mobilecs.simulator.planned_entity import PlannedEntity
    from duologue.challenges.mobilecs.simulator.utterance import Text


_BEFORE = ("这个", "那个", "一个月", "每个月", "每月")
_AFTER = ("这个", "那个", "的", "一个月", "每个月", "每月")


class CallSubject:
    """Follows what is said; `telling`: whether speakers name a service again before they come back to it."""

    def __init__(self, *, telling: bool) -> None:
        self.telling = telling
        self._entity: int | None = None

    def hear(self, text: Text) -> None:
        """Take note of what is said."""
        if self.telling:
            places = [(end, mark.entity) for _, end, mark in text.spans if mark.entity is not None]
            if places:
                self._entity = max(places)[1]

    def is_clear(self, entity: PlannedEntity | None) -> bool:
        """Return whether what is said of an entity, or of the user, need not say whose it is."""
        return not self.telling or entity is None or entity.number == self._entity

    def blurs(self, text: Text) -> bool:
        """Return whether words beside a name or value may be taken for a part of it: 那个 before or after 流量包."""
        return self.telling and any(
            text.text[:start].endswith(_BEFORE) or text.text[end:].startswith(_AFTER) for start, end, _ in text.spans
        )

    def needs_name(self, entity: PlannedEntity, names: list[Text]) -> bool:
        """Return whether an entity must be named before it is spoken of, if these names of it come first."""
        return not self.is_clear(entity) and not (names and is_telling(entity, names[0]))
