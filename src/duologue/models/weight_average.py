"""A running average of the weights of a network in training: less noisy than any single step's."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from torch import Tensor, nn

_WARM_UP = 10  # steps over which the first averages are taken, so that those do not hold the first weights for long


class WeightAverage:
    """The weights of a module, averaged over the steps of its training; later ones count more."""

    def __init__(self, module: nn.Module, decay: float) -> None:
        """Begin with the weights as they are; `decay` is what an average of many steps keeps of itself in a step."""
        self._module, self._decay = module, decay
        self.weights: dict[str, Tensor] = {name: value.clone() for name, value in module.state_dict().items()}

    def add(self, step: int) -> None:
        """Count in the weights after a step, from 0; what is no fraction, such as a count, is taken as it is."""
        kept = min(self._decay, (1 + step) / (_WARM_UP + step))
        now = self._module.state_dict()
        for name, mean in self.weights.items():
            if mean.is_floating_point():
                mean.lerp_(now[name], 1 - kept)
            else:
                mean.copy_(now[name])

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Give the module the average in the block, and what it had behind it."""
        before = {name: value.clone() for name, value in self._module.state_dict().items()}
        self._module.load_state_dict(self.weights)
        try:
            yield
        finally:
            self._module.load_state_dict(before)

    def restore(self, weights: Mapping[str, Tensor]) -> None:
        """Go on with an average that was stored. Raises `ValueError` for that of another module."""
        found, own = ({name: value.shape for name, value in one.items()} for one in (weights, self.weights))
        if found != own:
            raise ValueError(f"an average of other weights: {sorted(found)}, expected {sorted(own)}")
        for name, mean in self.weights.items():
            mean.copy_(weights[name])
