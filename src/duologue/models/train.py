"""The training loop of all networks: batches, warm-up and schedule, early stopping, checkpoints, several devices.

A training that is killed at any moment and started again ends with the same bits as one that was not:
every checkpoint holds weights, optimiser, place in the epoch and the state of the random generators, and appears under
its name only when it is complete. Weights stay in float32; with `precision="bfloat16"` matrix products are
done in half the bits, which pays for wide layers and not for small ones (the restaurant's ranker spends a
quarter of its time in them), and only on processors that have instructions for it: on others a product took 18 times
as long as in float32. `auto` asks the processor.
"""

from __future__ import annotations

import json
import math
import os
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import msgspec
import torch
import torch.utils.deterministic

from duologue.core.disk import sha256, write_text
from duologue.core.errors import StorageError, UsageError
from duologue.core.identity import CHECKPOINT, LOG, differences
from duologue.core.sums import added
from duologue.models.checkpoint import load_checkpoint, save_checkpoint
from duologue.models.inference import threads
from duologue.models.matmul import multiplies_bfloat16
from duologue.models.parallel import ProcessGroup, on_device, process_group
from duologue.models.training_recipe import ParallelTrainingRecipe, entries_of
from duologue.models.weights import torch_seed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from torch import Tensor, nn

    from duologue.core.protocols import OnMetrics, Progress, Run

Example = TypeVar("Example")
Batch = TypeVar("Batch")

_WINDOW = 32  # batches that are sorted by length together
_FLOOR = 0.02  # share of the learning rate that is left at the end of a cosine


class TrainConfig(ParallelTrainingRecipe, frozen=True):
    """Options of the training loop: optimiser, schedule, early stopping, devices."""

    warm_up: float = 0.05
    """Share of all steps in which the learning rate rises."""
    weight_decay: float = 0.01
    clip: float = 1.0
    """Largest norm of the gradient."""
    optimiser: Literal["adamw", "adam"] = "adamw"
    """With `adam`, weight decay is part of the gradient."""
    fused: bool = False
    """One pass of the optimiser over all weights: faster for small networks on a CPU, with other last bits."""
    schedule: Literal["cosine", "linear", "constant", "inverse-root"] = "cosine"
    """What the learning rate does after the warm-up; `inverse-root`: falls with the root of the step."""
    accumulate: int = 1
    """Parts into which the examples of a step are split, whose gradients are summed: memory for time."""
    precision: Literal["float32", "bfloat16", "auto"] = "float32"
    """Of matrix products (autocast); weights are float32 always. `auto`: bfloat16 where the device multiplies it."""
    choose: Literal["right", "loss"] = "right"
    """Which weights are best: most held-out examples right (then least loss), or least held-out loss."""
    choose_from: int = 0
    """Epochs before this one, from 0, are never the best: for stages whose losses cannot be compared."""

    @classmethod
    def of(cls, *recipes: object, **given: Any) -> TrainConfig:
        """Return the options that recipes have under the same names, later ones first, and those `given`."""
        return entries_of(cls, *recipes, **given)


@dataclass(frozen=True)
class TrainingTask(Generic[Example, Batch]):
    """The module to train, with the functions that make batches, loss and accuracy of its examples.

    For several devices its functions must travel by pickle: functions of a module, `functools.partial`, bound methods.
    """

    module: nn.Module
    collate: Callable[[Sequence[Example]], Batch]
    loss: Callable[[Batch], Tensor]
    """Mean loss of a batch, a scalar."""
    hits: Callable[[Batch], Tensor] | None
    """Per example of a batch, 1 where the model is right; `None` for models that are judged by their loss alone."""
    length: Callable[[Example], int]
    """Examples of like length share a batch."""
    stage: Callable[[int], None] | None = None
    """Called with the number of each epoch, from 0, before it starts: a model with stages sets itself."""
    weight: Callable[[Example], float] | None = None
    """What an example counts in the mean loss of its batch; `None`: all alike. For a mean over tokens: its tokens."""
    tokens: Callable[[Example], int] | None = None
    """Tokens that an example makes the model read, for the speed that is shown; `None`: examples are counted."""


@dataclass
class _State:
    """The state of the loop that a checkpoint keeps, besides weights and optimiser."""

    epoch: int = 0
    step: int = 0
    """Batches done in this epoch."""
    best: tuple[float, float] = (-math.inf, -math.inf)
    best_weights: dict[str, Tensor] = field(default_factory=dict)
    held_out: tuple[float, float] = (0.0, math.inf)
    """Share right and loss of the best weights."""
    idle: int = 0
    done: bool = False
    seconds: float = 0.0
    tokens: int = 0
    """Tokens seen in all."""
    loss_sum: float = 0.0
    loss_steps: int = 0
    """Steps since the last look."""
    log: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class TrainingResult:
    """The result of a training; the module holds the best weights."""

    epochs: int
    """Epochs done whole."""
    held_out: float
    """Share of held-out examples that the best weights get right; 0 where that is not asked."""
    seconds: float
    """Time spent, over all runs."""
    loss: float
    """Mean loss of the best weights on the held-out examples."""


