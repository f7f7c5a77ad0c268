"""Our own layers against those of torch and of a library: time, memory, and whether they give the same.

    python benchmarks/networks.py [--only WORD] [--rounds 5] [--out benchmarks/NETWORKS.md]

Each row has our own code and the library's on the same weights and input, at the sizes of the system that uses it.
Times are processor time of one step (all threads), the median of rounds in which the two take turns, so that other
work on the machine hits both; the factor is the median of the rounds' own. Memory is what a process adds at most
during three steps (24 or 90 where each has other numbers of rows), with one thread. The difference is the greatest one
of the results and of the gradient of the input, relative to the greatest number among them; "-" where each side drops
numbers of its own. The library of the CRF is installed by hand (`pip install pytorch-crf==0.7.2`); without it its rows
are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import sys
import time
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.rnn import PackedSequence

from duologue.challenges.conversation.systems.lstm.network.layers import Lstm
from duologue.challenges.restaurant.systems.ranker.network.model import RankerSize, UtteranceEncoder
from duologue.challenges.spoken.systems.pipeline.network.crf import CRF
from duologue.core.disk import write_text
from duologue.models.blocks import (
    Attention,
    Dropout,
    Encoder,
    causal_bias,
    copy_distribution,
    copy_log_likelihood,
    padding_bias,
)
from duologue.models.deferred_grad import DeferredLinear, DeferredMemory
from duologue.models.entropy import entropy
from duologue.models.matmul import affine
from duologue.models.recurrent import TwoWayGru, cell, pack
from duologue.models.topk import stable_topk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor


class Made(NamedTuple):
    """One side of a row."""

    forward: Callable[[Tensor], Tensor]
    x: Tensor
    """The input, whose gradient is compared where there is training."""
    parameters: Sequence[nn.Parameter] = ()


class Row(NamedTuple):
    """Something of ours that a library has too."""

    name: str
    own: str
    library: str
    make: Callable[..., Made]
    """Of ours (`ours=True`) or of the library's; both begin with the same state of torch's generator."""
    trains: bool
    equal: bool = True
    """Whether the results can be equal: not where each drops numbers of its own."""
    steps: int = 3
    """After which memory is looked at: more of them where each has other numbers of rows."""


def lengths(sequences: int, mean: int) -> list[int]:
    """Return lengths between a half and one and a half of the mean, always the same ones."""
    return [mean // 2 + (7919 * number) % (mean + 1) for number in range(1, sequences + 1)]


def batches_of_replies(count: int) -> list[list[int]]:
    """Return the lengths of batches of 100 replies, spread as in the official data of `lstm` (mean 18.6 tokens)."""
    rng = random.Random(1)
    return [[max(1, min(60, round(rng.lognormvariate(2.78, 0.55)))) for _ in range(100)] for _ in range(count)]


def copied(own: Sequence[Tensor], theirs: Sequence[Tensor]) -> None:
    """Give theirs the weights of ours."""
    with torch.no_grad():
        for left, right in zip(own, theirs, strict=True):
            right.copy_(left)


def gru(sequences: int, mean: int, e: int, h: int, precision: torch.dtype, *, ours: bool) -> Made:
    """Two-way GRU over packed sequences: the encoders of `postks` and the knowledge reader of `matcher`."""
    packed = pack([[1] * length for length in lengths(sequences, mean)])
    x, own = torch.randn(len(packed.tokens), e), TwoWayGru(e, h)

    def by_us(x: Tensor) -> Tensor:
        with torch.enable_grad():  # or it would be torch's
            forwards, backwards = own(x, packed, precision)
        return torch.cat([forwards, backwards.index_select(0, packed.turned)], 1)

    if ours:
        return Made(by_us, x, list(own.parameters()))
    theirs = nn.GRU(e, h, bidirectional=True)
    copied(list(own.parameters()), list(theirs.parameters()))
    theirs = theirs.to(precision)
    sizes = torch.tensor(packed.sizes)
    return Made(lambda x: theirs(PackedSequence(x.to(precision), sizes))[0].data.float(), x, list(theirs.parameters()))


def lstm(batches: Sequence[Sequence[int]], precision: torch.dtype, *, ours: bool) -> Made:
    """The two LSTM layers of `lstm` over replies of these lengths, at each call those of the next batch."""
    e, h = 100, 512
    of_batch = [pack([[1] * length for length in batch]).sizes for batch in batches]
    most = max(map(sum, of_batch))
    x, own = torch.randn(most, e), Lstm(e, h, 2, 0.0)
    turns = cycle(of_batch)

    def padded(states: Tensor) -> Tensor:
        return functional.pad(states, (0, 0, 0, most - len(states)))

    def by_us(x: Tensor) -> Tensor:
        sizes = next(turns)
        return padded(own(x[: sum(sizes)], sizes, None, precision)[0])

    if ours:
        return Made(by_us, x, list(own.parameters()))
    theirs = nn.LSTM(e, h, 2)
    places = torch.cat([torch.arange(0, 2 * h), torch.arange(3 * h, 4 * h), torch.arange(2 * h, 3 * h)])  # i, f, g, o
    copied([weight[places] for weight in own.parameters()], list(theirs.parameters()))
    theirs = theirs.to(precision)

    def by_torch(x: Tensor) -> Tensor:
        sizes = next(turns)
        given = PackedSequence(x[: sum(sizes)].to(precision), torch.tensor(sizes))
        return padded(theirs(given)[0].data.float())

    return Made(by_torch, x, list(theirs.parameters()))


def gru_cell(*, ours: bool) -> Made:
    """One step of a unit of the decoder of `postks` for 32 replies: its input's product is made beforehand."""
    d, rows = 192, 32
    x, own = torch.randn(rows, d), nn.GRUCell(d, d)
    h = torch.randn(rows, d)
    if ours:
        return Made(
            lambda x: cell(
                functional.linear(x, own.weight_ih, own.bias_ih), functional.linear(h, own.weight_hh, own.bias_hh), h
            ),
            x,
            list(own.parameters()),
        )
    return Made(lambda x: own(x, h), x, list(own.parameters()))


