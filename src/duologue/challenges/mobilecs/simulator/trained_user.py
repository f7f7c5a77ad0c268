"""Simulated user that has learned from annotated track 2 dialogues what users do when, and how they say it.

Its agenda is that of the agenda-based user, and with it what it must ask, how often it asks again, and that it does not
leave before its requests are answered or given up. What it does in between and all its words are learned.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.simulator.agenda_user import MAX_TURNS, AgendaUser
from duologue.challenges.mobilecs.simulator.learned_habits import LearnedHabits
from duologue.challenges.mobilecs.simulator.retrieval_realiser import RetrievalRealiser
from duologue.challenges.mobilecs.simulator.user_turns import turns_of_rows
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from duologue.challenges.mobilecs.simulator.reward import Reward


class TrainedUser(AgendaUser):
    """A user as those of annotated dialogues are."""

    def __init__(
        self,
        rows: Iterable[Mapping[str, Any]],
        *,
        max_turns: int = MAX_TURNS,
        reward: Reward | None = None,
        speaks: bool = True,
    ) -> None:
        """Learn from decoded track 2 dialogues with intents of both sides; `UsageError` where there are none."""
        super().__init__(max_turns=max_turns, reward=reward, talk=1.0, speaks=False)
        dialogues = [turns for turns in turns_of_rows(rows) if turns]
        if not dialogues:
            raise UsageError("a trained user learns from annotated track 2 dialogues; found none")
        self._habits = LearnedHabits(dialogues)
        self._realiser = RetrievalRealiser(chain.from_iterable(dialogues)) if speaks else None
