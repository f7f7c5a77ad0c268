from __future__ import annotations

import io
import pickle
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
import torch
from tests.full_disk import files_up_to

from duologue.core.disk import sha256
from duologue.core.errors import NoSpaceError, StorageError
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


def torch_bytes(state: Any) -> bytes:
    made = io.BytesIO()
    torch.save(state, made)
    return made.getvalue()


@pytest.mark.parametrize(
    "data",
    [b"", b"no checkpoint", pickle.dumps(Fraction(1, 3), protocol=2), torch_bytes(Fraction(1, 3)), torch_bytes([1])],
    ids=["empty", "text", "pickle", "code", "list"],
)
def test_what_somebody_else_wrote_is_refused_though_its_hash_is_right(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "state.pt"
    path.write_bytes(data + sha256(data).encode())
    with pytest.raises(StorageError, match="was not written by this program; remove it to start afresh"):
        load_checkpoint(path)


def test_a_full_disk_is_told_and_the_former_checkpoint_stays(tmp_path: Path) -> None:
    """The library turns what the disk says into an error of its own, which looked like a fault of ours."""
    path = tmp_path / "checkpoint.pt"
    save_checkpoint({"step": torch.tensor(1)}, path)
    with files_up_to(20_000), pytest.raises(NoSpaceError, match=r"cannot write .*checkpoint\.pt: "):
        save_checkpoint({"step": torch.tensor(2), "weights": torch.zeros(100_000)}, path)
    assert load_checkpoint(path)["step"] == 1
    assert [one.name for one in tmp_path.iterdir()] == ["checkpoint.pt"]