class Fused(Attention):
    """Ours with torch's fused attention in its middle."""

    def forward(self, x: Tensor, seen: Any, bias: Tensor | None) -> Tensor:
        """Return what ours returns."""
        query = self.query(x).view(*x.shape[:2], self.heads, -1).transpose(1, 2)
        rate = self.drop.rate if self.training else 0.0
        mask = None if bias is None else bias.to(query.dtype)
        found = functional.scaled_dot_product_attention(query, seen.keys, seen.values, mask, rate)
        out: Tensor = self.out(found.transpose(1, 2).flatten(2))
        return out


def attention(rows: int, t: int, dropout: float, precision: torch.dtype, *, ours: bool) -> Made:
    """Self-attention of width 128 in 4 heads with a causal mask: the layers of `copy`, `pipeline` and `matcher`."""
    d, heads = 128, 4
    layer = (Attention if ours else Fused)(d, heads, dropout)
    bias = causal_bias(t, torch.device("cpu"))

    def forward(x: Tensor) -> Tensor:
        with torch.autocast("cpu", dtype=precision, enabled=precision != torch.float32):
            found: Tensor = layer(x, layer.look(x), bias)
            return found.float()

    return Made(forward, torch.randn(rows, t, d), list(layer.parameters()))


def decoding_step(*, ours: bool) -> Made:
    """Attention of one new token of 64 hypotheses that looks back at 100."""
    d, heads = 160, 4
    layer = (Attention if ours else Fused)(d, heads, 0.0)
    with torch.no_grad():
        seen = layer.look(torch.randn(64, 100, d))
    bias = padding_bias(torch.arange(100) < torch.arange(37, 101).unsqueeze(1))
    return Made(lambda x: layer(x, seen, bias), torch.randn(64, 1, d))


