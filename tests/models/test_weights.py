from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import safetensors.torch
import torch
from tests.full_disk import files_up_to
from torch import nn

from duologue.core.errors import NoSpaceError, StorageError
from duologue.models.weights import first_weights, load_weights, restored, save_weights, saving

if TYPE_CHECKING:
    from pathlib import Path


def test_weights_come_back_and_equal_weights_are_equal_bytes(tmp_path: Path) -> None:
    first, second = nn.Linear(3, 2), nn.Linear(3, 2)
    save_weights(first, tmp_path / "a.safetensors")
    load_weights(second, tmp_path / "a.safetensors")
    assert torch.equal(first.weight, second.weight)
    save_weights(second, tmp_path / "b.safetensors")
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()


def test_a_layer_without_outputs_is_made_without_a_warning() -> None:
    with first_weights(1):
        layer = nn.Linear(3, 0)
    assert layer(torch.ones(2, 3)).shape == (2, 0)


@pytest.mark.parametrize("content", [b"", b"junk", b"\xff" * 100])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "w.safetensors"
    path.write_bytes(content)
    with pytest.raises(StorageError, match=r"w\.safetensors does not hold the weights"):
        load_weights(nn.Linear(3, 2), path)


def test_weights_of_another_architecture_are_refused(tmp_path: Path) -> None:
    save_weights(nn.Linear(3, 2), tmp_path / "w")
    with pytest.raises(StorageError, match=r"\('weight': found 2x3, expected 2x4\); train it again"):
        load_weights(nn.Linear(4, 2), tmp_path / "w")
    with pytest.raises(StorageError, match=r"\('bias': found 2, expected no such weights\)"):
        load_weights(nn.Linear(3, 2, bias=False), tmp_path / "w")


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_refused(tmp_path: Path, number: float) -> None:
    spoiled = nn.Linear(3, 2)
    nn.init.constant_(spoiled.bias, number)
    save_weights(spoiled, tmp_path / "w")
    with pytest.raises(StorageError, match="'bias' holds what is no number"):
        load_weights(nn.Linear(3, 2), tmp_path / "w")


def test_networks_are_filled_and_ready_to_answer(tmp_path: Path) -> None:
    saved = nn.Linear(3, 2)
    save_weights(saved, tmp_path / "w")
    made = restored(lambda: [nn.Linear(3, 2)], lambda parts: {"w": parts[0]}, tmp_path)
    assert torch.equal(made[0].weight, saved.weight)
    assert not made[0].training


def test_networks_that_are_not_those_of_the_files_take_no_memory(tmp_path: Path) -> None:
    save_weights(nn.Linear(3, 2), tmp_path / "w")
    built: list[torch.device] = []

    def build() -> nn.Linear:
        made = nn.Linear(1 << 20, 1 << 20)  # four terabytes
        built.append(made.weight.device)
        return made

    with pytest.raises(StorageError, match="'weight': found 2x3, expected 1048576x1048576"):
        restored(build, lambda made: {"w": made}, tmp_path)
    with pytest.raises(StorageError, match="no such file"):
        restored(build, lambda made: {"missing": made}, tmp_path)
    (tmp_path / "w").write_bytes(b"junk")
    with pytest.raises(StorageError, match="w does not hold the weights"):
        restored(build, lambda made: {"w": made}, tmp_path)
    assert [str(device) for device in built] == ["meta"] * 3


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no such file"):
        load_weights(nn.Linear(3, 2), tmp_path / "w")


def save_both(folder: Path) -> None:
    with saving(folder) as made:
        (made / "config.json").write_text("{}", encoding="utf-8")
        safetensors.torch.save_file({"weights": torch.zeros(1_000)}, made / "x.safetensors")


def test_what_the_disk_refuses_to_the_library_is_told_as_that_and_nothing_is_left(tmp_path: Path) -> None:
    """It has an error of its own for that, which looked like a fault of ours."""
    with files_up_to(100), pytest.raises(NoSpaceError, match=r"cannot write .*model: it would be larger than the disk"):
        save_both(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []
    save_both(tmp_path / "model")
    with files_up_to(100), pytest.raises(NoSpaceError):
        save_both(tmp_path / "model")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["config.json", "x.safetensors"]
