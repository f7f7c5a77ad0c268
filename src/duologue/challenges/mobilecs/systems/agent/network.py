"""The turn network: the user's intents, what is asked and told of the knowledge base, and the staff's labels.

An utterance is a bag of pieces of its text. Each piece of the knowledge base is weighed by its features and by how
well its slot, or its own text, fits the utterance. The staff's labels, sets of them as classes, depend on what is told.

Letters in shapes: b turns, g pieces of text, c pieces of the base, f features, d width, h hidden, k label sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from duologue.models.train import TrainingTask
from duologue.models.training_recipe import RecipeEntries
from duologue.models.vocabulary import PAD
from duologue.models.weights import first_weights
from duologue.models.word_bags import without_some, word_bag

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from duologue.challenges.mobilecs.systems.agent.turn_encoder import TurnRow

_FAR = 1e4
_TOGETHER = 256
"""Turns that are read together where there are many."""
_OF_REPLY = 0.1
"""Weight of the reply's terms beside what the turn teaches."""


class TurnSize(RecipeEntries, frozen=True, kw_only=True):
    """Sizes of the turn network."""

    grams: int
    """Pieces of text, padding and unseen ones included."""
    text_grams: int
    """The same of the base where it is read as text; 1, for the padding, where it is not."""
    slots: int
    """The same for slots."""
    turn_features: int
    piece_features: int
    summary: int
    """Numbers that say what a reply tells."""
    user_labels: int
    label_sets: int
    width: int = 64
    hidden: int = 96
    dropout: float = 0.3
    gram_dropout: float = 0.2
    """Share of pieces of text that are not read, in training."""


class TurnInput(NamedTuple):
    """Turns padded to tensors, with their targets."""

    grams: Tensor
    """(b, g)."""
    earlier: Tensor
    """(b, g)."""
    turn: Tensor
    """(b, f)."""
    pieces: Tensor
    """(b, c, f)."""
    slots: Tensor
    """(b, c)."""
    texts: Tensor
    """(b, c, g); one column of padding where the base is not read as text."""
    mask: Tensor
    """(b, c): True where a piece is."""
    summary: Tensor
    user_labels: Tensor
    asked: Tensor
    wanted: Tensor
    told: Tensor
    label_set: Tensor


class TurnOutput(NamedTuple):
    """What the network makes of turns, as logits."""

    user_labels: Tensor
    """(b, u)."""
    pieces: Tensor
    """(b, c, 3): asked, wanted, told."""
    state: Tensor
    """(b, h): what the staff's labels are decided from."""


class TurnNetwork(nn.Module):
    """Reads a turn; `staff` gives the label sets for what is to be told."""

    def __init__(self, size: TurnSize) -> None:
        super().__init__()
        self.size = size
        d, h = size.width, size.hidden
        self.now, self.before, self.text = (
            word_bag(rows, d, spread=0.1) for rows in (size.grams, size.grams, size.text_grams)
        )
        self.slot = nn.Embedding(size.slots, d, padding_idx=PAD)
        nn.init.normal_(self.slot.weight, std=0.1)
        self.norm, self.text_norm = nn.LayerNorm(d), nn.LayerNorm(d)
        self.dropout = nn.Dropout(size.dropout)
        self.state = nn.Sequential(nn.Linear(2 * d + size.turn_features, h), nn.GELU(), nn.Dropout(size.dropout))
        self.user_head = nn.Linear(h + d, size.user_labels)
        self.query = nn.Linear(h, d)
        self.cue = nn.Embedding(size.grams, d, padding_idx=PAD)
        nn.init.normal_(self.cue.weight, std=0.1)
        self.piece = nn.Sequential(
            *(nn.Linear(size.piece_features + 4 * d + 1, h), nn.GELU(), nn.Dropout(size.dropout)),
            nn.Linear(h, 3),
        )
        self.staff_head = nn.Sequential(
            *(nn.Linear(h + size.summary, h), nn.GELU(), nn.Dropout(size.dropout)), nn.Linear(h, size.label_sets)
        )

    def forward(self, batch: TurnInput) -> TurnOutput:
        """Return the logits of a batch."""
        grams = self._thinned(batch.grams)  # (b, g)
        now = self.dropout(self.norm(self.now(grams)))  # (b, d)
        before = self.dropout(self.before(self._thinned(batch.earlier)))  # (b, d)
        state = self.state(torch.cat([now, before, batch.turn], dim=-1))  # (b, h)
        b, c, g = batch.texts.shape
        text = self.text_norm(self.text(batch.texts.reshape(b * c, g))).view(b, c, -1)  # (b, c, d)
        about = self.slot(batch.slots) + text * (batch.texts[..., :1] != PAD)  # (b, c, d)
        query = self.query(state)[:, None]  # (b, 1, d)
        cue, strongest = self._cues(about, grams)
        fit = torch.cat([batch.pieces, about, query * about, now[:, None] * about, cue, strongest], dim=-1)
        return TurnOutput(self.user_head(torch.cat([state, now], dim=-1)), self.piece(fit), state)

    def _cues(self, about: Tensor, grams: Tensor) -> tuple[Tensor, Tensor]:
        """Return what of the utterance (b, g) speaks for each piece (b, c, d), and how strongly (b, c, 1)."""
        said = self.dropout(self.cue(grams))  # (b, g, d)
        scores = torch.einsum("bcd,bgd->bcg", about, said)
        scores = scores.masked_fill((grams == PAD)[:, None], -_FAR)
        cue = torch.einsum("bcg,bgd->bcd", scores.softmax(-1), said)
        return cue, scores.amax(-1, keepdim=True).clamp(min=-1.0)

    def staff(self, state: Tensor, summary: Tensor) -> Tensor:
        """Return the logits (b, k) of the staff's label sets for states (b, h) and what the replies tell (b, s)."""
        logits: Tensor = self.staff_head(torch.cat([state, summary], dim=-1))
        return logits

    def _thinned(self, grams: Tensor) -> Tensor:
        return without_some(grams, self.size.gram_dropout, training=self.training)


