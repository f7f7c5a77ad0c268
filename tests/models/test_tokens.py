from __future__ import annotations

import torch

from duologue.models.tokens import padded, word_dropout
from duologue.models.vocabulary import PAD, SPECIAL, UNKNOWN


def test_rows_are_padded_at_the_end_to_the_longest() -> None:
    found = padded([[5, 6], [], [7]])
    assert found.tolist() == [[5, 6], [PAD, PAD], [7, PAD]]
    assert found.dtype == torch.int64


def test_a_least_length_holds_for_empty_rows_too() -> None:
    assert padded([[]], least=1).tolist() == [[PAD]]
    assert padded([], least=1).shape == (0, 1)
    assert padded([[1, 2]], least=1).shape == (1, 2)
    assert padded([]).shape == (0, 0)


def test_word_dropout_spares_special_words_and_keeps_its_rate() -> None:
    torch.manual_seed(1)
    tokens = torch.arange(100).repeat(100, 1)
    found = word_dropout(tokens, 0.25)
    special = tokens < len(SPECIAL)
    assert torch.equal(found[special], tokens[special])
    assert set((found != tokens).logical_and(found != UNKNOWN).flatten().tolist()) == {False}
    assert 0.23 < (found != tokens)[~special].float().mean() < 0.27
    assert torch.equal(word_dropout(tokens, 0.0), tokens)
