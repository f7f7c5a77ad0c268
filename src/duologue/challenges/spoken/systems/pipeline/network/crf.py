"""A linear-chain conditional random field (Lafferty et al. 2001; Lample et al. 2016, section 2).

Shapes: b rows, t tokens, k tags.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    from torch import Tensor

_NEVER = -1e4  # score of a forbidden step: small enough for e^x = 0, large enough to be added up


class CRF(nn.Module):
    """s(y) = sum_t emission(y_t) + sum_t transition(y_{t-1}, y_t) + start(y_1) + end(y_n); P(y) = e^s(y) / Z.

    `allowed` (k, k) and `first` (k,), True = may follow, may begin, forbid steps that mean nothing. The library
    pytorch-crf (of 2019) cannot forbid any, and takes twice as long (`python benchmarks/networks.py --only crf`).
    """

    barred: Tensor
    barred_first: Tensor

    def __init__(self, tags: int, allowed: Tensor | None = None, first: Tensor | None = None) -> None:
        super().__init__()
        self.transitions = nn.Parameter(torch.zeros(tags, tags))
        self.start = nn.Parameter(torch.zeros(tags))
        self.end = nn.Parameter(torch.zeros(tags))
        allowed = torch.ones(tags, tags, dtype=torch.bool) if allowed is None else allowed
        first = torch.ones(tags, dtype=torch.bool) if first is None else first
        self.register_buffer("barred", torch.zeros(tags, tags).masked_fill(~allowed, _NEVER), persistent=False)
        self.register_buffer("barred_first", torch.zeros(tags).masked_fill(~first, _NEVER), persistent=False)

    def score(self, emissions: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """Return s(y), (b,): emissions (b, t, k), tags (b, t), mask (b, t) with True = real; first tokens are real."""
        real = mask.float()
        here = emissions.float().gather(2, tags.unsqueeze(2)).squeeze(2) * real  # (b, t)
        steps = (self.transitions + self.barred)[tags[:, :-1], tags[:, 1:]] * real[:, 1:]  # (b, t - 1)
        last = tags.gather(1, mask.sum(1, keepdim=True) - 1).squeeze(1)  # (b,)
        return here.sum(1) + steps.sum(1) + (self.start + self.barred_first)[tags[:, 0]] + self.end[last]

    def log_partition(self, emissions: Tensor, mask: Tensor) -> Tensor:
        """Return ln Z, (b,), by the forward recursion over all k^n taggings."""
        emissions = emissions.float()
        alpha = self.start + self.barred_first + emissions[:, 0]  # (b, k)
        steps = self.transitions + self.barred
        for place in range(1, emissions.shape[1]):
            further = torch.logsumexp(alpha.unsqueeze(2) + steps, 1) + emissions[:, place]  # (b, k)
            alpha = torch.where(mask[:, place, None], further, alpha)
        return torch.logsumexp(alpha + self.end, 1)

    def forward(self, emissions: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """Return -ln P(tags) of each row, (b,)."""
        return self.log_partition(emissions, mask) - self.score(emissions, tags, mask)

    def best(self, emissions: Tensor, mask: Tensor) -> list[list[int]]:
        """Return the most probable tags of each row's real tokens (Viterbi); of equals, the lowest numbers."""
        emissions = emissions.float()
        delta = self.start + self.barred_first + emissions[:, 0]  # (b, k)
        steps = self.transitions + self.barred
        came_from = []
        for place in range(1, emissions.shape[1]):
            best, origin = (delta.unsqueeze(2) + steps).max(1)  # each (b, k)
            delta = torch.where(mask[:, place, None], best + emissions[:, place], delta)
            came_from.append(origin.tolist())
        lasts, counts = (delta + self.end).argmax(1).tolist(), mask.sum(1).tolist()
        paths = []
        for row, (last, count) in enumerate(zip(lasts, counts, strict=True)):
            path = [last]
            for place in range(count - 2, -1, -1):
                path.append(came_from[place][row][path[-1]])
            paths.append(path[::-1])
        return paths