def encoder(*, ours: bool) -> Made:
    """The encoder of the tagger of `pipeline`, of two layers: 32 texts of about 30 tokens."""
    d, heads, inner, layers = 96, 4, 384, 2
    own = Encoder(layers, d, heads, inner, 0.0)
    mask = torch.arange(45) < torch.tensor(lengths(32, 30)).unsqueeze(1)
    x, real = torch.randn(32, 45, d), mask.unsqueeze(2)
    if ours:
        return Made(lambda x: own(x, mask) * real, x, list(own.parameters()))
    one = nn.TransformerEncoderLayer(d, heads, inner, 0.0, "gelu", batch_first=True, norm_first=True)
    theirs = nn.TransformerEncoder(one, layers, nn.LayerNorm(d), enable_nested_tensor=False)
    left: Any
    for left, right in zip(own.layers, theirs.layers, strict=True):
        look = left.attention
        copied(
            [
                *(torch.cat([look.query.weight, look.seen.weight]), torch.cat([look.query.bias, look.seen.bias])),
                *(look.out.weight, look.out.bias, left.feed[0].weight, left.feed[0].bias),
                *(left.feed[3].weight, left.feed[3].bias, left.attention_norm.weight, left.attention_norm.bias),
                *(left.feed_norm.weight, left.feed_norm.bias),
            ],
            list(right.parameters()),
        )
    return Made(lambda x: theirs(x, src_key_padding_mask=~mask) * real, x, list(theirs.parameters()))


def dropout(*, ours: bool) -> Made:
    """Dropout of the weights of attention: 16 rows, 4 heads, 100 x 100."""
    layer: nn.Module = Dropout(0.1) if ours else nn.Dropout(0.1)
    return Made(layer, torch.randn(16, 4, 100, 100))


def loss(library: str, n: int, d: int, v: int, precision: torch.dtype, *, ours: bool) -> Made:
    """Cross-entropy of the words of replies over the vocabulary."""
    weight, bias = nn.Parameter(torch.randn(v, d) * 0.05), nn.Parameter(torch.zeros(v))
    targets, x = torch.arange(n) * 7 % v, torch.randn(n, d)
    shares = torch.full((n,), 1 / n)

    def forward(x: Tensor) -> Tensor:
        if ours:
            return entropy(x, weight, bias, targets, shares, precision).loss
        if library == "linear":
            return functional.linear_cross_entropy(
                x, weight, targets, linear_bias=bias, options=nn.LinearCrossEntropyOptions()
            )
        with torch.autocast("cpu", dtype=precision, enabled=precision != torch.float32):
            logits = functional.linear(x, weight, bias)
        return functional.cross_entropy(logits.float(), targets)

    return Made(forward, x, [weight, bias])


def varied_products(*, ours: bool) -> Made:
    """Products in bfloat16 with 256 different numbers of rows, as steps over packed sequences have them."""
    d = 192
    weight, bias = torch.randn(3 * d, d).bfloat16(), torch.randn(3 * d).bfloat16()

    def forward(x: Tensor) -> Tensor:
        narrow = x.bfloat16()
        parts = [
            (affine(bias, narrow[:rows], weight) if ours else torch.addmm(bias, narrow[:rows], weight.T))[:1]
            for rows in range(1, 257)
        ]
        return torch.cat(parts).float()

    return Made(forward, torch.randn(256, d))


def top_k(*, ours: bool) -> Made:
    """The five best of 5 x 20,000 continuations in 16 rows; the library sorts, since its top-k leaves ties open."""

    def forward(x: Tensor) -> Tensor:
        if ours:
            return stable_topk(x, 5)[0]
        return x.sort(stable=True, dim=1, descending=True)[0][:, :5]

    return Made(forward, torch.randn(16, 100_000))


def crf(*, best: bool, ours: bool) -> Made:
    """The CRF of the tagger of `pipeline`: 32 texts of about 20 tokens, 9 tags, nothing forbidden."""
    from torchcrf import CRF as Theirs  # noqa: N811  # our class has the same name

    k, t = 9, 30
    own, theirs = CRF(k), Theirs(k, batch_first=True)
    mask = torch.arange(t) < torch.tensor(lengths(32, 20)).unsqueeze(1)
    tags = torch.randint(k, (32, t))
    with torch.no_grad():
        for weight in own.parameters():
            weight.normal_()
    weights = [theirs.transitions, theirs.start_transitions, theirs.end_transitions]
    copied([own.transitions, own.start, own.end], weights)

    def forward(x: Tensor) -> Tensor:
        if best:
            paths = own.best(x, mask) if ours else theirs.decode(x, mask)
            return torch.tensor([tag for path in paths for tag in path]).float()
        found: Tensor = own(x, tags, mask) if ours else -theirs(x, tags, mask, reduction="none")
        return found

    return Made(forward, torch.randn(32, t, k), list((own if ours else theirs).parameters()))


