from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from torch import nn
from torch.nn import functional

from duologue.core.errors import StorageError, UsageError
from duologue.core.identity import CHECKPOINT, LOG
from duologue.core.protocols import Run
from duologue.models.checkpoint import load_checkpoint, save_checkpoint
from duologue.models.parallel import ProcessGroup
from duologue.models.train import TrainConfig, TrainingTask, _Training, train
from duologue.models.train import _batches as batches
from duologue.models.weights import first_weights

PLAN = TrainConfig(epochs=4, batch=16, learning_rate=0.05, threads=1)
CAREFUL = msgspec.structs.replace(PLAN, checkpoint_seconds=0.0)


def points(count: int, first: int = 0) -> list[tuple[float, float, int]]:
    """Points of a plane that belong to the class above or below a line."""
    out = []
    for place in range(first, first + count):
        x, y = (place * 37 % 101) / 101, (place * 61 % 97) / 97
        out.append((x, y, int(y > 0.3 + 0.5 * x)))
    return out


def subject() -> TrainingTask[tuple[float, float, int], torch.Tensor]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        module = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 2))

    def loss(batch: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(module(batch[:, :2]), batch[:, 2].long())

    return TrainingTask(
        module=module,
        collate=torch.tensor,
        loss=loss,
        hits=lambda batch: (module(batch[:, :2]).argmax(1) == batch[:, 2]).float(),
        length=lambda row: int(row[0] * 10),
    )


def weights(one: TrainingTask[tuple[float, float, int], torch.Tensor]) -> dict[str, list[float]]:
    return {name: value.flatten().tolist() for name, value in one.module.state_dict().items()}


def test_it_learns_and_leaves_the_best_weights_a_log_and_a_checkpoint(tmp_path: Path) -> None:
    one = subject()
    seen: list[tuple[int, int, str]] = []
    outcome = train(
        one,
        points(400),
        points(97, first=400),
        TrainConfig(epochs=10, batch=16, learning_rate=0.05, threads=1),
        Run(folder=tmp_path, seed=3, progress=lambda done, total, what: seen.append((done, total, what))),
    )
    assert outcome.held_out > 0.9
    lines = [json.loads(line) for line in (tmp_path / LOG).read_text().splitlines()]
    assert max(line["held_out_right"] for line in lines) == pytest.approx(outcome.held_out, abs=1e-6)
    assert [line["epoch"] for line in lines] == list(range(1, outcome.epochs + 1))
    assert seen[0][:2] == (0, 250)
    assert re.fullmatch(r"training \(\d+ examples/s, \d+:\d\d left\)", seen[-1][2])


def test_equal_seeds_give_equal_bits_and_other_seeds_do_not(tmp_path: Path) -> None:
    results = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        one = subject()
        train(one, points(64), points(32, first=64), PLAN, Run(folder=tmp_path / name, seed=seed))
        results.append(weights(one))
    assert results[0] == results[1]
    assert results[0] != results[2]


@pytest.mark.parametrize(("native", "same"), [(True, "bfloat16"), (False, "float32")])
def test_the_processor_decides_whether_products_are_in_bfloat16(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, same: str, *, native: bool
) -> None:
    monkeypatch.setattr("duologue.models.train.multiplies_bfloat16", lambda: native)
    results = {}
    for precision in ("auto", "bfloat16", "float32"):
        one = subject()
        plan = msgspec.structs.replace(PLAN, precision=precision)
        train(one, points(64), points(32, first=64), plan, Run(folder=tmp_path / precision, seed=1))
        results[precision] = weights(one)
    assert results["auto"] == results[same]
    assert results["bfloat16"] != results["float32"]


@pytest.mark.parametrize("seed", [10**13, 99999999999999999999])
def test_a_seed_may_be_any_whole_number(tmp_path: Path, seed: int) -> None:
    one, other = subject(), subject()
    train(one, points(60), points(20, 500), PLAN, Run(folder=tmp_path / "a", seed=seed))
    train(other, points(60), points(20, 500), PLAN, Run(folder=tmp_path / "b", seed=seed))
    assert weights(one) == weights(other)
    with first_weights(seed):
        assert nn.Linear(2, 1).bias is not None


def test_the_chance_of_others_is_left_alone(tmp_path: Path) -> None:
    torch.manual_seed(7)
    before = torch.get_rng_state()
    threads = torch.get_num_threads()
    train(subject(), points(32), points(16), PLAN, Run(folder=tmp_path, seed=1))
    assert torch.equal(before, torch.get_rng_state())
    assert torch.get_num_threads() == threads
    assert not torch.are_deterministic_algorithms_enabled()


@pytest.mark.parametrize("own", [None, "7"])
def test_few_compiled_products_are_kept_unless_the_environment_says_otherwise(
    own: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
    monkeypatch.setenv(name, own or "")  # put back at the end, whatever is set here
    if own is None:
        monkeypatch.delenv(name)
    train(subject(), points(32), points(16), PLAN, Run(folder=tmp_path, seed=1))
    assert os.environ[name] == (own or "64")


class _StopError(Exception):
    pass


OTHER_WAYS = msgspec.structs.replace(
    CAREFUL, check_every=3, precision="bfloat16", optimiser="adam", fused=True, schedule="constant", choose="loss"
)


@pytest.mark.parametrize("plan", [CAREFUL, OTHER_WAYS], ids=["as usual", "in other ways"])
@pytest.mark.parametrize("after", [1, 4, 7])
def test_a_training_stopped_at_any_step_ends_in_the_same_bits(tmp_path: Path, after: int, plan: TrainConfig) -> None:
    whole = subject()
    train(whole, points(64), points(32, first=64), plan, Run(folder=tmp_path / "whole", seed=1))
    broken = subject()
    inner = broken.loss
    calls = 0

    def loss(batch: torch.Tensor) -> torch.Tensor:
        nonlocal calls
        calls += broken.module.training
        if calls > after:
            raise _StopError
        return inner(batch)

    stopping = TrainingTask(broken.module, broken.collate, loss, broken.hits, broken.length)
    with pytest.raises(_StopError):
        train(stopping, points(64), points(32, first=64), plan, Run(folder=tmp_path / "broken", seed=1))
    again = subject()
    train(again, points(64), points(32, first=64), plan, Run(folder=tmp_path / "broken", seed=1))
    assert weights(again) == weights(whole)


@pytest.mark.slow
def test_a_process_killed_in_the_middle_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    """A real kill -9, in step 21 of 40, before anything of it is kept."""
    whole = subject()
    train(whole, points(160), points(32, first=160), CAREFUL, Run(folder=tmp_path / "whole", seed=1))
    folder = tmp_path / "killed"
    script = (
        "import importlib.util, os, pathlib, signal\n"
        f"spec = importlib.util.spec_from_file_location('told', {str(Path(__file__))!r})\n"
        "told = importlib.util.module_from_spec(spec); spec.loader.exec_module(told)\n"
        "def kill(done, *_):\n"
        "    if done == 20: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"told.train(told.subject(), told.points(160), told.points(32, first=160), told.CAREFUL,"
        f" told.Run(folder=pathlib.Path({str(folder)!r}), seed=1, progress=kill))\n"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -signal.SIGKILL
    again, steps = subject(), list[int]()
    outcome = train(
        again,
        points(160),
        points(32, first=160),
        CAREFUL,
        Run(folder=folder, seed=1, progress=lambda done, *_: steps.append(done)),
    )
    assert steps == [20, 30]  # of 0, 10, 20 and 30: the first two epochs are not gone through again
    assert weights(again) == weights(whole)
    assert outcome.epochs == CAREFUL.epochs


def test_a_finished_training_is_not_done_again(tmp_path: Path) -> None:
    one = subject()
    first = train(one, points(64), points(32), PLAN, Run(folder=tmp_path, seed=1))
    again = subject()
    calls: list[int] = []
    second = train(
        again, points(64), points(32), PLAN, Run(folder=tmp_path, seed=1, progress=lambda done, *_: calls.append(done))
    )
    assert weights(again) == weights(one)
    assert second.held_out == first.held_out
    assert calls == []


def test_the_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    train(subject(), points(64), points(32), PLAN, Run(folder=tmp_path, seed=1))
    with pytest.raises(UsageError, match="another training"):
        train(subject(), points(64), points(32), PLAN, Run(folder=tmp_path, seed=2))


class _Ordered(nn.Module):
    """Two layers of one shape, registered in the order of their names."""

    def __init__(self, names: str) -> None:
        super().__init__()
        for name in names:
            self.add_module(name, nn.Linear(2, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.get_submodule("b")(self.get_submodule("a")(x))
        return found


def in_order(names: str) -> TrainingTask[tuple[float, float, int], torch.Tensor]:
    module = _Ordered(names)

    def loss(batch: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(module(batch[:, :2]), batch[:, 2].long())

    return TrainingTask(module=module, collate=torch.tensor, loss=loss, hits=None, length=lambda row: int(row[0]))


def test_a_checkpoint_whose_parameters_stand_in_another_order_is_refused(tmp_path: Path) -> None:
    plan = TrainConfig(epochs=1, batch=16, choose="loss")
    train(in_order("ab"), points(64), points(32), plan, Run(folder=tmp_path, seed=1))
    with pytest.raises(UsageError, match=r"other part\.parameters"):
        train(in_order("ba"), points(64), points(32), plan, Run(folder=tmp_path, seed=1))
    assert train(in_order("ab"), points(64), points(32), plan, Run(folder=tmp_path, seed=1)).epochs == 1


def test_a_damaged_checkpoint_is_named(tmp_path: Path) -> None:
    (tmp_path / CHECKPOINT).write_bytes(b"junk" * 40)
    with pytest.raises(StorageError, match="damaged"):
        train(subject(), points(64), points(32), PLAN, Run(folder=tmp_path, seed=1))


@pytest.mark.parametrize("part", ["identity", "module", "optimiser", "chance", "state"])
@pytest.mark.parametrize("value", [None, {}, {"x": 1}, "x"], ids=str)
def test_a_checkpoint_without_the_state_of_the_training_is_refused(tmp_path: Path, part: str, value: Any) -> None:
    train(subject(), points(64), points(32), PLAN, Run(folder=tmp_path, seed=1))
    saved = load_checkpoint(tmp_path / CHECKPOINT)
    save_checkpoint({**saved, part: value}, tmp_path / CHECKPOINT)
    with pytest.raises((StorageError, UsageError), match="remove it to start"):
        train(subject(), points(64), points(32), PLAN, Run(folder=tmp_path, seed=1))


def test_nothing_to_learn_from_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="found 0 and 3"):
        train(subject(), [], points(3), PLAN, Run(folder=tmp_path, seed=1))


def test_it_stops_when_held_out_examples_gain_nothing(tmp_path: Path) -> None:
    plan = TrainConfig(epochs=50, batch=8, learning_rate=1e-12, weight_decay=0.0, patience=2, threads=1)
    outcome = train(subject(), points(32), points(32), plan, Run(folder=tmp_path, seed=1))
    assert outcome.epochs < 50


def test_every_example_is_in_one_batch_and_like_lengths_are_together() -> None:
    lengths = [place * 7 % 50 for place in range(1000)]
    made = batches(lengths, 10, seed=1, epoch=0)
    assert sorted(place for batch in made for place in batch) == list(range(1000))
    spread = sum(max(lengths[p] for p in b) - min(lengths[p] for p in b) for b in made) / len(made)
    assert spread < 5
    assert made != batches(lengths, 10, seed=1, epoch=1)


def log(folder: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (folder / LOG).read_text().splitlines()]


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("cosine", [0.5, 1.0, 1.0, 0.02 + 0.98 * 0.5]),
        ("constant", [0.5, 1.0, 1.0, 1.0]),
        ("inverse-root", [0.5, 1.0, math.sqrt(2 / 3), math.sqrt(2 / 12)]),
    ],
)
def test_the_learning_rate_rises_and_then_follows_its_schedule(
    tmp_path: Path, schedule: str, expected: list[float]
) -> None:
    """20 steps, the first two of them warm-up: shares of the rate at steps 0, 1, 2 and 11."""
    plan = msgspec.convert({"epochs": 4, "batch": 10, "warm_up": 0.1, "schedule": schedule}, TrainConfig)
    training = _Training(ProcessGroup(), subject(), points(50), points(8), plan, Run(folder=tmp_path, seed=1))
    assert [training._rate(step) for step in (0, 1, 2, 11)] == pytest.approx(expected)


@pytest.mark.parametrize("fused", [False, True])
def test_adam_at_a_constant_rate_takes_the_steps_of_a_plain_loop(tmp_path: Path, *, fused: bool) -> None:
    """One batch of all examples, two epochs, gradients clipped."""
    plan = TrainConfig(
        epochs=2, batch=8, learning_rate=0.1, warm_up=0, weight_decay=0.0, clip=0.01, threads=1, choose="loss",
        optimiser="adam", schedule="constant", fused=fused,
    )  # fmt: skip
    ours, plain, rows = without_dropout(), without_dropout(), points(8)
    train(ours, rows, rows, plan, Run(folder=tmp_path, seed=1))
    optimiser = torch.optim.Adam(plain.module.parameters(), lr=0.1)
    for _ in range(2):
        optimiser.zero_grad()
        plain.loss(torch.tensor(rows)).backward()  # type: ignore[no-untyped-call]  # untyped in torch
        torch.nn.utils.clip_grad_norm_(plain.module.parameters(), 0.01)
        optimiser.step()
    for first, second in zip(ours.module.parameters(), plain.module.parameters(), strict=True):
        assert torch.allclose(first, second, atol=1e-6)


def without_dropout() -> TrainingTask[tuple[float, float, int], torch.Tensor]:
    one = subject()
    assert isinstance(one.module, nn.Sequential)
    one.module[2] = nn.Identity()
    return one


def test_a_model_is_told_each_epoch_also_after_a_stop(tmp_path: Path) -> None:
    told: list[int] = []
    one = dataclasses.replace(subject(), stage=told.append)
    train(one, points(64), points(32), PLAN, Run(folder=tmp_path / "whole", seed=1))
    assert told == [0, 1, 2, 3]

    def stop(done: int, total: int, what: str) -> None:
        if done >= 4:
            raise _StopError

    told.clear()
    for progress in (stop, None):
        one = dataclasses.replace(subject(), stage=told.append)
        with contextlib.suppress(_StopError):
            train(one, points(640), points(32), CAREFUL, Run(folder=tmp_path / "broken", seed=1, progress=progress))
    assert told == [0, 0, 1, 2, 3]


def test_looks_within_epochs_come_at_their_steps_and_at_the_end(tmp_path: Path) -> None:
    plan = msgspec.structs.replace(PLAN, check_every=3, patience=100)
    train(subject(), points(64), points(32), plan, Run(folder=tmp_path, seed=1))
    assert [line["step"] for line in log(tmp_path)] == [3, 6, 9, 12, 15, 16]
    assert [line["epoch"] for line in log(tmp_path)] == [1, 2, 3, 3, 4, 4]


def test_looks_within_epochs_stop_a_training_in_the_middle(tmp_path: Path) -> None:
    plan = TrainConfig(
        epochs=9, batch=8, learning_rate=1e-12, weight_decay=0.0, patience=2, threads=1, check_every=1, choose="loss"
    )
    one = dataclasses.replace(subject(), loss=lambda batch: one.module(batch[:, :2]).sum() * 0 + 1)
    outcome = train(one, points(64), points(32), plan, Run(folder=tmp_path, seed=1))
    assert [line["step"] for line in log(tmp_path)] == [1, 2, 3]
    assert outcome.epochs == 0
    assert train(one, points(64), points(32), plan, Run(folder=tmp_path, seed=1)) == outcome


def test_the_best_weights_may_be_those_of_least_loss(tmp_path: Path) -> None:
    one = dataclasses.replace(subject(), hits=None)
    plan = msgspec.structs.replace(PLAN, choose="loss", patience=100, epochs=8, learning_rate=0.5)
    outcome = train(one, points(64), points(32, first=64), plan, Run(folder=tmp_path, seed=1))
    told = [line["held_out_loss"] for line in log(tmp_path)]
    assert outcome.loss == pytest.approx(min(told), abs=1e-6)
    assert min(told) < told[-1]
    assert "held_out_right" not in log(tmp_path)[0]
    one.module.eval()
    judged = one.loss(torch.tensor(points(32, first=64))).item()
    assert judged == pytest.approx(outcome.loss, abs=1e-5)


def test_a_model_that_cannot_say_what_is_right_is_judged_by_loss_only(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="set the config's 'choose' to 'loss'"):
        train(dataclasses.replace(subject(), hits=None), points(8), points(8), PLAN, Run(folder=tmp_path, seed=1))


def test_epochs_of_an_early_stage_are_never_the_best(tmp_path: Path) -> None:
    """The first stage's loss is lower by far, as where a part of the loss is left out."""
    epochs: list[int] = []
    one = dataclasses.replace(subject(), stage=epochs.append)
    whole = one.loss
    one = dataclasses.replace(one, loss=lambda batch: whole(batch) * (0.001 if epochs[-1] < 2 else 1))
    plan = msgspec.structs.replace(PLAN, epochs=3, choose="loss", choose_from=2, patience=1)
    outcome = train(one, points(64), points(32), plan, Run(folder=tmp_path, seed=1))
    told = [line["held_out_loss"] for line in log(tmp_path)]
    assert outcome.epochs == 3
    assert outcome.loss == pytest.approx(told[2], abs=1e-6)
    assert told[2] > told[1]


def test_the_held_out_loss_is_weighed_as_the_batches_are(tmp_path: Path) -> None:
    rows = points(20)
    one = subject()
    one = dataclasses.replace(
        one, weight=lambda row: 3.0 if row[2] else 1.0, loss=lambda batch: _weighed(one.module, batch)
    )
    outcome = train(one, rows, rows, msgspec.structs.replace(PLAN, batch=3), Run(folder=tmp_path, seed=1))
    assert outcome.loss == pytest.approx(_weighed(one.module.eval(), torch.tensor(rows)).item(), abs=1e-5)


def _weighed(module: nn.Module, batch: torch.Tensor) -> torch.Tensor:
    weight = 1 + 2 * batch[:, 2]
    return (functional.cross_entropy(module(batch[:, :2]), batch[:, 2].long(), reduction="none") * weight).sum() / (
        weight.sum()
    )


def test_speed_is_told_in_tokens_where_they_are_known(tmp_path: Path) -> None:
    seen: list[str] = []
    train(
        dataclasses.replace(subject(), tokens=lambda row: 7),
        points(640),
        points(32),
        PLAN,
        Run(folder=tmp_path, seed=1, progress=lambda done, total, what: seen.append(what)),
    )
    assert all(re.fullmatch(r"training \(\d+ tokens/s, \d+:\d\d left\)", what) for what in seen)
    assert log(tmp_path)[-1]["tokens_per_second"] == pytest.approx(
        7 * log(tmp_path)[-1]["examples_per_second"], rel=0.1
    )


def test_a_loss_that_is_no_number_stops_the_training(tmp_path: Path) -> None:
    one = subject()
    inner = one.loss
    broken = dataclasses.replace(one, loss=lambda batch: inner(batch) * math.nan)
    with pytest.raises(UsageError, match="the loss of step 1 is nan; train with a lower learning rate"):
        train(broken, points(64), points(32), PLAN, Run(folder=tmp_path, seed=1))


def test_a_training_without_any_held_out_figure_says_so(tmp_path: Path) -> None:
    one = subject()
    plan = msgspec.structs.replace(PLAN, choose="loss", epochs=1, batch=64, learning_rate=1e30)
    with pytest.raises(UsageError, match="no epoch has a held-out loss that is a number"):
        train(one, points(64), points(32), plan, Run(folder=tmp_path, seed=1))
