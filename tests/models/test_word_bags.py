from __future__ import annotations

import torch

from duologue.models.vocabulary import PAD
from duologue.models.word_bags import without_some, word_bag


def test_a_bag_is_the_sum_of_its_words_whatever_its_padding() -> None:
    bag = word_bag(6, 3)
    one, padded = bag(torch.tensor([[4, 5]])), bag(torch.tensor([[PAD, 5, 4, PAD]]))
    assert torch.allclose(one, bag.weight[4] + bag.weight[5])
    assert torch.allclose(one, padded)
    bag(torch.tensor([[PAD, 4]])).sum().backward()
    assert bag.weight.grad is not None
    assert bag.weight.grad[PAD].tolist() == [0, 0, 0]


def test_words_are_left_out_in_training_alone() -> None:
    words = torch.full((100, 100), 7)
    assert without_some(words, 0.3, training=False) is words
    assert without_some(words, 0.0, training=True) is words
    share = float((without_some(words, 0.3, training=True) == PAD).float().mean())
    assert 0.27 < share < 0.33
