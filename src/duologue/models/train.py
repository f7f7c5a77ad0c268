"""The training loop of the house: batches, warm-up and cosine, early stopping, checkpoints.

A training that is killed at any moment and started again ends with the same bits as one that was not:
every checkpoint holds weights, optimiser, place in the epoch and the state of chance, and appears under
its name only when it is complete. Weights stay in float32: in a step of so small a model matrix products take
a quarter of the time (profiled with the ranker), so that narrower numbers would win little.
"""

from __future__ import annotations

import io
import json
import math
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import torch
import torch.utils.deterministic

from duologue.core.disk import read_bytes, sha256, write_bytes, write_text
from duologue.core.errors import StorageError, UsageError
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from torch import Tensor, nn

    from duologue.core.protocols import Progress

Example = TypeVar("Example")
Batch = TypeVar("Batch")

CHECKPOINT = "checkpoint.pt"
LOG = "training.jsonl"
_MARK = 64  # bytes of the SHA-256 before the checkpoint's data
_WINDOW = 32  # batches that are sorted by length together
_FLOOR = 0.02  # share of the learning rate that is left at the end


class Plan(Record, frozen=True):
    """How to train."""

    epochs: int = 6
    batch: int = 64
    """Examples per step."""
    learning_rate: float = 2e-3
    """At its highest, after the warm-up."""
    warm_up: float = 0.05
    """Share of all steps in which the learning rate rises."""
    weight_decay: float = 0.01
    clip: float = 1.0
    """Largest norm of the gradient."""
    patience: int = 3
    """Epochs without progress on held-out examples before the training stops."""
    checkpoint_seconds: float = 20.0
    """Time between checkpoints; 0 writes one after every step."""
    threads: int = 2
    """Processor threads; other numbers give results that differ in the last bits."""


@dataclass(frozen=True)
class Subject(Generic[Example, Batch]):
    """What is trained, and how its examples become batches and a loss."""

    module: nn.Module
    collate: Callable[[Sequence[Example]], Batch]
    loss: Callable[[Batch], Tensor]
    """Mean loss of a batch, a scalar."""
    hits: Callable[[Batch], Tensor]
    """Per example of a batch, 1 where the model is right."""
    length: Callable[[Example], int]
    """Examples of like length share a batch."""


@dataclass
class _State:
    """All that the rest of the training depends on, besides weights and optimiser."""

    epoch: int = 0
    step: int = 0
    """Batches done in this epoch."""
    best: tuple[float, float] = (-1.0, -math.inf)
    best_weights: dict[str, Tensor] = field(default_factory=dict)
    idle: int = 0
    done: bool = False
    seconds: float = 0.0
    loss_sum: float = 0.0
    log: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Outcome:
    """What a training came to; the module holds the best weights."""

    epochs: int
    held_out: float
    """Share of held-out examples that the best weights get right."""
    seconds: float
    """Time spent, over all runs."""


def train(
    subject: Subject[Example, Batch],
    examples: Sequence[Example],
    held_out: Sequence[Example],
    plan: Plan,
    *,
    folder: Path,
    seed: int,
    data_hash: str = "",
    progress: Progress | None = None,
) -> Outcome:
    """Train the subject's module in place and leave the weights that were best on held-out examples.

    `seed` decides order and dropout; the caller makes the first weights. Continues from the checkpoint in
    `folder` if there is one. Raises `UsageError` when that checkpoint belongs to another training or there
    is nothing to train on, `StorageError` when it is damaged.
    """
    if not examples or not held_out:
        raise UsageError(f"training needs examples and held-out examples; found {len(examples)} and {len(held_out)}")
    with _settings(plan.threads, seed):
        return _Training(subject, examples, held_out, plan, folder, seed, data_hash, progress).run()