def train(
    task: TrainingTask[Example, Batch],
    examples: Sequence[Example],
    held_out: Sequence[Example],
    config: TrainConfig,
    run: Run,
) -> TrainingResult:
    """Train the task's module in place and leave the weights that were best on held-out examples.

    The run's seed decides order and dropout; the caller makes the first weights. Continues from the checkpoint in
    the run's folder if there is one, which must bear the run's identity. Raises `UsageError`
    when that checkpoint belongs to another training, there is nothing to train on, the loss is no number any more,
    or the devices asked for are not there; `StorageError` when the checkpoint is damaged.
    """
    if not examples or not held_out:
        raise UsageError(f"training needs examples and held-out examples; found {len(examples)} and {len(held_out)}")
    if task.hits is None and config.choose == "right":
        raise UsageError("this model does not say which examples it gets right; set the config's 'choose' to 'loss'")
    given = (task, examples, held_out, config, msgspec.structs.replace(run, progress=None, on_metrics=None, worlds={}))
    with _settings(config, run.seed), process_group(config.devices, config.device, _help, *given) as group:
        return _Training(group, *given, progress=run.progress, on_metrics=run.on_metrics).run()


def _help(group: ProcessGroup, *given: Any) -> None:
    *_, config, run = given
    with _settings(config, run.seed):
        _Training(group, *given).run()


def _hash_of_parameters(module: nn.Module) -> str:
    """Return a hash of names and shapes in their order, by which the optimiser knows the parameters."""
    rows = (f"{name} {tuple(value.shape)}\n" for name, value in module.named_parameters())
    return sha256("".join(rows).encode())


