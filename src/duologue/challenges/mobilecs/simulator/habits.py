"""Habits of simulated users: how they open a call, what they say beside their agenda, what they take together.

These are the ones of the agenda-based user, set by hand to the shares of generated calls; `learned_habits` has those of
annotated dialogues.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.simulator import acts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.core.rng import Rng

TALK = 0.8
"""Turns beside the agenda, as a share of the turns of a call of the official length."""
NEXT_REQUEST = ""
"""In place of an intent: the user comes to the next request."""
BESIDE_KINDS = {
    "被动确认": "ack",
    "其他": "other",
    "提供信息": "story",
    "主动确认": "confirm",
    "询问": "plain_ask",
    "求助-故障": "fault_plain",
    "取消": "cancel_plain",
    "请求重复": "repeat",
    "否认": "deny",
    "投诉反馈": "complain",
}
"""Kinds of phrases of the turns beside the agenda, by intent."""
_BESIDE = {
    "被动确认": 12.0,
    "其他": 7.0,
    "提供信息": 9.0,
    "主动确认": 9.0,
    "询问": 8.0,
    "求助-故障": 1.5,
    "取消": 2.5,
    "请求重复": 1.0,
    "否认": 0.8,
    "投诉反馈": 0.6,
    NEXT_REQUEST: 9.0,
}


class Habits:
    """What is drawn in a dialogue, by hand-set shares."""

    jointly = 0.3
    """Share of requests that are asked together with the next one about the same service."""
    with_known = 0.6
    """Share of services of which the user tells what is known in the turn of the request, not in one before."""
    straight_bye = 0.6
    """Share of users who hang up with their thanks, without another turn."""
    with_ack = 0.3
    """Share of turns after an answer that begin with a word of confirmation."""
    tells = 0.5
    """Share of informing turns beside the agenda in which a value of the goal is told."""

    def opening(self, rng: Rng) -> str:
        """Return how the call begins: `bare` (a greeting), `other` (a sound), `greeted` or `direct` (the request)."""
        return rng.weighted_key(acts.OPENING)

    def turns_beside(self, rng: Rng, talk: float) -> int:
        """Return how many turns beside the agenda a dialogue has at most."""
        return round(talk * acts.quantile(rng.unit(), acts.TURNS))

    def beside(self, rng: Rng, staff: frozenset[str], before: str) -> str:  # noqa: ARG002  # learned habits look at these
        """Return the intent of the next turn, after these intents of the staff and the user's own main one before."""
        return rng.weighted_key(self._beside_weights)

    _beside_weights: Mapping[str, float] = _BESIDE