class _Training(Generic[Example, Batch]):
    def __init__(
        self,
        subject: Subject[Example, Batch],
        examples: Sequence[Example],
        held_out: Sequence[Example],
        plan: Plan,
        folder: Path,
        seed: int,
        data_hash: str,
        progress: Progress | None,
    ) -> None:
        self.subject, self.examples, self.held_out, self.plan = subject, examples, held_out, plan
        self.folder, self.seed, self.progress = folder, seed, progress
        self.identity = f"{seed} {len(examples)} {len(held_out)} {plan} {data_hash}"
        self.optimiser = torch.optim.AdamW(
            subject.module.parameters(), lr=plan.learning_rate, weight_decay=plan.weight_decay, foreach=True
        )
        self.steps = math.ceil(len(examples) / plan.batch)
        self.state = _State()
        self.started = time.monotonic()
        self.written = self.started

    def run(self) -> Outcome:
        self._resume()
        state, plan = self.state, self.plan
        while not state.done:
            batches = _batches([self.subject.length(one) for one in self.examples], plan.batch, self.seed, state.epoch)
            while state.step < len(batches):
                self._step([self.examples[place] for place in batches[state.step]])
                state.step += 1
                self._save(due_only=True)
            self._close_epoch()
            self._save(due_only=not state.done)
        self.subject.module.load_state_dict(state.best_weights)
        return Outcome(state.epoch, state.best[0], state.seconds)

    def _step(self, rows: Sequence[Example]) -> None:
        subject, state = self.subject, self.state
        subject.module.train()
        for group in self.optimiser.param_groups:
            group["lr"] = self.plan.learning_rate * self._rate(state.epoch * self.steps + state.step)
        loss = subject.loss(subject.collate(rows))
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        torch.nn.utils.clip_grad_norm_(subject.module.parameters(), self.plan.clip)
        self.optimiser.step()
        state.loss_sum += float(loss.detach())
        if self.progress is not None and state.step % 10 == 0:
            done = state.epoch * self.steps + state.step
            self.progress(done, self.plan.epochs * self.steps, f"training ({self._speed():.0f} examples/s)")

    def _rate(self, step: int) -> float:
        """Return the share of the learning rate for a step: linear warm-up, then a half cosine."""
        total = max(1, self.plan.epochs * self.steps)
        rise = max(1, int(total * self.plan.warm_up))
        if step < rise:
            return (step + 1) / rise
        return _FLOOR + (1 - _FLOOR) * 0.5 * (1 + math.cos(math.pi * (step - rise) / max(1, total - rise)))

    def _speed(self) -> float:
        done = (self.state.epoch * self.steps + self.state.step + 1) * self.plan.batch
        return done / max(1e-9, self._seconds())

    def _seconds(self) -> float:
        return self.state.seconds + time.monotonic() - self.started

    def _close_epoch(self) -> None:
        state = self.state
        share, loss = self._judge()
        better = (share, -loss) > state.best
        if better:
            state.best = (share, -loss)
            state.best_weights = {name: value.clone() for name, value in self.subject.module.state_dict().items()}
        state.idle = 0 if better else state.idle + 1
        state.epoch, state.step = state.epoch + 1, 0
        state.done = state.epoch >= self.plan.epochs or state.idle >= self.plan.patience
        state.log.append(
            {
                "epoch": state.epoch,
                "loss": round(state.loss_sum / self.steps, 6),
                "held_out_loss": round(loss, 6),
                "held_out_right": round(share, 6),
                "seconds": round(self._seconds(), 1),
                "examples_per_second": round(self._speed()),
            }
        )
        state.loss_sum = 0.0
        write_text(self.folder / LOG, "".join(json.dumps(line) + "\n" for line in state.log))

    def _judge(self) -> tuple[float, float]:
        """Return the share of held-out examples that are right, and their mean loss."""
        subject = self.subject
        subject.module.eval()
        right, loss = 0.0, 0.0
        order = sorted(range(len(self.held_out)), key=lambda place: (subject.length(self.held_out[place]), place))
        with torch.inference_mode():
            for start in range(0, len(order), self.plan.batch):
                rows = [self.held_out[place] for place in order[start : start + self.plan.batch]]
                batch = subject.collate(rows)
                right += float(subject.hits(batch).sum())
                loss += float(subject.loss(batch)) * len(rows)
        return right / len(self.held_out), loss / len(self.held_out)

    def _save(self, *, due_only: bool) -> None:
        state = self.state
        if due_only and time.monotonic() - self.written < self.plan.checkpoint_seconds:
            return
        state.seconds, self.started = self._seconds(), time.monotonic()
        out = io.BytesIO()
        torch.save(
            {
                "identity": self.identity,
                "module": self.subject.module.state_dict(),
                "optimiser": self.optimiser.state_dict(),
                "chance": torch.get_rng_state(),
                "state": dict(vars(state)),
            },
            out,
        )
        data = out.getvalue()
        write_bytes(self.folder / CHECKPOINT, sha256(data).encode() + data)
        self.written = time.monotonic()

    def _resume(self) -> None:
        path = self.folder / CHECKPOINT
        if not path.exists():
            return
        data = read_bytes(path)
        mark, data = data[:_MARK], data[_MARK:]
        if mark != sha256(data).encode():
            raise StorageError(f"{path}: the checkpoint is damaged; remove it to start afresh")
        saved = torch.load(io.BytesIO(data), weights_only=True)
        if saved["identity"] != self.identity:
            raise UsageError(
                f"{path} belongs to another training (another recipe, seed or data); choose another folder or remove it"
            )
        self.subject.module.load_state_dict(saved["module"])
        self.optimiser.load_state_dict(saved["optimiser"])
        torch.set_rng_state(saved["chance"])
        self.state = _State(**saved["state"])


def _batches(lengths: Sequence[int], size: int, seed: int, epoch: int) -> list[list[int]]:
    """Return the places of each batch of an epoch: shuffled, then sorted by length within windows."""
    chance = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
    order = torch.randperm(len(lengths), generator=chance).tolist()
    batches: list[list[int]] = []
    for start in range(0, len(order), size * _WINDOW):
        window = sorted(order[start : start + size * _WINDOW], key=lambda place: lengths[place])
        batches += [window[first : first + size] for first in range(0, len(window), size)]
    return [batches[place] for place in torch.randperm(len(batches), generator=chance).tolist()]


@contextmanager
def _settings(threads: int, seed: int) -> Iterator[None]:
    """Fix threads, chance and the order of sums for the block, and put back what was there."""
    before, deterministic = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    memory: Any = torch.utils.deterministic  # its one setting is untyped
    filling = memory.fill_uninitialized_memory
    with torch.random.fork_rng(devices=[]):
        torch.set_num_threads(threads)
        torch.use_deterministic_algorithms(True)  # noqa: FBT003  # torch takes it by position only
        memory.fill_uninitialized_memory = False  # a tenth of the time, and nothing here reads it
        torch.manual_seed(seed)
        try:
            yield
        finally:
            torch.set_num_threads(before)
            torch.use_deterministic_algorithms(deterministic)
            memory.fill_uninitialized_memory = filling