def new_network(size: TurnSize, seed: int) -> TurnNetwork:
    """Return a network with the first weights of a seed; the chance of others is left alone."""
    with first_weights(seed):
        return TurnNetwork(size)


def collate(rows: Sequence[TurnRow]) -> TurnInput:
    """Return rows as one batch."""
    b, c = len(rows), max(1, *(len(row.slots) for row in rows))
    slots = np.zeros((b, c), dtype=np.int64)
    pieces = np.zeros((b, c, rows[0].pieces.shape[1]), dtype=np.float32)
    asked, wanted, told = (np.zeros((b, c), dtype=np.float32) for _ in range(3))
    mask = np.zeros((b, c), dtype=np.bool_)
    texts = np.zeros((b, c, max([1, *(len(one) for row in rows for one in row.texts)])), dtype=np.int64)
    for place, row in enumerate(rows):
        n = len(row.slots)
        slots[place, :n], pieces[place, :n], mask[place, :n] = row.slots, row.pieces, True
        asked[place, :n], wanted[place, :n], told[place, :n] = row.asked, row.wanted, row.told
        for number, text in enumerate(row.texts):
            texts[place, number, : len(text)] = text
    return TurnInput(
        grams=_padded([row.grams for row in rows]),
        earlier=_padded([row.earlier for row in rows]),
        turn=torch.from_numpy(np.stack([row.turn for row in rows])),
        pieces=torch.from_numpy(pieces),
        slots=torch.from_numpy(slots),
        texts=torch.from_numpy(texts),
        mask=torch.from_numpy(mask),
        summary=torch.from_numpy(np.stack([row.summary for row in rows])),
        user_labels=torch.from_numpy(np.stack([row.user_labels for row in rows])),
        asked=torch.from_numpy(asked),
        wanted=torch.from_numpy(wanted),
        told=torch.from_numpy(told),
        label_set=torch.tensor([row.label_set for row in rows]),
    )


def _padded(rows: Sequence[NDArray[np.int32]]) -> Tensor:
    table = np.zeros((len(rows), max(len(row) for row in rows)), dtype=np.int64)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return torch.from_numpy(table)


def learner(network: TurnNetwork) -> TrainingTask[TurnRow, TurnInput]:
    """Return what `train` needs: the sum of the losses of all heads, each a mean over its own; NaN is no target."""

    def loss(batch: TurnInput) -> Tensor:
        return _turn_loss(network, batch, network(batch))

    return TrainingTask(module=network, collate=collate, loss=loss, hits=None, length=lambda row: len(row.slots))


class BareRow(NamedTuple):
    """A turn without intents."""

    turn: TurnRow
    reply: NDArray[np.int32]
    """Numbers of the terms of its reply."""