class _Training(Generic[Example, Batch]):
    def __init__(
        self,
        group: ProcessGroup,
        task: TrainingTask[Example, Batch],
        examples: Sequence[Example],
        held_out: Sequence[Example],
        config: TrainConfig,
        run: Run,
        progress: Progress | None = None,
        on_metrics: OnMetrics | None = None,
    ) -> None:
        self.group, self.task, self.examples, self.held_out, self.config = group, task, examples, held_out, config
        self.folder, self.seed, self.progress = run.folder, run.seed, progress
        self.on_metrics = on_metrics
        self.identity = {
            **run.identity.table(),
            "part": {
                "seed": run.seed,
                "examples": len(examples),
                "held_out": len(held_out),
                "plan": msgspec.to_builtins(config),
                "torch": str(torch.__version__),
                "parameters": _hash_of_parameters(task.module),
            },
        }
        self.module = task.module.to(group.device)
        self.loss = group.wrapped(self.module, task.loss, in_stages=task.stage is not None)
        kind = torch.optim.AdamW if config.optimiser == "adamw" else torch.optim.Adam
        self.optimiser = kind(
            self.module.parameters(),
            lr=config.learning_rate,
            weight_decay=config.weight_decay,
            foreach=not config.fused,
            fused=config.fused,
        )
        self.steps = math.ceil(len(examples) / config.batch)
        self.state = _State()
        self.started = time.monotonic()
        self.written = self.started

    def run(self) -> TrainingResult:
        self._resume()
        state, config = self.state, self.config
        lengths = [self.task.length(one) for one in self.examples]
        while not state.done:
            if self.task.stage is not None:
                self.task.stage(state.epoch)
            batches = _batches(lengths, config.batch, self.seed, state.epoch)
            while state.step < len(batches) and not state.done:
                self._step([self.examples[place] for place in batches[state.step]])
                state.step += 1
                if config.check_every and self._steps_done() % config.check_every == 0:
                    self._look()
                self._save(due_only=True)
            self._close_epoch()
            self._save(due_only=not state.done)
        if not state.best_weights:
            raise UsageError(
                "no epoch has a held-out loss that is a number; train with a lower learning rate, or longer"
            )
        self.module.load_state_dict(state.best_weights)
        return TrainingResult(state.epoch, state.held_out[0], state.seconds, state.held_out[1])

    def _steps_done(self) -> int:
        return self.state.epoch * self.steps + self.state.step

    def _autocast(self) -> torch.autocast:
        enabled = self.config.precision == "bfloat16"
        if self.config.precision == "auto":
            enabled = self.group.device.type != "cpu" or multiplies_bfloat16()
        return torch.autocast(self.group.device.type, dtype=torch.bfloat16, enabled=enabled)

    def _step(self, rows: Sequence[Example]) -> None:
        state, done = self.state, self._steps_done()
        self.module.train()
        for group in self.optimiser.param_groups:
            group["lr"] = self.config.learning_rate * self._rate(done)
        self.optimiser.zero_grad(set_to_none=True)  # the memory of old gradients is free for the forward pass
        reached = self.group.total([self._backward(rows) / self.group.size])[0]
        torch.nn.utils.clip_grad_norm_(self.module.parameters(), self.config.clip)
        self.optimiser.step()
        if not math.isfinite(reached):
            raise UsageError(f"the loss of step {done + 1} is {reached}; train with a lower learning rate")
        state.loss_sum += reached
        state.loss_steps += 1
        if self.task.tokens is not None:
            state.tokens += sum(map(self.task.tokens, rows))
        if self.progress is not None and state.step % 10 == 0:
            self.progress(done, self.config.epochs * self.steps, f"training ({self._pace()})")

    def _backward(self, rows: Sequence[Example]) -> float:
        """Add the gradient of the mean loss of a step, part by part, and return that loss."""
        size = math.ceil(len(rows) / self.config.accumulate)
        whole, summed = self._weight(rows), 0.0
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            with self._autocast():
                loss = self._shared_loss(part)
                loss = loss if len(part) == len(rows) else loss * (self._weight(part) / whole)
            torch.autograd.backward(loss)
            summed += float(loss.detach())
        return summed

    def _shared_loss(self, rows: Sequence[Example]) -> Tensor:
        """Return this process's loss, weighed so that the mean over the group is the mean over all rows."""
        group = self.group
        if group.size == 1:
            return self.loss(self._batch(rows))
        drawn = (self.seed * 1_000_003 + self._steps_done()) * group.size + group.rank
        torch.manual_seed(torch_seed(drawn))  # nothing to save
        mine = group.share(rows)
        share = self._weight(mine) / self._weight(rows) * group.size
        return self.loss(self._batch(mine or rows[:1])) * share  # with nothing to do, something at weight 0

    def _batch(self, rows: Sequence[Example]) -> Batch:
        batch = self.task.collate(rows)
        moved: Batch = batch if self.group.device.type == "cpu" else on_device(batch, self.group.device)
        return moved

    def _weight(self, rows: Sequence[Example]) -> float:
        return float(len(rows)) if self.task.weight is None else added(map(self.task.weight, rows))

    def _rate(self, step: int) -> float:
        """Return the share of the learning rate for a step: linear warm-up, then the schedule."""
        total = max(1, self.config.epochs * self.steps)
        rise = max(1, int(total * self.config.warm_up))
        if step < rise:
            return (step + 1) / rise
        if self.config.schedule == "constant":
            return 1.0
        if self.config.schedule == "linear":
            return max(0.0, (total - step) / max(1, total - rise))
        if self.config.schedule == "inverse-root":
            return math.sqrt(rise / (step + 1))
        return _FLOOR + (1 - _FLOOR) * 0.5 * (1 + math.cos(math.pi * (step - rise) / max(1, total - rise)))

    def _pace(self) -> str:
        """Say how fast it goes and how long it takes if it does not stop early."""
        done = self._steps_done() + 1
        left = self._seconds() / done * (self.config.epochs * self.steps - done)
        minutes, seconds = divmod(round(left), 60)
        speed = f"{self._examples_per_second():.0f} examples/s"
        if self.task.tokens is not None:
            speed = f"{self.state.tokens / max(1e-9, self._seconds()):.0f} tokens/s"
        return f"{speed}, {minutes}:{seconds:02} left"

    def _examples_per_second(self) -> float:
        return self._steps_done() * self.config.batch / max(1e-9, self._seconds())

    def _seconds(self) -> float:
        return self.state.seconds + time.monotonic() - self.started

    def _close_epoch(self) -> None:
        state, config = self.state, self.config
        if state.done and state.step < self.steps:
            return  # stopped by a look in the middle
        last = state.epoch + 1 >= config.epochs
        if not config.check_every or (last and state.loss_steps):
            self._look()
        state.epoch, state.step = state.epoch + 1, 0
        state.done = state.done or last

    def _look(self) -> None:
        """Judge the weights on the held-out examples, keep them if they are the best so far, and log."""
        state, config = self.state, self.config
        share, loss = self._judge()
        merit = (share, -loss) if config.choose == "right" else (-loss, share)
        eligible = state.epoch >= config.choose_from
        better = eligible and merit > state.best
        if better:
            state.best, state.held_out = merit, (share, loss)
            state.best_weights = {name: value.clone() for name, value in self.module.state_dict().items()}
        state.idle = 0 if better or not eligible else state.idle + 1
        state.done = state.done or state.idle >= config.patience
        line: dict[str, Any] = {
            "epoch": state.epoch + 1,
            "step": self._steps_done(),
            "loss": round(state.loss_sum / state.loss_steps, 6),
            "held_out_loss": round(loss, 6),
        }
        if self.task.hits is not None:
            line["held_out_right"] = round(share, 6)
        line |= {"seconds": round(self._seconds(), 1), "examples_per_second": round(self._examples_per_second())}
        if self.task.tokens is not None:
            line["tokens_per_second"] = round(state.tokens / max(1e-9, self._seconds()))
        state.log.append(line)
        state.loss_sum, state.loss_steps = 0.0, 0
        if self.group.rank == 0:
            write_text(self.folder / LOG, "".join(json.dumps(line) + "\n" for line in state.log))
        if self.on_metrics is not None:
            self.on_metrics(
                self.folder, int(line["step"]), {name: float(line[name]) for name in line if name != "step"}
            )

    def _judge(self) -> tuple[float, float]:
        """Return the share of held-out examples that are right, and their mean loss."""
        task, group = self.task, self.group
        self.module.eval()
        right, loss, weight = 0.0, 0.0, 0.0
        order = sorted(range(len(self.held_out)), key=lambda place: (task.length(self.held_out[place]), place))
        starts = range(0, len(order), self.config.batch)
        for start in group.share(starts):
            rows = [self.held_out[place] for place in order[start : start + self.config.batch]]
            with torch.inference_mode(), self._autocast():
                batch = self._batch(rows)
                right += float(task.hits(batch).sum()) if task.hits is not None else 0.0
                loss += float(task.loss(batch)) * self._weight(rows)
            weight += self._weight(rows)
        right, loss, weight = group.total([right, loss, weight])
        return right / len(self.held_out), loss / weight

    def _save(self, *, due_only: bool) -> None:
        state = self.state
        if self.group.rank or (due_only and time.monotonic() - self.written < self.config.checkpoint_seconds):
            return
        state.seconds, self.started = self._seconds(), time.monotonic()
        saved = {
            "identity": self.identity,
            "module": self.module.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "chance": torch.get_rng_state(),
            "state": dict(vars(state)),
        }
        if self.group.device.type == "cuda":
            saved["cuda_chance"] = torch.cuda.get_rng_state(self.group.device)
        save_checkpoint(saved, self.folder / CHECKPOINT)
        self.written = time.monotonic()

    def _resume(self) -> None:
        path = self.folder / CHECKPOINT
        if not path.exists():
            return
        saved = load_checkpoint(path)
        other = differences(saved.get("identity"), self.identity)
        if other:
            raise UsageError(
                f"{path} belongs to another training ({', '.join(other)}); train with the same to go on with it, "
                f"choose another folder, or remove it to start anew"
            )
        try:
            self.module.load_state_dict(saved["module"])
            self.optimiser.load_state_dict(saved["optimiser"])
            torch.set_rng_state(saved["chance"])
            if "cuda_chance" in saved:
                torch.cuda.set_rng_state(saved["cuda_chance"], self.group.device)
            self.state = _State(**{name: saved["state"][name] for name in vars(_State())})
        except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            raise StorageError(f"{path} does not hold the state of this training; remove it to start afresh") from error


