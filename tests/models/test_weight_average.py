from __future__ import annotations

import pytest
import torch
from torch import nn

from duologue.models.weight_average import WeightAverage


class _Counting(nn.Module):
    """A weight, and a count that is no weight."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2))
        self.register_buffer("count", torch.tensor(0))


def test_later_weights_count_more_and_counts_are_taken_as_they_are() -> None:
    module = _Counting()
    average = WeightAverage(module, 0.75)
    for step in range(100, 103):
        nn.init.constant_(module.weight, step - 99)
        module.count = torch.tensor(step)
        average.add(step)
    assert average.weights["weight"].tolist() == pytest.approx([1 * 0.25 * 0.75**2 + 2 * 0.25 * 0.75 + 3 * 0.25] * 2)
    assert average.weights["count"].item() == 102


def test_first_weights_are_soon_forgotten() -> None:
    module = _Counting()
    average = WeightAverage(module, 0.999)
    nn.init.ones_(module.weight)
    for step in range(20):
        average.add(step)
    assert average.weights["weight"].min() > 0.99


def test_the_module_has_the_average_in_the_block_and_its_own_weights_behind_it() -> None:
    module = _Counting()
    average = WeightAverage(module, 0.5)
    nn.init.ones_(module.weight)
    with average.in_place():
        assert module.weight.tolist() == [0, 0]
    assert module.weight.tolist() == [1, 1]
    assert average.weights["weight"].tolist() == [0, 0]


def test_an_average_goes_on_where_it_stopped_and_not_with_that_of_another_module() -> None:
    module = _Counting()
    average, other = WeightAverage(module, 0.5), WeightAverage(module, 0.5)
    nn.init.ones_(module.weight)
    average.add(100)
    other.restore(average.weights)
    assert other.weights["weight"].tolist() == [0.5, 0.5]
    with pytest.raises(ValueError, match="average of other weights"):
        other.restore({"weight": torch.zeros(3), "count": torch.tensor(0)})
