"""Making, training and using a `Postks` network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import torch

from duologue.challenges.proactive.systems.postks.network.batch import Batch, Row, collate
from duologue.challenges.proactive.systems.postks.network.model import Postks
from duologue.challenges.proactive.systems.postks.network.search import search
from duologue.models.train import Subject
from duologue.models.weights import first_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from duologue.challenges.proactive.systems.postks.network.model import PostksSize
    from duologue.challenges.proactive.systems.postks.network.search import Found


def new_postks(size: PostksSize, seed: int) -> Postks:
    """Return a network with the first weights of that seed; the chance of others is left alone."""
    with first_weights(seed):
        return Postks(size)


class Learner:
    """A network that goes through the two stages of its training (section 4.2)."""

    def __init__(self, model: Postks, bow_epochs: int, precision: Literal["float32", "bfloat16"]) -> None:
        self.model = model
        self.bow_epochs = bow_epochs
        self.precision = torch.bfloat16 if precision == "bfloat16" else torch.float32
        self.bow_only = bow_epochs > 0

    def stage(self, epoch: int) -> None:
        """Learn the words of replies from knowledge alone in the first `bow_epochs` epochs, from 0, then everything."""
        self.bow_only = epoch < self.bow_epochs

    def loss(self, batch: Batch) -> Tensor:
        """Return the loss of the stage; in evaluation that of everything, whatever the stage."""
        bow_only = self.bow_only and self.model.training
        with torch.autocast(batch.which.device.type, enabled=False):  # it knows itself which products to narrow
            return self.model.losses(batch, bow_only=bow_only, precision=self.precision).total

    def subject(self) -> Subject[Row, Batch]:
        """Return what `train` needs; which weights are best is told by the loss."""
        return Subject(
            module=self.model,
            collate=collate,
            loss=self.loss,
            hits=None,
            length=_length,
            stage=self.stage,
            tokens=_tokens,
        )


def _length(row: Row) -> int:
    return len(row.reply)


def _tokens(row: Row) -> int:
    return len(row.source) + len(row.reply) + sum(map(len, row.triples))


def replies(model: Postks, rows: Sequence[Row], width: int) -> list[Found]:
    """Return the best reply to each row, knowledge chosen by the prior; one thread does the work."""
    if not rows:
        return []
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # on a busy machine two wait for each other at every step
    try:
        return search(model, collate(rows, replies=False), width=width)
    finally:
        torch.set_num_threads(threads)
