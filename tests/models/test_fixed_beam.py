from __future__ import annotations

import pytest
import torch

from duologue.core.errors import StorageError
from duologue.models.fixed_beam import FixedBeam

LEAST = -torch.inf


def test_slots_are_extended_by_the_best_and_lead_back_to_their_tokens() -> None:
    beam = FixedBeam(2, 2, dtype=torch.float64)
    assert beam.scores.tolist() == [[0.0, LEAST], [0.0, LEAST]]
    first = torch.tensor([[-1.0, -3.0, -2.0], [-5.0, -4.0, -4.0]], dtype=torch.float64)
    tokens, rows = beam.extend(beam.scores.unsqueeze(2) + first.unsqueeze(1))
    assert tokens.tolist() == [0, 2, 1, 2]  # equal ones by token
    assert rows.tolist() == [0, 0, 2, 2]
    second = torch.tensor([[-9.0, -9.0, -2.0], [-9.0, -0.5, -9.0]], dtype=torch.float64)
    tokens, rows = beam.extend(beam.scores.unsqueeze(2) + second)
    assert tokens.tolist() == [1, 2, 1, 2]
    assert rows.tolist() == [1, 0, 3, 2]
    assert beam.scores.tolist() == [[-2.5, -3.0], [-4.5, -6.0]]
    assert beam.tokens(0, 0, 2) == [2, 1]
    assert beam.tokens(0, 1, 2) == [0, 2]
    assert beam.tokens(0, 1, 1) == [2]
    assert beam.tokens(1, 0, 2) == [2, 1]


def test_a_slot_that_died_is_extended_no_more() -> None:
    beam = FixedBeam(1, 2, dtype=torch.float32)
    beam.extend(torch.tensor([[[-1.0, -2.0], [LEAST, LEAST]]]))
    beam.scores = beam.scores.masked_fill(torch.tensor([[True, False]]), LEAST)
    tokens, rows = beam.extend(beam.scores.unsqueeze(2) + torch.tensor([[[-1.0, -1.0], [-2.0, -1.0]]]))
    assert (tokens.tolist(), rows.tolist()) == ([1, 0], [1, 1])
    assert beam.steps[0].scores.tolist() == [[-1.0, -2.0]]


def test_scores_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(StorageError, match="no number: its weights are damaged"):
        FixedBeam(1, 1, dtype=torch.float32).extend(torch.tensor([[[-1.0, torch.nan]]]))