def convolution(*, ours: bool) -> Made:
    """The convolutions over the tokens of 400 utterances of `ranker`, most of whose places are padding."""
    size = RankerSize(vocabulary=500, categories=(2,), rankings=(2,), width=64, dropout=0.0, word_dropout=0.0)
    own = UtteranceEncoder(size)
    tokens = torch.zeros(400, 40, dtype=torch.int64)
    for row in range(400):
        tokens[row, : 3 + (row * 13) % (38 if row % 20 == 0 else 12)] = 5 + row % 400
    real = (tokens != 0).unsqueeze(2)
    shift = torch.zeros(1, requires_grad=True)

    def by_us(x: Tensor) -> Tensor:
        states: Tensor = own(tokens).states
        return states + shift * x[0, 0, 0]

    if ours:
        return Made(by_us, torch.zeros(1, 1, 1), list(own.parameters()))
    layers = [nn.Conv1d(64, 64, 3, padding=1) for _ in own.mix]
    mix: Any
    for mix, layer in zip(own.mix, layers, strict=True):
        copied([mix.weight.view(64, 3, 64).transpose(1, 2), mix.bias], list(layer.parameters()))

    def by_torch(x: Tensor) -> Tensor:
        found = own.words(tokens)
        for layer, norm in zip(layers, own.norm, strict=True):
            mixed = layer((found * real).transpose(1, 2)).transpose(1, 2)
            found = norm(found + torch.relu(mixed))
        states: Tensor = found[real.squeeze(2)]
        return states + shift * x[0, 0, 0]

    weights = [weight for layer in layers for weight in layer.parameters()]
    return Made(by_torch, torch.zeros(1, 1, 1), [*weights, *own.words.parameters(), *own.norm.parameters()])


def recurrent_steps(rows: int, d: int, kind: torch.dtype, *, ours: bool) -> Made:
    """Twenty steps that read the one before and give six times as many numbers: the decoder of `postks`.

    The weight is brought to the precision of the products once, for all steps.
    """
    steps = 20
    weight = nn.Parameter(torch.randn(6 * d, d) / d**0.5)

    def forward(x: Tensor) -> Tensor:
        cast, bases = weight.to(kind), x.to(kind)
        state, states = x.new_zeros(rows, d), []
        late = DeferredLinear(bases, cast, (rows,) * steps) if ours else None
        for step, base in enumerate(bases.view(steps, rows, -1)):
            y = late(step, state) if late else torch.addmm(base, state.to(kind), cast.T)
            states.append(y)
            state = y[:, :d].tanh().to(x.dtype)
        return torch.cat(states).to(x.dtype)

    return Made(forward, torch.randn(rows * steps, 6 * d), [weight])


def attended_memory(*, ours: bool) -> Made:
    """Twenty steps of dot attention over a memory of 120 places, 192 wide: the decoder of `postks`."""
    d, rows, steps, places = 192, 32, 20, 120
    real = torch.arange(places) < torch.tensor(lengths(rows, 80)).unsqueeze(1)
    query = torch.randn(rows, d)

    def forward(x: Tensor) -> Tensor:
        state, found = query, []
        late = DeferredMemory(x, real, (rows,) * steps) if ours else None
        for step in range(steps):
            if late:
                state = late(step, state)
            else:
                fit = torch.bmm(x, state.unsqueeze(2)).squeeze(2).masked_fill(~real, torch.finfo(x.dtype).min)
                state = torch.bmm(fit.softmax(1).unsqueeze(1), x).squeeze(1)
            found.append(state)
        return torch.cat(found)

    return Made(forward, torch.randn(rows, places, d))


def copy_loss(*, ours: bool) -> Made:
    """Ln P of the words of 16 replies with copying; the other side makes the whole distribution and takes its words."""
    n, s, v, extra = 240, 90, 12_000, 8
    source, target = torch.randint(v + extra, (n, s)), torch.randint(4, v, (n,))
    weights, gate = torch.randn(n, s).softmax(1), torch.randn(n)

    def forward(x: Tensor) -> Tensor:
        if ours:
            return copy_log_likelihood(x, weights, gate, source, target)
        return -functional.nll_loss(copy_distribution(x, weights, gate, source, extra), target, reduction="none")

    return Made(forward, torch.randn(n, v))


