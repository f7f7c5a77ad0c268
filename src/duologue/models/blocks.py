"""Transformer blocks: positions, attention, layers with a cache, and a copy head.

Shapes: b rows, t target tokens, s source tokens, d width, h heads, e numbers of a head (h e = d), v vocabulary,
x unknown words of a source.

Equations: Vaswani et al. 2017 (attention), See et al. 2017 (copying). What torch has too is written out where that is
faster by half or more; `python benchmarks/networks.py` measures it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from torch import Tensor

Activation = Literal["gelu", "relu"]
_NEVER = -1e9  # added to what may not be looked at; -inf would give NaN where a row may look at nothing
_LEAST = 1e-20  # copied mass whose logarithm is taken: nothing at all would be -inf


def sinusoids(length: int, width: int) -> Tensor:
    """Return (length, width): sines in the first half, cosines in the second, of 1 to 1/10,000 (section 3.5).

    The paper lays them alternately; which number stands where makes no difference to the layers above.
    """
    half = width // 2
    pace = torch.exp(torch.arange(half) * (-math.log(10_000) / max(1, half - 1)))
    angles = torch.arange(length).unsqueeze(1) * pace  # (length, half)
    return functional.pad(torch.cat([angles.sin(), angles.cos()], 1), (0, width - 2 * half))


def padding_bias(mask: Tensor) -> Tensor:
    """Return what is added to attention scores, (b, 1, 1, s), for a mask (b, s) with True = real token."""
    return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, _NEVER)[:, None, None, :]


def causal_bias(length: int, device: torch.device) -> Tensor:
    """Return what is added to attention scores, (1, 1, t, t), so that no token looks at later ones."""
    later = torch.ones(length, length, dtype=torch.bool, device=device).triu(1)
    return torch.zeros(length, length, device=device).masked_fill(later, _NEVER)[None, None]


class Dropout(nn.Module):
    """Drop a share of the numbers in training, as torch's dropout does, twice as fast on a CPU.

    Torch draws one word of chance for each number there, which took 36 % of a transformer's training; 16 bits are
    enough to say whether a number stays (`python benchmarks/networks.py --only dropout`).
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate
        self.bound = round(rate * 65_536) - 32_768  # of a 16-bit number, for those that are dropped

    def forward(self, x: Tensor) -> Tensor:
        """Return x with some numbers 0 and the others enlarged, so that their mean stays; x itself out of training."""
        if not self.training or not self.rate:
            return x
        if x.device.type != "cpu":
            return functional.dropout(x, self.rate)
        return x * self.kept(x.shape).to(x.dtype).mul_(1 / (1 - self.rate))

    def kept(self, shape: torch.Size) -> Tensor:
        """Draw which of so many numbers stay."""
        size = shape.numel()
        words = torch.empty((size + 3) // 4, dtype=torch.int64).random_(-(2**63), None)  # all 64 bits
        return words.view(torch.int16)[:size].view(shape) >= self.bound


class Positions(nn.Module):
    """Add to tokens where they stand: sinusoidal positions, or learned ones of up to `longest` places."""

    def __init__(self, width: int, longest: int | None = None) -> None:
        super().__init__()
        self.learned = nn.Embedding(longest, width) if longest else None
        self._sines = sinusoids(512, width)  # no buffer: it grows, and devices that train together must agree on those

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Return tokens x (b, t, d) of places `start` on with their places; raises `UsageError` beyond the learned."""
        after = start + x.shape[1]
        if self.learned is not None:
            if after > self.learned.num_embeddings:
                raise UsageError(f"the model learned {self.learned.num_embeddings} positions, found {after}")
            return x + self.learned.weight[start:after]
        if after > len(self._sines) or self._sines.device != x.device:
            with torch.inference_mode(mode=False):  # training may use it later
                self._sines = sinusoids(max(512, 2 * after), x.shape[2]).to(x.device)
        return x + self._sines[start:after]


class Seen(NamedTuple):
    """Keys and values of tokens that attention looks at, each (b, h, s, e)."""

    keys: Tensor
    values: Tensor

    def pick(self, rows: Tensor) -> Seen:
        """Return these rows, in this order."""
        return Seen(self.keys.index_select(0, rows), self.values.index_select(0, rows))


class Attention(nn.Module):
    """softmax(Q K^T / sqrt(e)) V, eq. (1), in h heads side by side.

    Torch's fused attention out of training; in training written out (matmul, softmax, matmul): with bfloat16, in which
    the matcher learns, that is 1.6 times as fast on a CPU (`python benchmarks/networks.py --only attention`).
    """

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        if width % heads:
            raise UsageError(f"a width of {width} cannot be shared among {heads} heads")
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.seen = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)
        self.drop = Dropout(dropout)

    def look(self, x: Tensor) -> Seen:
        """Return keys and values of tokens (b, s, d)."""
        both = self.seen(x).view(*x.shape[:2], 2, self.heads, -1)  # (b, s, 2, h, e)
        keys, values = both.permute(2, 0, 3, 1, 4)  # each (b, h, s, e)
        return Seen(keys, values)

    def forward(self, x: Tensor, seen: Seen, bias: Tensor | None) -> Tensor:
        """Return what tokens x (b, t, d) find in what is seen, (b, t, d); `bias` is added to their scores."""
        query = self.query(x).view(*x.shape[:2], self.heads, -1).transpose(1, 2)  # (b, h, t, e)
        if not self.training:
            mask = None if bias is None else bias.to(query.dtype)
            found = functional.scaled_dot_product_attention(query, seen.keys, seen.values, mask)  # (b, h, t, e)
        else:
            scores = query / math.sqrt(query.shape[-1]) @ seen.keys.transpose(2, 3)  # (b, h, t, s)
            if bias is not None:
                scores = scores + bias
            weights = scores.softmax(-1).to(seen.values.dtype)  # autocast leaves softmax in float32: too wide
            found = self.drop(weights) @ seen.values
        out: Tensor = self.out(found.transpose(1, 2).flatten(2))  # (b, t, d)
        return out


class Layer(nn.Module):
    """A transformer layer of encoder or decoder, each part normed before it and added to what came in (pre-norm).

    With `post_norm` the sums after self-attention and after the last part are normed once more.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        inner: int,
        dropout: float,
        *,
        crosses: bool = False,
        post_norm: bool = False,
        activation: Activation = "gelu",
    ) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = Attention(width, heads, dropout)
        self.cross_norm = nn.LayerNorm(width) if crosses else None
        self.cross = Attention(width, heads, dropout) if crosses else None
        self.feed_norm = nn.LayerNorm(width)
        self.feed = nn.Sequential(
            nn.Linear(width, inner),
            nn.GELU() if activation == "gelu" else nn.ReLU(),
            Dropout(dropout),
            nn.Linear(inner, width),
        )
        self.attention_after = nn.LayerNorm(width) if post_norm else nn.Identity()
        self.feed_after = nn.LayerNorm(width) if post_norm else nn.Identity()
        self.drop = Dropout(dropout)

    def remember(self, states: Tensor) -> Seen:
        """Return what this layer sees of a source (b, s, d); raises `UsageError` for one that does not cross."""
        if self.cross is None:
            raise UsageError("a layer of an encoder sees no source")
        return self.cross.look(states)

    def forward(
        self,
        x: Tensor,
        bias: Tensor | None,
        *,
        past: Seen | None = None,
        memory: Seen | None = None,
        memory_bias: Tensor | None = None,
        first: bool = False,
    ) -> tuple[Tensor, Seen]:
        """Return tokens (b, t, d) and what later tokens will look back at: `past` and these.

        A layer that crosses needs `memory`: what it sees of the source (`remember`), with the source's bias. With
        `first` only the first token is returned, (b, 1, d).
        """
        normed = self.attention_norm(x)
        seen = self.attention.look(normed)
        if past is not None:
            seen = Seen(torch.cat([past.keys, seen.keys], 2), torch.cat([past.values, seen.values], 2))
        if first:
            x, normed = x[:, :1], normed[:, :1]
        x = self.attention_after(x + self.drop(self.attention(normed, seen, bias)))
        if self.cross is not None and self.cross_norm is not None:
            if memory is None:
                raise UsageError("a decoder layer needs the memory of a source")
            x = x + self.drop(self.cross(self.cross_norm(x), memory, memory_bias))
        return self.feed_after(x + self.drop(self.feed(self.feed_norm(x)))), seen