def _batches(lengths: Sequence[int], size: int, seed: int, epoch: int) -> list[list[int]]:
    """Return the places of each batch of an epoch: shuffled, then sorted by length within windows."""
    chance = torch.Generator().manual_seed(torch_seed(seed * 1_000_003 + epoch))
    order = torch.randperm(len(lengths), generator=chance).tolist()
    batches: list[list[int]] = []
    for start in range(0, len(order), size * _WINDOW):
        window = sorted(order[start : start + size * _WINDOW], key=lambda place: lengths[place])
        batches += [window[first : first + size] for first in range(0, len(window), size)]
    return [batches[place] for place in torch.randperm(len(batches), generator=chance).tolist()]


@contextmanager
def _settings(config: TrainConfig, seed: int) -> Iterator[None]:
    """Fix threads, chance and the order of sums for the block, and put back what was there.

    Each shape of a batch has compiled products of its own (oneDNN): the thousand kept by default take gigabytes.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")  # read once, at the first of them
    deterministic = torch.are_deterministic_algorithms_enabled()
    memory: Any = torch.utils.deterministic  # its one setting is untyped
    filling = memory.fill_uninitialized_memory
    cuda = list(range(config.devices)) if config.device == "cuda" and torch.cuda.is_available() else []
    if cuda:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # cuBLAS sums in one order only if it is told
    with torch.random.fork_rng(devices=cuda), threads(config.threads):
        torch.use_deterministic_algorithms(True)  # noqa: FBT003  # torch takes it by position only
        memory.fill_uninitialized_memory = False  # a tenth of the time, and nothing here reads it
        torch.manual_seed(torch_seed(seed))
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(deterministic)
            memory.fill_uninitialized_memory = filling
