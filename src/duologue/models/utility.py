"""Utility ranker: a small network that predicts how good each candidate would be, from features and words.

Each candidate comes with features (how far others agree with it, what it says, what it repeats) and with the words of
its template; the dialogue state comes as a bag of words. A network predicts the utility of a candidate relative to the
others of its list; it is trained by least squares on what each had in truth, both less the mean of their list, since
how hard a list is says nothing about the choice. Utility may be measured in several ways, the targets: each is learned,
their mean decides. So does the mean of several networks that differ in their seeds alone.

Letters in shapes: b lists, c candidates, f features, w words of the state, l words of a template, d width, a targets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from duologue.models.train import TrainingTask
from duologue.models.vocabulary import PAD
from duologue.models.weights import first_weights
from duologue.models.word_bags import without_some, word_bag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from duologue.models.choices import Choice, UtilitySize

SCALE = 8.0
"""Utilities lie between 0 and 1 and differ little within a list: times this they have a spread of about one."""
_BOUND = 5.0  # standard deviations; what lies beyond counts as this
_MEAN, _SPREAD = "mean", "spread"


class Choices(NamedTuple):
    """Lists padded to tensors."""

    words: Tensor
    """(b, w)."""
    templates: Tensor
    """(b, c, l)."""
    features: Tensor
    """(b, c, f)."""
    utility: Tensor
    """(b, c, a)."""
    mask: Tensor
    """(b, c): True where a candidate is."""


class Member(nn.Module):
    """One network: predicts how good each candidate of a list is, compared with the others."""

    def __init__(self, size: UtilitySize) -> None:
        super().__init__()
        self.size = size
        width, hidden = size.width, size.hidden
        self.figures = nn.Sequential(  # weights on disk have this name
            *(nn.Linear(size.features, hidden), nn.GELU(), nn.Dropout(size.dropout)),
            *(nn.Linear(hidden, hidden), nn.GELU(), nn.Dropout(size.dropout)),
        )
        if size.text:
            self.situation = word_bag(size.words, width)
            self.template = word_bag(size.template_words, width)
            self.situation_norm, self.template_norm = nn.LayerNorm(width), nn.LayerNorm(width)
            self.query = nn.Sequential(
                *(nn.Dropout(0.4), nn.Linear(width, width), nn.GELU()),
                *(nn.Dropout(0.4), nn.Linear(width, width)),
            )
            self.template_dropout = nn.Dropout(0.2)
        self.head = nn.Sequential(
            *(nn.Linear(hidden + (2 * width if size.text else 0), hidden), nn.GELU(), nn.Dropout(size.dropout)),
            nn.Linear(hidden, size.targets),
        )

    def forward(self, batch: Choices) -> Tensor:
        """Return predictions (b, c, a) from standardised features."""
        known = self.figures(batch.features)  # (b, c, hidden)
        if self.size.text:
            query = self.query(self.situation_norm(self.situation(self._thinned(batch.words))))  # (b, d)
            lists, candidates, length = batch.templates.shape
            flat = self._thinned(batch.templates).reshape(lists * candidates, length)  # (b c, l)
            told = self.template_dropout(self.template_norm(self.template(flat)))
            told = told.view(lists, candidates, -1)  # (b, c, d)
            known = torch.cat([known, query[:, None] * told, told], dim=-1)
        predicted: Tensor = self.head(known)
        return predicted

    def _thinned(self, words: Tensor) -> Tensor:
        return without_some(words, self.size.word_dropout, training=self.training)


class UtilityRanker(nn.Module):
    """Predicts how good each candidate of a list is: the mean of its members."""

    def __init__(self, size: UtilitySize) -> None:
        super().__init__()
        self.register_buffer(_MEAN, torch.zeros(size.features))
        self.register_buffer(_SPREAD, torch.ones(size.features))
        self.members = nn.ModuleList(Member(size) for _ in range(size.members))

    def scale(self, features: NDArray[np.float16]) -> None:
        """Take mean and spread of the features (n, f) of training candidates."""
        rows = torch.from_numpy(features).float()
        self.get_buffer(_MEAN).copy_(rows.mean(0))
        self.get_buffer(_SPREAD).copy_(rows.std(0) + 1e-6)

    def standardised(self, batch: Choices) -> Choices:
        """Return a batch with features as its members read them."""
        features = (batch.features.float() - self.get_buffer(_MEAN)) / self.get_buffer(_SPREAD)
        return batch._replace(features=features.clamp(-_BOUND, _BOUND))

    def forward(self, batch: Choices) -> Tensor:
        """Return predictions (b, c, a), comparable within a list; of padding they mean nothing."""
        read = self.standardised(batch)
        return torch.stack([member(read) for member in self.members]).mean(0)


def new_utility(size: UtilitySize, seed: int) -> UtilityRanker:
    """Return a network with the first weights of that seed; the chance of others is left alone."""
    with first_weights(seed):
        return UtilityRanker(size)


class Collator:
    """Pads lists; knows the words of all templates."""

    def __init__(self, templates: NDArray[np.int32]) -> None:
        """Take the table (t, l) of template words, padded."""
        self._templates = torch.from_numpy(templates)

    def __call__(self, rows: Sequence[Choice]) -> Choices:
        """Return the rows as one batch."""
        wide = max(1, *(len(row.words) for row in rows)) if rows else 1
        most = max(len(row.templates) for row in rows)
        words = torch.zeros(len(rows), wide, dtype=torch.int32)
        places = torch.zeros(len(rows), most, dtype=torch.int64)
        features = torch.zeros(len(rows), most, rows[0].features.shape[1])
        utility = torch.zeros(len(rows), most, rows[0].utility.shape[1])
        mask = torch.zeros(len(rows), most, dtype=torch.bool)
        for number, row in enumerate(rows):
            n = len(row.templates)
            words[number, : len(row.words)] = torch.from_numpy(row.words)
            places[number, :n] = torch.from_numpy(row.templates.astype(np.int64))
            features[number, :n] = torch.from_numpy(row.features.astype(np.float32))
            utility[number, :n] = torch.from_numpy(row.utility)
            mask[number, :n] = True
        templates = self._templates[places.clamp(min=0)]  # (b, c, l)
        longest = max(row.others.shape[1] for row in rows)
        if longest > templates.shape[2]:
            templates = functional.pad(templates, (0, longest - templates.shape[2]), value=PAD)
        for number, row in enumerate(rows):
            if len(row.others):
                other = places[number] < 0  # (c,)
                told = torch.from_numpy(row.others)[-1 - places[number, other]]
                templates[number, other] = functional.pad(told, (0, templates.shape[2] - told.shape[1]), value=PAD)
        return Choices(words, templates, features, utility, mask)


def learner(model: UtilityRanker, collate: Collator, sampled: int = 0) -> TrainingTask[Choice, Choices]:
    """Return what `train` needs; `hits` is the utility, by the first target, of the candidate that would be chosen.

    With `sampled`, each member reads that many candidates of a list in a training step, drawn anew: half of a hundred
    teach nearly as much as all, in half the time.
    """

    def loss(batch: Choices) -> Tensor:
        read = model.standardised(batch)
        return torch.stack(
            [_loss(member, _some(read, sampled) if model.training else read) for member in model.members]
        ).mean()

    def hits(batch: Choices) -> Tensor:
        best = model(batch).mean(-1).masked_fill(~batch.mask, -torch.inf).argmax(1, keepdim=True)
        return batch.utility[..., 0].gather(1, best).squeeze(1)

    return TrainingTask(module=model, collate=collate, loss=loss, hits=hits, length=lambda row: len(row.words))


def _some(batch: Choices, n: int) -> Choices:
    """Return the batch with n candidates of each list, the same places of all lists; with all for n = 0."""
    most = batch.mask.shape[1]
    if not 0 < n < most:
        return batch
    kept = torch.randperm(most)[:n]
    lists = (batch.templates[:, kept], batch.features[:, kept], batch.utility[:, kept], batch.mask[:, kept])
    return Choices(batch.words, *lists)


def _loss(member: nn.Module, batch: Choices) -> Tensor:
    off = centred(member(batch), batch.mask) - SCALE * centred(batch.utility, batch.mask)  # (b, c, a)
    total: Tensor = (off * off).sum() / batch.mask.sum().clamp(min=1)
    return total


def centred(values: Tensor, mask: Tensor) -> Tensor:
    """Return values (b, c, a) less the mean of their list; 0 outside the mask (b, c)."""
    outside = ~mask[..., None]
    kept = values.masked_fill(outside, 0.0)
    size = mask.sum(1).clamp(min=1)[:, None, None]
    return (kept - kept.sum(1, keepdim=True) / size).masked_fill(outside, 0.0)


def scores(model: UtilityRanker, rows: Sequence[Choice], collate: Collator) -> list[NDArray[np.float32]]:
    """Return the prediction for each candidate of each list, the mean over the targets, in units of utility."""
    model.eval()
    with torch.inference_mode():
        predicted = (model(collate(rows)).mean(-1) / SCALE).numpy()
    return [line[: len(row.templates)] for line, row in zip(predicted, rows, strict=True)]
