"""Masked characters told by an encoder and a linear layer (BERT's first task, Devlin et al. 2019, on characters).

Letters in shapes: n characters with gaps, f features of a character, m masked ones, d width, v vocabulary.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from duologue.challenges.mobilecs.systems.masked_text.masked_document import frequent_characters, masked_documents
from duologue.challenges.mobilecs.systems.tagger.char_features import features_of
from duologue.challenges.mobilecs.systems.tagger.network import laid_out
from duologue.models.train import TrainConfig, TrainingTask, train
from duologue.models.weights import first_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from duologue.challenges.mobilecs.systems.masked_text.masked_document import MaskedDocument
    from duologue.challenges.mobilecs.systems.masked_text.recipe import MaskedTextRecipe
    from duologue.challenges.mobilecs.systems.tagger.document import Document
    from duologue.challenges.mobilecs.systems.tagger.network import CharEncoder
    from duologue.core.protocols import Run

_HELD_OUT = 0.05
"""Share of the calls that tell how well it goes."""


class MaskedBatch(NamedTuple):
    """Documents laid end to end, with their masked characters."""

    features: Tensor
    """(n, f)"""
    places: Tensor
    """(m,)"""
    targets: Tensor
    """(m,)"""


class MaskedCharacters(nn.Module):
    """Scores of the characters that masked ones could be."""

    def __init__(self, encoder: CharEncoder, width: int, vocabulary: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(width, vocabulary)

    def forward(self, batch: MaskedBatch) -> Tensor:
        """Return the scores of each masked character: (m, v)."""
        scores: Tensor = self.head(self.encoder(batch.features)[batch.places])
        return scores


def pre_train(
    encoder: CharEncoder, width: int, documents: Sequence[Document], recipe: MaskedTextRecipe, run: Run
) -> float:
    """Train an encoder in place on bare documents and return the mean loss of held-out masked characters.

    Interrupted, it goes on from its last checkpoint. With fewer than two documents the encoder stays as it is.
    """
    known = [one for one in documents if one.text.strip()]
    apart = max(1, round(_HELD_OUT * len(known)))
    if len(known) < 2:  # one to learn from, one to judge by
        return math.inf
    characters = frequent_characters(known, recipe.vocabulary)
    rows = masked_documents(known[apart:], characters, recipe, run.seed)
    tests = masked_documents(known[:apart], characters, recipe, run.seed)
    if not rows or not tests:
        return math.inf
    with first_weights(run.seed):
        module = MaskedCharacters(encoder, width, len(characters))
    config = TrainConfig.of(recipe, epochs=1, choose="loss")
    return train(_masked_task(module), rows, tests, config, run).loss


def _masked_task(module: MaskedCharacters) -> TrainingTask[MaskedDocument, MaskedBatch]:
    """Return what `train` needs: the loss is the mean cross-entropy of the masked characters."""

    def loss(batch: MaskedBatch) -> Tensor:
        return functional.cross_entropy(module(batch), batch.targets)

    return TrainingTask(module=module, collate=_collate, loss=loss, hits=None, length=_length, weight=_weight)


def _collate(rows: Sequence[MaskedDocument]) -> MaskedBatch:
    features, starts = laid_out([features_of(row.document) for row in rows])
    pairs = list(zip(starts, rows, strict=True))
    places = [start + place for start, row in pairs for place in row.places]
    return MaskedBatch(features, torch.tensor(places), torch.tensor([target for row in rows for target in row.targets]))


def _length(row: MaskedDocument) -> int:
    return len(row.document.text)


def _weight(row: MaskedDocument) -> float:
    return float(len(row.places))
