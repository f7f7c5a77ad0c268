from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from duologue.core.errors import StorageError
from duologue.models.checkpoint import load_checkpoint, save_checkpoint

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "state.pt"
    save_checkpoint({"a": torch.arange(5), "b": {"c": [1, 2.5, "x"]}}, path)
    back = load_checkpoint(path)
    assert torch.equal(back["a"], torch.arange(5))
    assert back["b"] == {"c": [1, 2.5, "x"]}


@pytest.mark.parametrize("place", [0, 100, -65, -1])
def test_one_damaged_byte_is_found(tmp_path: Path, place: int) -> None:
    path = tmp_path / "state.pt"
    save_checkpoint({"a": torch.arange(50)}, path)
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(StorageError, match="damaged"):
        load_checkpoint(path)
