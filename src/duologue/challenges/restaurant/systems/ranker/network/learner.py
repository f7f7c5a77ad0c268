"""Initialisation, training objective and inference of a `DialogueRanker`: listwise cross-entropy over candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch.nn import functional

from duologue.challenges.restaurant.systems.ranker.network.batches import RankerRow, collate
from duologue.challenges.restaurant.systems.ranker.network.model import DialogueRanker
from duologue.models.inference import inference
from duologue.models.train import TrainingTask
from duologue.models.weights import first_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from duologue.challenges.restaurant.systems.ranker.network.batches import RankerBatch
    from duologue.challenges.restaurant.systems.ranker.network.model import RankerSize


def new_ranker(size: RankerSize, seed: int) -> DialogueRanker:
    """Return a ranker initialised by the seed; the global random state is left alone."""
    with first_weights(seed):
        return DialogueRanker(size)


def learner(
    model: DialogueRanker, utterances: Sequence[Sequence[int]], names: Sequence[int]
) -> TrainingTask[RankerRow, RankerBatch]:
    """Return what `train` needs: cross-entropy of the right candidate among those of its row.

    `utterances` and `names` are the token numbers that rows point into (see `collate`).
    """

    def loss(batch: RankerBatch) -> Tensor:
        return functional.cross_entropy(model(batch), batch.targets)

    def hits(batch: RankerBatch) -> Tensor:
        right: Tensor = model(batch).argmax(1) == batch.targets
        return right.float()

    return TrainingTask(
        module=model,
        collate=lambda rows: collate(rows, utterances, names),
        loss=loss,
        hits=hits,
        length=lambda row: row.length,
    )


def scores(
    model: DialogueRanker, rows: Sequence[RankerRow], utterances: Sequence[Sequence[int]], names: Sequence[int]
) -> list[list[float]]:
    """Return the score of every candidate of every row, the higher the better.

    Runs on one thread: a second one gains little on so small a network and slows a busy machine down.
    """
    if not rows:
        return []
    with inference(model):
        scored = model(collate(rows, utterances, names)).tolist()
    return [of_row[: len(row.candidates)] for of_row, row in zip(scored, rows, strict=True)]
