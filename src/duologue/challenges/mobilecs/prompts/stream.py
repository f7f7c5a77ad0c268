"""Text form of the official baseline of track 2: one stream of names, intents, query result and reply (section 9).

The model writes names and user intent, is given the result of the query that the intent asks for, and goes on with
staff intent and reply, each part within the limit of the published program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.systems.agent.kb_pieces import base_with_names
from duologue.challenges.mobilecs.systems.agent_baseline.stream import (
    MARKS,
    NAMES,
    REPLY,
    RESULT,
    STAFF_INTENT,
    USER_INTENT,
    result_of,
)
from duologue.challenges.mobilecs.systems.agent_baseline.turn_rows import answer_of, learned_turns, open_turn
from duologue.prompts.linearization import Linearization, LinearizedPair, Part
from duologue.prompts.prompt import Reading

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from duologue.core.records import Example
    from duologue.prompts.linearization import Given

_LIMITS = {NAMES: 15, USER_INTENT: 25, STAFF_INTENT: 10, REPLY: 65}
"""Tokens of each part that the model writes (specification, section 9)."""


class TurnStream(Linearization):
    """A turn at a time: names so far and the user's words are given, all other parts are written."""

    tasks = ("mobilecs/dialogue",)
    marks = MARKS

    def source(self, given: Given) -> str:
        """Return the parts that are given."""
        return open_turn(given.sample, base_with_names(given.sample.knowledge)).stream(NAMES)

    def pairs(self, examples: Sequence[Example]) -> list[LinearizedPair]:
        """Return the streams of all turns whose reply and intents are known."""
        found = []
        for _, turn in learned_turns(examples):
            source = turn.stream(NAMES)
            found.append(LinearizedPair(source, turn.stream()[len(source) :]))
        return found

    def written(self, given: Given) -> Generator[Part, str, Reading]:
        """Yield the stream up to each part that the model writes; the query stands between."""
        base = base_with_names(given.sample.knowledge)
        turn = open_turn(given.sample, base)
        turn = turn._replace(names=(yield _part(turn.stream(NAMES), NAMES)))
        intent = yield _part(turn.stream(USER_INTENT), USER_INTENT)
        turn = turn._replace(user_intent=intent, result=result_of(intent, base))
        turn = turn._replace(staff_intent=(yield _part(turn.stream(RESULT + 1), STAFF_INTENT)))
        reply = yield _part(turn.stream(REPLY), REPLY)
        return Reading(answer_of(turn, reply))


def _part(text: str, part: int) -> Part:
    return Part(text, MARKS[part], _LIMITS[part])
