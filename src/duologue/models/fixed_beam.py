"""Beams of a fixed width: the slots of each row, extended step after step, and the way back from a slot to its tokens.

The programs that two baselines are compared with search like this, each with rules of its own for what ends
(`systems.postks.network.search`, `systems.lstm.network.beam_search`); `decode.beam` is the search of our own models.

Shapes: b rows, w slots of a row, v tokens. The state of slot s of row r is row r w + s of the model's state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch

from duologue.models.inference import demand_numbers
from duologue.models.topk import stable_topk

if TYPE_CHECKING:
    from torch import Tensor


class BeamStep(NamedTuple):
    """What a step made of the slots: scores, tokens, and the slots that they extend, each (b, w)."""

    scores: Tensor
    tokens: Tensor
    before: Tensor


class FixedBeam:
    """The slots of all rows and the steps that led there; at first only slot 0 of each row is alive, with score 0."""

    def __init__(self, rows: int, width: int, *, dtype: torch.dtype, device: torch.device | None = None) -> None:
        self.scores = torch.full((rows, width), -torch.inf, dtype=dtype, device=device)
        """(b, w): to be changed by the caller where slots die."""
        self.scores[:, 0] = 0.0
        self.steps: list[BeamStep] = []
        self._first = torch.arange(rows, device=device).unsqueeze(1) * width  # (b, 1)

    def extend(self, reached: Tensor) -> tuple[Tensor, Tensor]:
        """Extend by the best of the scores `reached` (b, w, v), ties by slot, then token.

        Returns the token of each new slot, and the row of the model's state that it goes on from, (b w,) each. Raises
        `StorageError` for scores that are no numbers.
        """
        demand_numbers(reached)
        self.scores, places = stable_topk(reached.flatten(1), self.scores.shape[1])
        v = reached.shape[2]
        self.steps.append(BeamStep(self.scores, places % v, places // v))
        return self.steps[-1].tokens.flatten(), (self.steps[-1].before + self._first).flatten()

    def tokens(self, row: int, slot: int, steps: int) -> list[int]:
        """Return the tokens that led to a slot after so many steps."""
        found: list[int] = []
        for step in reversed(self.steps[:steps]):
            found.append(int(step.tokens[row, slot]))
            slot = int(step.before[row, slot])
        return found[::-1]
