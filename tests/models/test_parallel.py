from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest
import torch

from duologue.core.errors import UsageError
from duologue.core.identity import LOG
from duologue.core.protocols import Run
from duologue.models.copy_transformer import Seq2SeqPair, Seq2SeqSize
from duologue.models.parallel import ProcessGroup, on_device
from duologue.models.seq2seq import generator_learner, new_generator
from duologue.models.train import TrainConfig, TrainingTask, train

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.models.copy_transformer import CopyTransformer, Seq2SeqBatch

SIZE = Seq2SeqSize(vocabulary=12, width=16, heads=2, inner=32, encoder_layers=1, decoder_layers=1, dropout=0.0)
PLAN = TrainConfig(
    epochs=2, batch=3, learning_rate=0.01, choose="loss", threads=1, checkpoint_seconds=0.0, check_every=2
)
PAIRS = [Seq2SeqPair([4 + n % 7] * (1 + n % 4), [0] * (1 + n % 4), [5 + n % 3] * (n % 5)) for n in range(10)]
"""The last batch of three is one pair: the second process has nothing to do there."""
HELD_OUT = PAIRS[:7]


def trained(folder: Path, devices: int, *, size: Seq2SeqSize = SIZE, progress: Any = None) -> CopyTransformer:
    model = new_generator(size, 1)
    plan = msgspec.structs.replace(PLAN, devices=devices)
    train(generator_learner(model), PAIRS, HELD_OUT, plan, Run(folder=folder, seed=5, progress=progress))
    return model


def losses(folder: Path) -> list[float]:
    lines = [json.loads(line) for line in (folder / LOG).read_text().splitlines()]
    return [line[name] for line in lines for name in ("loss", "held_out_loss")]


@pytest.mark.slow
def test_two_processes_train_as_one_does_with_the_same_batches(tmp_path: Path) -> None:
    for devices in (1, 2):
        trained(tmp_path / str(devices), devices)
    assert len(losses(tmp_path / "1")) == 8
    assert losses(tmp_path / "2") == pytest.approx(losses(tmp_path / "1"), abs=1e-5)


STAGED = """
import functools, pathlib, sys
import torch
from torch import nn
from duologue.core.protocols import Run
from duologue.models.train import TrainConfig, TrainingTask, train

class Halves(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.whole = nn.Linear(2, 1), nn.Linear(2, 1), False

    def set(self, epoch):
        self.whole = epoch >= 1

    def forward(self, batch):
        said = self.first(batch[:, :2]) + (self.second(batch[:, :2] ** 2) if self.whole else 0)
        return (said.squeeze(1) - batch[:, 2]).square()

def loss(module, batch):
    return module(batch).mean()

def width(row):
    return 1

if __name__ == "__main__":
    torch.manual_seed(1)
    rows = [(n / 9, n % 4 / 3, n % 5 / 4) for n in range(10)]
    module = Halves()
    before = module.second.weight.detach().clone()
    seen = []
    subject = TrainingTask(module, torch.tensor, functools.partial(loss, module), None, width, stage=module.set)
    plan = TrainConfig(epochs=int(sys.argv[2]), batch=4, choose="loss", threads=1, devices=int(sys.argv[1]), patience=9)
    train(subject, rows, rows, plan, Run(folder=pathlib.Path(sys.argv[3]), seed=1))
    print("moved" if (module.second.weight != before).any() else "as it was")
"""


@pytest.mark.slow
@pytest.mark.parametrize(("epochs", "second"), [(1, "as it was"), (3, "moved")])
def test_weights_that_a_stage_leaves_out_stay_as_they_are_on_all_devices(
    tmp_path: Path, epochs: int, second: str
) -> None:
    """Weight decay alone would move a weight that were given a gradient of zero."""
    script = tmp_path / "staged.py"
    script.write_text(STAGED)
    for devices in ("1", "2"):
        command = [sys.executable, str(script), devices, str(epochs), str(tmp_path / devices)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.stdout.strip() == second, done.stderr
    assert losses(tmp_path / "2") == pytest.approx(losses(tmp_path / "1"), abs=1e-5)


class _StopError(Exception):
    pass


@pytest.mark.slow
def test_two_processes_that_were_stopped_go_on_to_the_same_bits(tmp_path: Path) -> None:
    def stop(done: int, total: int, what: str) -> None:
        if (tmp_path / "broken" / LOG).exists():
            raise _StopError

    size = msgspec.structs.replace(SIZE, dropout=0.2)
    whole = trained(tmp_path / "whole", 2, size=size)
    with pytest.raises(_StopError):
        trained(tmp_path / "broken", 2, size=size, progress=stop)
    again = trained(tmp_path / "broken", 2, size=size)
    for first, second in zip(whole.parameters(), again.parameters(), strict=True):
        assert torch.equal(first, second)


def test_what_cannot_travel_to_another_process_is_named(tmp_path: Path) -> None:
    model = new_generator(SIZE, 1)
    learner = generator_learner(model)
    local: TrainingTask[Seq2SeqPair, Seq2SeqBatch] = TrainingTask(
        model, learner.collate, lambda batch: model(batch).sum(), None, len
    )
    with pytest.raises(UsageError, match="training on 2 devices needs a training task that can be pickled"):
        train(local, PAIRS, HELD_OUT, msgspec.structs.replace(PLAN, devices=2), Run(folder=tmp_path, seed=1))


def test_devices_that_are_not_there_are_asked_for_in_vain(tmp_path: Path) -> None:
    count = torch.cuda.device_count()
    plan = msgspec.structs.replace(PLAN, devices=count + 2, device="cuda")
    with pytest.raises(
        UsageError, match=f"devices={count + 2}: expected as many GPUs, found {count} .*--set device=cpu"
    ):
        train(generator_learner(new_generator(SIZE, 1)), PAIRS, HELD_OUT, plan, Run(folder=tmp_path, seed=1))


def test_a_team_shares_all_rows_evenly() -> None:
    shares = [ProcessGroup(rank, 3).share(range(8)) for rank in range(3)]
    assert sorted(row for share in shares for row in share) == list(range(8))
    assert [len(share) for share in shares] == [3, 3, 2]


class _Parts(NamedTuple):
    first: torch.Tensor
    rest: list[torch.Tensor]
    names: dict[str, torch.Tensor]
    size: int


def test_a_batch_moves_with_all_its_tensors() -> None:
    parts = _Parts(torch.ones(2), [torch.ones(1)], {"a": torch.ones(3)}, 4)
    moved = on_device((parts, "text"), torch.device("meta"))
    assert moved[1] == "text"
    assert isinstance(moved[0], _Parts)
    assert moved[0].size == 4
    for tensor in (moved[0].first, moved[0].rest[0], moved[0].names["a"]):
        assert tensor.device.type == "meta"
