"""Reward of a staff turn in a simulated dialogue (specification, section 12); its terms can be switched off."""

from __future__ import annotations

from duologue.core.records import Record


class Reward(Record, frozen=True):
    """Terms of the reward; a term of 0 is switched off."""

    turn: float = -0.05
    """For each turn."""
    repeated: float = -0.1
    """For the previous reply said again."""
    groundless: float = -0.2
    """For each stated value that the knowledge base does not have for what is asked."""
    answered: float = 0.1
    """For each newly answered request."""
    success: float = 1.0
    """For the end with all requests answered."""
    left_open: float = -0.5
    """For the end with an open request."""

    def of_turn(self, *, answered: int, groundless: int, is_repeated: bool) -> float:
        """Return the reward of a turn before the end of the dialogue counts."""
        return (
            self.turn
            + self.answered * answered
            + self.groundless * groundless
            + (self.repeated if is_repeated else 0.0)
        )

    def of_end(self, *, is_missing: bool) -> float:
        """Return the reward of the end, with or without an open request."""
        return self.left_open if is_missing else self.success