FINE, HALF = torch.float32, torch.bfloat16
SMALL = (lengths(32, 16),)
PUBLISHED = batches_of_replies(90)
GRU, LSTM, ATTENTION = ("`TwoWayGru`", "`nn.GRU`"), ("`Lstm`", "`nn.LSTM`"), ("`Attention`", "fused")
ENCODER = ("`Encoder`", "`nn.TransformerEncoder`")
LOSS, CHUNKED = ("`entropy`", "`cross_entropy`"), ("`entropy`", "`linear_cross_entropy`, in chunks")
ROWS = [
    Row("gru, 32 x 50, 128 -> 2 x 96", *GRU, partial(gru, 32, 50, 128, 96, FINE), trains=True),
    Row("gru, the same", *GRU, partial(gru, 32, 50, 128, 96, FINE), trains=False),
    Row("gru, sources of `postks`, 32 x 120, 128 -> 2 x 96", *GRU, partial(gru, 32, 120, 128, 96, FINE), trains=True),
    Row("gru, triples of `postks`, 120 x 8, 128 -> 2 x 96", *GRU, partial(gru, 120, 8, 128, 96, FINE), trains=True),
    Row("gru, as published, 16 x 30, 300 -> 2 x 400", *GRU, partial(gru, 16, 30, 300, 400, FINE), trains=True),
    Row("gru, the same, bfloat16", *GRU, partial(gru, 16, 30, 300, 400, HALF), trains=True),
    Row("gru, knowledge of `matcher`, 12 x 60, 128 -> 2 x 64", *GRU, partial(gru, 12, 60, 128, 64, FINE), trains=True),
    Row("gru, one row of `matcher`, 60, 128 -> 2 x 64", *GRU, partial(gru, 1, 60, 128, 64, FINE), trains=False),
    Row("gru cell, 32 x 192", "`cell`", "`nn.GRUCell`", gru_cell, trains=False),
    Row("lstm, 32 x 16, 100 -> 512, 2 layers", *LSTM, partial(lstm, SMALL, FINE), trains=True),
    Row("lstm, the same, bfloat16", *LSTM, partial(lstm, SMALL, HALF), trains=True),
    Row("lstm, the same", *LSTM, partial(lstm, SMALL, FINE), trains=False),
    Row("lstm, batches of 100 as published", *LSTM, partial(lstm, PUBLISHED[:24], FINE), trains=True, steps=24),
    Row("lstm, the same batches, bfloat16", *LSTM, partial(lstm, PUBLISHED, HALF), trains=True, steps=90),
    Row(
        "steps, 20 x 32, 192 -> 1,152",
        "`DeferredLinear`",
        "autograd",
        partial(recurrent_steps, 32, 192, FINE),
        trains=True,
    ),
    Row(
        "steps, 20 x 16, 800 -> 4,800",
        "`DeferredLinear`",
        "autograd",
        partial(recurrent_steps, 16, 800, FINE),
        trains=True,
    ),
    Row(
        "steps, the same, bfloat16",
        "`DeferredLinear`",
        "autograd",
        partial(recurrent_steps, 16, 800, HALF),
        trains=True,
    ),
    Row("attended memory, 20 x 32 x 120 x 192", "`DeferredMemory`", "autograd", attended_memory, trains=True),
    Row("attention, 16 x 100", *ATTENTION, partial(attention, 16, 100, 0.0, FINE), trains=True),
    Row("attention, the same, bfloat16", *ATTENTION, partial(attention, 16, 100, 0.0, HALF), trains=True),
    Row("attention, the same, dropout", *ATTENTION, partial(attention, 16, 100, 0.1, FINE), trains=True, equal=False),
    Row("attention, dropout, bfloat16", *ATTENTION, partial(attention, 16, 100, 0.1, HALF), trains=True, equal=False),
    Row("attention, 16 x 100", *ATTENTION, partial(attention, 16, 100, 0.0, FINE), trains=False),
    Row("attention, a step of decoding", *ATTENTION, decoding_step, trains=False),
    Row("encoder, 32 x 45, 96, 2 layers", *ENCODER, encoder, trains=True),
    Row("encoder, the same", *ENCODER, encoder, trains=False),
    Row("dropout, 16 x 4 x 100 x 100", "`Dropout`", "`nn.Dropout`", dropout, trains=True, equal=False),
    Row("loss of `postks`, 640 x 192 over 12,000", *LOSS, partial(loss, "", 640, 192, 12_000, FINE), trains=True),
    Row("loss of `lstm`, 1,500 x 100 over 20,000", *LOSS, partial(loss, "", 1_500, 100, 20_000, FINE), trains=True),
    Row("loss, the same", *CHUNKED, partial(loss, "linear", 1_500, 100, 20_000, FINE), trains=True),
    Row("products of 1 to 256 rows, bfloat16", "`affine`", "`addmm`", varied_products, trains=False),
    Row("top 5 of 100,000, 16 rows", "`stable_topk`", "`sort(stable=True)`", top_k, trains=False),
    Row("crf, loss, 32 x 20, 9 tags", "`CRF`", "`pytorch-crf`", partial(crf, best=False), trains=True),
    Row("crf, best tags", "`CRF`", "`pytorch-crf`", partial(crf, best=True), trains=False),
    Row("convolutions, 400 utterances", "`UtteranceEncoder`", "`nn.Conv1d`", convolution, trains=True),
    Row("copying, 240 words of 12,000", "`copy_log_likelihood`", "`nll_loss`", copy_loss, trains=True),
]


