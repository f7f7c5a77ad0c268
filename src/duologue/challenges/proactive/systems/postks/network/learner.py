"""Creates a `Postks` network, its two-stage training objective, and replies by decoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import torch

from duologue.challenges.proactive.systems.postks.network.batch import PostksBatch, PostksRow, collate
from duologue.challenges.proactive.systems.postks.network.model import Postks
from duologue.challenges.proactive.systems.postks.network.search import search
from duologue.models.inference import inference
from duologue.models.train import TrainingTask
from duologue.models.weights import first_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from duologue.challenges.proactive.systems.postks.network.model import PostksSize
    from duologue.challenges.proactive.systems.postks.network.search import DecodedReply


def new_postks(size: PostksSize, seed: int) -> Postks:
    """Return a network with weights initialised by the seed; the global random state is left as it was."""
    with first_weights(seed):
        return Postks(size)


class Learner:
    """The two-stage training objective of a network (section 4.2)."""

    def __init__(self, model: Postks, bow_epochs: int, precision: Literal["float32", "bfloat16"]) -> None:
        self.model = model
        self.bow_epochs = bow_epochs
        self.precision = torch.bfloat16 if precision == "bfloat16" else torch.float32
        self.bow_only = bow_epochs > 0

    def stage(self, epoch: int) -> None:
        """Set the epoch, from 0: the first `bow_epochs` train the bag-of-words loss only, the others all losses."""
        self.bow_only = epoch < self.bow_epochs

    def loss(self, batch: PostksBatch) -> Tensor:
        """Return the loss of the stage; in evaluation the full loss in both stages."""
        bow_only = self.bow_only and self.model.training
        with torch.autocast(
            batch.which.device.type, enabled=False
        ):  # the model chooses itself which products are narrowed
            return self.model.losses(batch, bow_only=bow_only, precision=self.precision).total

    def subject(self) -> TrainingTask[PostksRow, PostksBatch]:
        """Return the training functions for `train`; the best weights are chosen by loss."""
        return TrainingTask(
            module=self.model,
            collate=collate,
            loss=self.loss,
            hits=None,
            length=_length,
            stage=self.stage,
            tokens=_tokens,
        )


def _length(row: PostksRow) -> int:
    return len(row.reply)


def _tokens(row: PostksRow) -> int:
    return len(row.source) + len(row.reply) + sum(map(len, row.triples))


def replies(model: Postks, rows: Sequence[PostksRow], width: int) -> list[DecodedReply]:
    """Return the best reply to each row, with knowledge chosen by the prior; runs on one thread."""
    if not rows:
        return []
    with inference(model):
        return search(model, collate(rows, replies=False), width=width)