def bare_learner(network: TurnNetwork, terms: int, seed: int) -> TrainingTask[BareRow, tuple[TurnInput, Tensor]]:
    """Return what pre-trains a network on turns without intents: it guesses which of the terms the reply has, too.

    What guesses them stands beside the network and is not kept.
    """
    with first_weights(seed):
        guesser = nn.Linear(network.size.hidden, terms)

    def both(rows: Sequence[BareRow]) -> tuple[TurnInput, Tensor]:
        said = torch.zeros(len(rows), terms)
        for place, row in enumerate(rows):
            said[place, torch.from_numpy(row.reply).long()] = 1
        return collate([row.turn for row in rows]), said

    def loss(batch: tuple[TurnInput, Tensor]) -> Tensor:
        turns, said = batch
        out = network(turns)
        guessed = functional.binary_cross_entropy_with_logits(guesser(out.state), said, reduction="sum")
        return _turn_loss(network, turns, out) + _OF_REPLY * guessed / len(said)

    module = nn.ModuleDict({"network": network, "guesser": guesser})
    return TrainingTask(module=module, collate=both, loss=loss, hits=None, length=lambda row: len(row.turn.slots))


def _turn_loss(network: TurnNetwork, batch: TurnInput, out: TurnOutput) -> Tensor:
    turns, labels = batch.user_labels.shape
    total = labels * _known_loss(out.user_labels, batch.user_labels)
    pieces = batch.mask.sum() / turns
    for place, target in enumerate((batch.asked, batch.wanted, batch.told)):
        total = total + pieces * _known_loss(out.pieces[batch.mask][:, place], target[batch.mask])
    known = batch.label_set >= 0
    if known.any():
        staff = network.staff(out.state[known], batch.summary[known])
        total = total + functional.cross_entropy(staff, batch.label_set[known])
    if not total.requires_grad:  # turns without intents of which nothing is known: a step that teaches nothing
        total = total + 0.0 * out.user_labels.sum()
    return total


def _known_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Return the mean cross entropy of the targets that are numbers; 0 without any."""
    known = ~targets.isnan()
    if not known.any():
        return logits.new_zeros(())
    return functional.binary_cross_entropy_with_logits(logits[known], targets[known])


class TurnProbabilities(NamedTuple):
    """Probabilities of one turn, the mean over the networks."""

    user_labels: NDArray[np.float32]
    """(u,)."""
    asked: NDArray[np.float32]
    """(c,): an argument of the user's intents is about the piece."""
    wanted: NDArray[np.float32]
    """(c,): the user does not know the piece, and a good answer tells it."""
    told: NDArray[np.float32]
    """(c,): people would tell the piece, asked or not."""
    states: list[Tensor]
    """(1, h) of each network: what the staff's labels are decided from."""


def probabilities(networks: Sequence[TurnNetwork], row: TurnRow) -> TurnProbabilities:
    """Return the probabilities of a turn. The networks are in inference mode."""
    return _probabilities(networks, [row])[0]


def all_probabilities(networks: Sequence[TurnNetwork], rows: Sequence[TurnRow]) -> Iterator[TurnProbabilities]:
    """Yield the probabilities of many turns, which are read together; so are the last bits of their sums."""
    for start in range(0, len(rows), _TOGETHER):
        yield from _probabilities(networks, rows[start : start + _TOGETHER])


def _probabilities(networks: Sequence[TurnNetwork], rows: Sequence[TurnRow]) -> list[TurnProbabilities]:
    batch = collate(rows)
    with torch.inference_mode():
        outputs = [network(batch) for network in networks]
        labels = torch.stack([out.user_labels.sigmoid() for out in outputs]).mean(0).numpy()
        pieces = torch.stack([out.pieces.sigmoid() for out in outputs]).mean(0).numpy()
    return [
        _of_turn(labels[n], pieces[n, : len(row.slots)], [out.state[n : n + 1] for out in outputs])
        for n, row in enumerate(rows)
    ]


def _of_turn(labels: NDArray[np.float32], pieces: NDArray[np.float32], states: list[Tensor]) -> TurnProbabilities:
    return TurnProbabilities(labels, pieces[:, 0], pieces[:, 1], pieces[:, 2], states)


def label_shares(
    networks: Sequence[TurnNetwork], states: Sequence[Tensor], summaries: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the probability (n, k) of each label set, for each of n ways to reply (n, s) in one state."""
    told = torch.from_numpy(summaries)
    with torch.inference_mode():
        each = [
            network.staff(state.expand(len(told), -1), told).softmax(-1)
            for network, state in zip(networks, states, strict=True)
        ]
        mean: NDArray[np.float32] = torch.stack(each).mean(0).numpy()
    return mean
