from __future__ import annotations

import pytest
import torch

from duologue.core.errors import UsageError
from duologue.models.devices import demand_devices, device_at_hand


@pytest.mark.parametrize(("count", "told"), [(1, "expected a GPU, found none"), (3, "as many GPUs, found 0")])
def test_gpus_that_are_not_there_are_told(count: int, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(UsageError, match=told):
        demand_devices("cuda", count)
    demand_devices("cpu", count)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    demand_devices("cuda", count)


def test_a_trained_model_answers_where_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert device_at_hand("cuda") == device_at_hand("cpu") == torch.device("cpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert device_at_hand("cuda").type == "cuda"