PAGE = """# Our own layers, and those of torch

Made by `OMP_WAIT_POLICY=PASSIVE python benchmarks/networks.py --rounds 3 --out benchmarks/NETWORKS.md` (threads that
wait do not count); torch {torch}. Each row is a step of our own code
and of the library's with the same weights and input: milliseconds of processor time with one thread and with two, how
many times as fast ours is, megabytes that three steps add at most (24 and 90 over batches as published), and the
greatest relative difference of the results
(and, in training, of the gradient of the input). The rule of the house: what a library has is used, unless ours is at
least 1.5 times as fast or needs half the memory in the place where it runs. A source of `postks` has 117 tokens in the
mean. The rows of GRUs and attention in inference are of ours as it was: torch's is used there.

| what | in | ours | library | ms | ms | factor | 2 threads: ms | ms | factor | MB | MB | difference |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
{table}

## What follows

**From the library**: GRUs without a way back (`torch.gru`, in the same class); attention out of training
(`scaled_dot_product_attention`, which needs less memory too); the mean of a text's grams (`embedding_bag`). The GRU
over turns of `ranker`, embedding bags, layer norms, the losses over candidates, optimisers and data-parallel training
have been torch's all along.

**Ours, with the figure in the docstring**: GRUs and LSTMs over packed sequences in training (torch adds up a gradient
of the weights' full size at every step, ours makes one product of it; in bfloat16 torch's LSTM keeps a compiled kernel
for each number of rows, too, and needs 2.8 times the memory after 90 batches), products and attention of a decoder's
steps (the same), attention in training (with bfloat16, in which `matcher` learns), dropout, the loss over a large
vocabulary (memory; torch's own in chunks takes more than twice as long, and gives neither the cost of each word nor the
best one), products of bfloat16 for many numbers of rows (memory: torch keeps a compiled kernel for each), the best of
many with a rule for ties, the CRF (the library is of 2019, and cannot forbid steps), the convolutions of `ranker` (most
of its places are padding), and the likelihood of copied words.

**Ours for want of another**: the GRU cell on separate products, which deferred gradients need; the encoder, which
shares its layers with decoders that keep what they have seen (torch's do not); sinusoidal positions; the copy head;
the GRU with ReLU of the matcher's second form; beams and sampling.
"""


