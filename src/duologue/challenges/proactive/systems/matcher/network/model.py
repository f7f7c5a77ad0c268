"""Matcher network: transformer classifier of (context, reply) with attention over the knowledge (section 5.3).

Shapes as in `batch`: b rows, n lines, l tokens of a line, k tokens of knowledge; d width, e heads, h = d / 2 units of
one direction of the knowledge encoder.

Two forms, as the organisers released them. Where the specification is silent, we chose: torch's default initialisation
of linear layers and GRUs, embeddings from N(0, 1 / d); in the `paddle` form a second layer norm after every residual
sum ("an extra post-norm as well"); dropout on embeddings, attention, the inner layer and the residual branches.

           activation   block                 knowledge encoder          attention   then
  pytorch  ReLU         pre-norm              GRU                        dot         tanh(W [attended; query])
  paddle   GELU         pre-norm, post-norm   GRU, candidate by ReLU     additive    [query; attended]
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import nn
from torch.nn import functional

from duologue.challenges.proactive.systems.matcher.network.batch import (
    MatcherBatch,
    MatcherRow,
    collate,
    length,
    lines,
    tokens,
)
from duologue.core.records import Record
from duologue.models.blocks import Activation, Dropout, Layer, padding_bias
from duologue.models.inference import threads
from duologue.models.parallel import on_device
from duologue.models.recurrent import TwoWayGru, pack
from duologue.models.train import TrainingTask
from duologue.models.vocabulary import PAD
from duologue.models.weights import first_weights, torch_seed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from torch import Tensor


_NAMES = {
    "before.0": "attention_norm",
    "before.1": "feed_norm",
    "after.0": "attention_after",
    "after.1": "feed_after",
    "inner": "feed",
}


class MatcherSize(Record, frozen=True):
    """Form and sizes of a `MatcherNetwork`; the defaults are as published."""

    vocabulary: int
    form: Literal["pytorch", "paddle"] = "pytorch"
    knowledge: bool = True
    """Whether goal and knowledge are used."""
    width: int = 256
    """d."""
    layers: int = 4
    heads: int = 8
    inner: int = 1024
    longest: int = 256
    """Maximum tokens of a line, and of knowledge."""
    dropout: float = 0.3


class ReluGru(nn.Module):
    """Bidirectional GRU with ReLU as candidate activation, which torch's GRU does not have.

    u, r = sigmoid(W x + U h + b); c = relu(W x + U (r h) + b); h' = (1 - u) h + u c.
    """

    def __init__(self, width: int, half: int) -> None:
        super().__init__()
        bound = half**-0.5

        def start(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.empty(*shape).uniform_(-bound, bound))

        self.read = start(2, width, 3 * half)
        self.bias = start(2, 1, 1, 3 * half)
        self.gates = start(2, half, 2 * half)
        self.carry = start(2, half, half)

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        """Return the states of both directions: (b, k, d), `real` (b, k) -> (b, k, 2h)."""
        both = torch.stack([x, x.flip(1)])  # (2, b, k, d): the second direction is reversed
        open_ = torch.stack([real, real.flip(1)]).unsqueeze(-1)  # (2, b, k, 1)
        read = torch.einsum("zbkd,zdg->zbkg", both, self.read) + self.bias  # (2, b, k, 3h)
        half = self.carry.shape[-1]
        state = read.new_zeros(2, x.shape[0], half)
        states = []
        for at in range(x.shape[1]):
            now = read[:, :, at]  # (2, b, 3h)
            update, reset = torch.sigmoid(now[..., : 2 * half] + state @ self.gates).chunk(2, -1)  # each (2, b, h)
            new = torch.relu(now[..., 2 * half :] + (reset * state) @ self.carry)
            state = torch.where(open_[:, :, at], (1 - update) * state + update * new, state)  # padding keeps the state
            states.append(state)
        forwards, backwards = torch.stack(states, 2)  # each (b, k, h)
        return torch.cat([forwards, backwards.flip(1)], -1)


class DotAttention(nn.Module):
    """Dot-product attention scores."""

    def forward(self, states: Tensor, query: Tensor, row_of: Tensor) -> Tensor:
        """Return (n, k): `states` (b, k, d), `query` (n, d)."""
        return torch.einsum("nkd,nd->nk", states[row_of], query.to(states.dtype))


class AdditiveAttention(nn.Module):
    """Additive attention scores: v tanh(W s + U q)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.key = nn.Linear(width, width)
        self.query = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, 1, bias=False)

    def forward(self, states: Tensor, query: Tensor, row_of: Tensor) -> Tensor:
        """Return (n, k): `states` (b, k, d), `query` (n, d)."""
        mixed = torch.tanh(self.key(states)[row_of] + self.query(query).unsqueeze(1))  # (n, k, d)
        out: Tensor = self.out(mixed).squeeze(-1)
        return out


