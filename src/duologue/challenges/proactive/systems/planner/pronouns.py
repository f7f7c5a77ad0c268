"""Pronouns of templates: 他 and 她 as the sex of the star demands whom the words are about.

A template was said of another star. People's own pronouns agree with the sex that the knowledge gives in 19 of 20 cases
(star and film, two men, two women); which of a man and a woman is meant is told by the topic named last, and once both
were named it is the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.proactive.systems.planner.clauses import Subject, subject_of
from duologue.challenges.proactive.systems.planner.state import PRONOUNS

if TYPE_CHECKING:
    from duologue.challenges.proactive.systems.planner.slots import Tokens
    from duologue.challenges.proactive.systems.planner.state import PlannerState

_STAR = "S"


class Pronouns:
    """Puts the pronouns of templates right for one state."""

    def __init__(self, state: PlannerState) -> None:
        self._domains, self._subject = state.domains, subject_of(state)
        self._of_side = dict(zip("ab", state.pronouns, strict=True))
        self._stars = [side for side, kind in zip("ab", state.domains, strict=False) if kind == _STAR]
        self._both_named = all(state.reached)

    def __call__(self, template: Tokens) -> Tokens:
        """Return a template with its pronouns put right; as it is where the knowledge does not tell the sex."""
        if not any(self._of_side.values()) or PRONOUNS.isdisjoint(template):
            return template
        made: list[str] = []
        subject = self._subject
        for word in template:
            made.append((self._right(subject) or word) if word in PRONOUNS else word)
            subject = subject.then(word, self._domains)
        return tuple(made)

    def _right(self, subject: Subject) -> str:
        """Return the pronoun of the star that is meant where `subject` was spoken of last; empty if not known."""
        if len(self._stars) == 1:
            return self._of_side[self._stars[0]]
        return self._of_side["b" if self._both_named else subject.side or "a"]
