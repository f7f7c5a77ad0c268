"""Recipe of the system `endpoint`."""

from __future__ import annotations

from typing import Literal

from duologue.core.bounds import Count, Positive
from duologue.core.errors import UsageError
from duologue.endpoints.settings import EndpointSettings

SEEN = "not declared: a chat model trained elsewhere (--set seen=... says what it learned from)"

_TOLD_ORDERS, _DRAWN_ORDERS = 2, 16


class EndpointRecipe(EndpointSettings, frozen=True, kw_only=True):
    """Which model, how it is asked, and what that may cost."""

    language: Literal["", "en", "zh"] = ""
    """Language of the prompt; empty: that of the task."""
    turns: Count = 0
    """Last turns of the history that are told; 0: all."""
    facts: Positive = 60
    """Facts that are told at most."""
    examples: str = ""
    """Training file that examples (`shots`) are taken from; never the one that is answered. From `--set` alone."""
    shots: Count = 0
    """Examples in each prompt."""
    choose: Literal["seed", "similar"] = "seed"
    """How examples are chosen: the same few for all, by the seed, or the most similar ones for each sample."""
    pool: Positive = 2000
    """Training examples to choose from at most, drawn by the seed."""
    ranking: Literal["listwise", "pairwise", "sampled", "logprobs"] = "listwise"
    """How candidates are ranked: whole orders, a tournament of pairs, or the probabilities of their labels, sampled or
    as the server tells them."""
    permutations: Count = 0
    """Orders in which the candidates are shown, each second one the reverse of the one before (not in pairs); 0: 2, and
    16 where answers are drawn."""
    draws: Positive = 1
    """Answers to each order that are drawn at a temperature of 1 (sampled); more orders are worth more than more
    draws."""
    seen: str = SEEN
    """What data the model learned from, as you declare it; said beside every score."""

    def __post_init__(self) -> None:
        """Refuse entries that do not go together."""
        super().__post_init__()
        if bool(self.shots) != bool(self.examples):
            raise UsageError("shots and examples go together: how many, and of which training file")
        if self.ranking == "sampled" and {"seed", "temperature"} & {*self.omit, *self.extra}:
            raise UsageError("ranking=sampled draws by seed and temperature: leave both out of omit and extra")

    @property
    def orders(self) -> int:
        """Orders in which candidates are shown."""
        return self.permutations or (_DRAWN_ORDERS if self.ranking == "sampled" else _TOLD_ORDERS)

    @classmethod
    def tiny(cls) -> EndpointRecipe:
        """Return a recipe for tests of what is not asked."""
        return cls(url="http://127.0.0.1:9/v1", model="tiny", tries=1, cache="")