def made(row: Row, *, ours: bool) -> tuple[Callable[[], None], list[Tensor]]:
    """Return what makes a step, and where it leaves its results."""
    torch.manual_seed(1)
    side: Made = row.make(ours=ours)
    found: list[Tensor] = []
    x = side.x.requires_grad_(row.trains)
    slope: list[Tensor] = []

    def step() -> None:
        if not row.trains:
            with torch.no_grad():  # inference tensors could not be taken back, which the GRU of ours is ready for
                found[:] = [side.forward(x)]
            return
        for leaf in (x, *side.parameters):
            leaf.grad = None
        out = side.forward(x)
        if not slope:
            slope.append(torch.randn(out.shape, generator=torch.Generator().manual_seed(2)))
        out.backward(slope[0])  # type: ignore[no-untyped-call]  # torch leaves it untyped
        assert x.grad is not None
        found[:] = [out.detach(), x.grad]

    return step, found


def median(numbers: Sequence[float]) -> float:
    """Return the one in the middle."""
    return sorted(numbers)[len(numbers) // 2]


def difference(own: Sequence[Tensor], theirs: Sequence[Tensor]) -> float:
    """Return the greatest difference, relative to the greatest number."""
    pairs = zip(own, theirs, strict=True)
    return max(float((a - b).abs().max() / b.abs().max().clamp(min=1e-9)) for a, b in pairs)


def seconds(step: Callable[[], None], repeats: int) -> float:
    """Return processor time of a step."""
    began = time.process_time()
    for _ in range(repeats):
        step()
    return (time.process_time() - began) / repeats


def timed(row: Row, threads: int, rounds: int) -> tuple[float, float, float]:
    """Return milliseconds of our step and of the library's, and the median factor by which ours is faster."""
    torch.set_num_threads(threads)
    own, theirs = made(row, ours=True)[0], made(row, ours=False)[0]
    for step in (own, theirs):
        step()
        step()
    repeats = max(1, int(0.02 / max(seconds(own, 1), seconds(theirs, 1))))
    pairs = [(seconds(own, repeats), seconds(theirs, repeats)) for _ in range(rounds)]
    ours, library = zip(*pairs, strict=True)
    factor = median([b / a for a, b in pairs])
    return median(ours) * 1e3, median(library) * 1e3, factor


def memory(row: Row, *, ours: bool) -> float:
    """Return the megabytes that a row's steps add at most; for a fresh process."""
    torch.set_num_threads(1)
    step, _ = made(row, ours=ours)
    first = torch.ones(64, 64, requires_grad=True)
    (first @ first).softmax(1).sum().backward()  # type: ignore[no-untyped-call]  # loads what is loaded once
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
    before = _status("VmRSS")
    for _ in range(row.steps):
        step()
    return (_status("VmHWM") - before) / 1024


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def apart(work: Callable[[], float]) -> float:
    """Return a number that a forked process finds: nothing that it does is there afterwards."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, str(work()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        found = float(said.read())
    os.waitpid(child, 0)
    return found


def main() -> int:
    """Measure all rows and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only rows whose name holds this word")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    known = importlib.util.find_spec("torchcrf") is not None
    rows = [row for row in ROWS if options.only in row.name and (known or "crf" not in row.name)]
    peaks = [[apart(partial(memory, row, ours=ours)) for ours in (True, False)] for row in rows]  # before any thread
    lines = []
    for row, megabytes in zip(rows, peaks, strict=True):
        lines.append(measured(row, megabytes, options.rounds))
        print(lines[-1], flush=True)
    if options.out:
        write_text(options.out, PAGE.format(torch=torch.__version__, table="\n".join(lines)))
    return 0


def measured(row: Row, megabytes: Sequence[float], rounds: int) -> str:
    """Return a line of the table."""
    own, theirs = made(row, ours=True), made(row, ours=False)
    own[0](), theirs[0]()
    differ = f"{difference(own[1], theirs[1]):.0e}" if row.equal else "-"
    cells = []
    for threads in (1, 2):
        ours, library, factor = timed(row, threads, rounds)
        cells.append(f"{ours:.2f} | {library:.2f} | {factor:.2f}")
    kind = "training" if row.trains else "inference"
    names = f"{row.name} | {kind} | {row.own} | {row.library}"
    return f"| {names} | {' | '.join(cells)} | {megabytes[0]:.1f} | {megabytes[1]:.1f} | {differ} |"


if __name__ == "__main__":
    sys.exit(main())
