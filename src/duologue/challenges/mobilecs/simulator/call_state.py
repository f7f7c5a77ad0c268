"""State of a call that both sides read and change: what is still to be said, was said, and is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.simulator.line import Line

if TYPE_CHECKING:
    from duologue.challenges.mobilecs.simulator.call_subject import CallSubject
    from duologue.challenges.mobilecs.simulator.fact_bundle import FactBundle, SharedFacts
    from duologue.challenges.mobilecs.simulator.line import IntentLabel
    from duologue.challenges.mobilecs.simulator.planned_entity import PlannedEntity, PlannedValue
    from duologue.challenges.mobilecs.simulator.utterance import Text


class CallState:
    """The agenda of a call (`user_queue`, `staff_queue`) and the history of its dialogue."""

    def __init__(self, facts: SharedFacts, scenario: str, subject: CallSubject) -> None:
        self.scenario, self.subject = scenario, subject
        self.lines: list[Line] = []
        self.user_queue, self.staff_queue = list(facts.user), list(facts.staff)
        self.introduced: list[PlannedEntity] = []
        """Entities that were spoken of, in order."""
        self.requested: list[FactBundle] = []
        """What the user has asked for and the staff must say next."""
        self.listing = False
        """Whether the user has asked for it by a type, so that the staff lists what there is."""
        self.question = ""
        """Kind of the staff's open question; empty: there is none."""
        self.told: list[tuple[PlannedEntity | None, PlannedValue]] = []
        """Values that the staff have said, with their entities; the last one is what is confirmed."""

    @property
    def last_intent(self) -> str:
        """The main intent of the last utterance. There must be one."""
        return self.lines[-1].main

    def add(self, labels: list[IntentLabel], text: Text) -> None:
        """Append an utterance."""
        self.lines.append(Line(labels, text))

    def ready(self, queue: list[FactBundle]) -> list[FactBundle]:
        """Return what can be said now: the user's own values, facts of introduced entities, and introductions."""
        found = []
        seen: set[int] = set()
        for bundle in queue:
            entity = bundle.entity
            if entity is None or entity in self.introduced:
                found.append(bundle)
            elif bundle.introduces and entity.number not in seen:
                found.append(bundle)
                seen.add(entity.number)
        return found

    def take(self, queue: list[FactBundle], bundle: FactBundle) -> FactBundle:
        """Return a bundle of a queue after removing it; its entity counts as introduced."""
        queue.remove(bundle)
        self._introduce(bundle)
        return bundle

    def take_next(self, queue: list[FactBundle], count: int) -> list[FactBundle]:
        """Return the next `count` bundles of a queue, or as many as can be said."""
        taken = []
        for _ in range(count):
            ready = self.ready(queue)
            if not ready:
                break
            taken.append(self.take(queue, ready[0]))
        return taken

    def take_all(self) -> list[FactBundle]:
        """Return all that is left on both agendas, in an order in which it can be said."""
        left = sorted(
            (*self.staff_queue, *self.user_queue),
            key=lambda one: not (one.entity is None or one.introduces or one.entity in self.introduced),
        )
        self.staff_queue, self.user_queue = [], []
        for bundle in left:
            self._introduce(bundle)
        return left

    def _introduce(self, bundle: FactBundle) -> None:
        if bundle.entity is not None and bundle.entity not in self.introduced:
            self.introduced.append(bundle.entity)
