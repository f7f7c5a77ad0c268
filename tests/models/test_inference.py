from __future__ import annotations

import pytest
import torch
from torch import nn

from duologue.models.inference import inference, threads


def test_a_model_infers_in_one_thread_without_gradients_and_threads_come_back() -> None:
    model = nn.Dropout(0.5)
    with threads(2):
        with inference(model):
            assert torch.is_inference_mode_enabled()
            assert torch.get_num_threads() == 1
            assert not model.training
        assert not torch.is_inference_mode_enabled()
        assert torch.get_num_threads() == 2


def test_threads_come_back_after_an_error() -> None:
    before = torch.get_num_threads()
    with pytest.raises(KeyError), threads(before + 1):
        raise KeyError(torch.get_num_threads())
    assert torch.get_num_threads() == before