class KnowledgeReader(nn.Module):
    """Encode goal and knowledge, and attend to them by the representation of a line."""

    def __init__(self, size: MatcherSize) -> None:
        super().__init__()
        d, paddle = size.width, size.form == "paddle"
        self.words = _table(size.vocabulary, d)
        self.gru = ReluGru(d, d // 2) if paddle else TwoWayGru(d, d // 2)
        self.fit = AdditiveAttention(d) if paddle else DotAttention()
        self.mix = None if paddle else nn.Linear(2 * d, d)
        self.drop = Dropout(size.dropout)

    def forward(self, background: Tensor, query: Tensor, row_of: Tensor) -> Tensor:
        """Return the classifier input of each line: `background` (b, k), `query` (n, d) -> (n, d) or (n, 2d)."""
        real = background != PAD  # (b, k)
        states = self._states(self.drop(self.words(background)), real)  # (b, k, d)
        fit = self.fit(states, query, row_of).masked_fill(~real[row_of], -1e4)  # (n, k)
        attended = torch.einsum("nk,nkd->nd", fit.softmax(-1).to(states.dtype), states[row_of])  # (n, d)
        if self.mix is None:
            return torch.cat([query, attended], -1)
        return torch.tanh(self.mix(torch.cat([attended, query], -1)))

    def _states(self, x: Tensor, real: Tensor) -> Tensor:
        if isinstance(self.gru, ReluGru):
            out: Tensor = self.gru(x, real)
            return out
        lengths = real.sum(1).clamp(min=1).tolist()  # a row without knowledge has one pad
        packed = on_device(pack([[PAD] * length for length in lengths]), x.device)
        laid = torch.empty_like(packed.turned)  # index into x of each packed token
        laid[packed.grid[packed.real]] = torch.arange(packed.real.numel(), device=x.device)[packed.real.flatten()]
        with torch.autocast(x.device.type, enabled=False):  # small steps are slower in bfloat16
            x = x.float().flatten(0, 1).index_select(0, laid)  # (tokens, d)
            forwards, backwards = self.gru(x, packed, torch.float32)
            states = torch.cat([forwards, backwards.index_select(0, packed.turned)], 1)  # (tokens, 2h)
            return functional.embedding(packed.grid, states)  # (b, k, 2h); padding is masked later


class MatcherNetwork(nn.Module):
    """Classify for each line whether the reply follows the context: `MatcherBatch` -> logits (n, 2)."""

    def __init__(self, size: MatcherSize) -> None:
        super().__init__()
        d = size.width
        self.size = size
        self.words = _table(size.vocabulary, d)
        self.places = _table(size.longest, d)
        self.segments = _table(2, d)
        paddle = size.form == "paddle"
        activation: Activation = "gelu" if paddle else "relu"
        parts = (d, size.heads, size.inner, size.dropout)
        self.blocks = nn.ModuleList(
            [Layer(*parts, post_norm=paddle, activation=activation) for _ in range(size.layers)]
        )
        self.norm = nn.LayerNorm(d)
        self.pool = nn.Linear(d, d)
        self.knowledge = KnowledgeReader(size) if size.knowledge else None
        self.out = nn.Linear(2 * d if size.knowledge and paddle else d, 2)
        self.drop = Dropout(size.dropout)

    def load_state_dict(self, state_dict: Mapping[str, Any], *args: Any, **options: Any) -> Any:
        """Load weights under today's names, or under those of networks saved before the layers were shared."""
        return super().load_state_dict({_renamed(name): value for name, value in state_dict.items()}, *args, **options)

    def forward(self, batch: MatcherBatch) -> Tensor:
        """Return the logits of labels 0 and 1, (n, 2)."""
        bias = padding_bias(batch.tokens != PAD)
        places = torch.arange(batch.tokens.shape[1], device=batch.tokens.device)
        x = self.drop(self.words(batch.tokens) + self.places(places) + self.segments(batch.segments))  # (n, l, d)
        for at, block in enumerate(self.blocks, start=1):
            x, _ = block(x, bias, first=at == len(self.blocks))  # only [CLS] is used of the last block
        said = torch.tanh(self.pool(self.norm(x[:, 0])))  # (n, d)
        if self.knowledge is not None:
            said = self.knowledge(batch.background, said, batch.row_of)
        out: Tensor = self.out(self.drop(said))
        return out


def new_matcher(size: MatcherSize, seed: int) -> MatcherNetwork:
    """Return a matcher with weights initialised by the seed; the global random state is left as it was."""
    with first_weights(seed):
        return MatcherNetwork(size)


def learner(model: MatcherNetwork) -> TrainingTask[MatcherRow, MatcherBatch]:
    """Return the training functions of a matcher. The loss is the mean over lines, not over rows."""
    longest = model.size.longest
    return TrainingTask(
        module=model,
        collate=partial(collate, longest=longest),
        loss=partial(loss, model),
        hits=partial(hits, model),
        length=partial(length, longest=longest),
        weight=lines,
        tokens=partial(tokens, longest=longest),
    )


def loss(model: MatcherNetwork, batch: MatcherBatch) -> Tensor:
    """Return the mean cross-entropy of all lines."""
    return functional.cross_entropy(model(batch).float(), batch.labels)


def hits(model: MatcherNetwork, batch: MatcherBatch) -> Tensor:
    """Return per row (b,) whether the reference scores highest, ties by order."""
    scores = model(batch).float().softmax(-1)[:, 1]  # (n,): P(label 1)
    rows = int(batch.row_of[-1]) + 1
    best = [int(scores.masked_fill(batch.row_of != row, -1.0).argmax()) for row in range(rows)]
    return batch.labels[best].float()


def scores(model: MatcherNetwork, row: MatcherRow, longest: int, *, dropout: float = 0.0, seed: int = 0) -> list[float]:
    """Return P(label 1) of each candidate of a row, in lines of at most `longest` tokens.

    A row is scored alone, so that no other row changes the last bits. `dropout` above 0 is applied in scoring too,
    drawn by the seed.
    """
    with _dropping(model, dropout), torch.inference_mode(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(torch_seed(seed))
        found: list[float] = model(collate([row], longest)).softmax(-1)[:, 1].tolist()
    return found


@contextmanager
def _dropping(model: MatcherNetwork, rate: float) -> Iterator[None]:
    """Context manager: set the dropout and one thread (fastest for so small a network), then restore both."""
    drops = [module for module in model.modules() if isinstance(module, Dropout)]
    before = [(module.rate, module.bound) for module in drops]
    training = model.training
    model.train(rate > 0)
    for module in drops:
        module.rate, module.bound = rate, Dropout(rate).bound
    try:
        with threads(1):
            yield
    finally:
        model.train(training)
        for module, setting in zip(drops, before, strict=True):
            module.rate, module.bound = setting


def _renamed(name: str) -> str:
    """Return today's name of a weight.

    >>> _renamed("blocks.1.inner.0.weight"), _renamed("blocks.0.after.1.bias"), _renamed("norm.bias")
    ('blocks.1.feed.0.weight', 'blocks.0.feed_after.bias', 'norm.bias')
    """
    for before, now in _NAMES.items():
        name = name.replace(f".{before}.", f".{now}.")
    return name


def _table(count: int, width: int) -> nn.Embedding:
    table = nn.Embedding(count, width)
    nn.init.normal_(table.weight, std=width**-0.5)
    return table
