from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn

from duologue.core.errors import StorageError
from duologue.models.weights import load_weights, save_weights

if TYPE_CHECKING:
    from pathlib import Path


def test_weights_come_back_and_equal_weights_are_equal_bytes(tmp_path: Path) -> None:
    first, second = nn.Linear(3, 2), nn.Linear(3, 2)
    save_weights(first, tmp_path / "a.safetensors")
    load_weights(second, tmp_path / "a.safetensors")
    assert torch.equal(first.weight, second.weight)
    save_weights(second, tmp_path / "b.safetensors")
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()


@pytest.mark.parametrize("content", [b"", b"junk", b"\xff" * 100])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "w.safetensors"
    path.write_bytes(content)
    with pytest.raises(StorageError, match=r"w\.safetensors does not hold the weights"):
        load_weights(nn.Linear(3, 2), path)


def test_weights_of_another_architecture_are_refused(tmp_path: Path) -> None:
    save_weights(nn.Linear(3, 2), tmp_path / "w")
    with pytest.raises(StorageError, match="train it again"):
        load_weights(nn.Linear(4, 2), tmp_path / "w")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no such file"):
        load_weights(nn.Linear(3, 2), tmp_path / "w")