class Encoder(nn.Module):
    """Layers over whole sequences: (b, s, d) and a mask (b, s), True = real -> (b, s, d), normed.

    Padding is never looked at; what comes out at its places means nothing.
    """

    def __init__(
        self, layers: int, width: int, heads: int, inner: int, dropout: float, activation: Activation = "gelu"
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(width, heads, inner, dropout, activation=activation) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the tokens as they are read in their context."""
        bias = padding_bias(mask)
        for layer in self.layers:
            x, _ = layer(x, bias)
        out: Tensor = self.norm(x)
        return out


class CopyHead(nn.Module):
    """Say a word of the vocabulary or one of the source: P(w) = g P_v(w) + (1 - g) sum_{i: w_i = w} a_i, eq. (9).

    a is attention over the source by the decoder's state, g a gate read from the state and from what a finds.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.key = nn.Linear(width, width)
        self.query = nn.Linear(width, width)
        self.gate = nn.Linear(2 * width, 1)

    def forward(self, states: Tensor, memory: Tensor, keys: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        """Return a (b, t, s) and the gate's logit (b, t).

        States (b, t, d); the source's states (b, s, d) with their `key`s (b, s, d); bias (b, 1, 1, s).
        """
        scores = self.query(states) @ keys.transpose(1, 2) / math.sqrt(states.shape[-1])  # (b, t, s)
        weights = (scores + bias[:, 0]).float().softmax(-1)
        found = weights.to(memory.dtype) @ memory  # (b, t, d)
        return weights, self.gate(torch.cat([states, found], -1)).squeeze(-1).float()


def copy_log_likelihood(logits: Tensor, weights: Tensor, gate: Tensor, source: Tensor, target: Tensor) -> Tensor:
    """Return ln P(target), (n,), of eq. (9) without making the whole distribution.

    Logits (n, v), weights a (n, s), the gate's logit (n,), source words (n, s) and target words (n,); numbers from v
    on are words that only the source knows. To make the distribution takes four times as long
    (`python benchmarks/networks.py --only copying`).
    """
    v = logits.shape[-1]
    known = target < v
    said = -functional.cross_entropy(logits.float(), target.clamp(max=v - 1), reduction="none")  # (n,)
    said = said.masked_fill(~known, _NEVER)
    mass = (weights * (source == target.unsqueeze(1))).sum(1)  # (n,)
    copied = mass.clamp(min=_LEAST).log()
    return torch.logaddexp(functional.logsigmoid(gate) + said, functional.logsigmoid(-gate) + copied)


def copy_distribution(logits: Tensor, weights: Tensor, gate: Tensor, source: Tensor, extra: int) -> Tensor:
    """Return ln P of eq. (9) for all words of the vocabulary and `extra` of the source alone, (n, v + x).

    Shapes as in `copy_log_likelihood`.
    """
    share = gate.sigmoid().unsqueeze(1)
    said = functional.pad(logits.float().softmax(-1) * share, (0, extra))  # (n, v + x)
    mixed = said.scatter_add(1, source, weights * (1 - share))
    return mixed.clamp(min=_LEAST).log()
