"""The generation baseline of the DuConv challenge: posterior knowledge selection and a gated fusion decoder.

Letters: b samples, l tokens of a source, k triples of a sample, u different triples, n tokens of all replies with
their end, e numbers of a word, h of a state, v words.

A source encoder gives a memory and a query x; a knowledge encoder gives a vector per triple and, in training, one of
the true reply, y. The posterior chooses triples by y, the prior learns to choose like it by x alone. The chosen
knowledge must tell the words of the reply by itself (the BOW head), and goes into a decoder of two units, one for
words and one for knowledge, whose states a gate mixes. Equations are those of the challenge document, sections those
of the specification.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import msgspec
import torch
from torch import nn
from torch.nn import functional

from duologue.challenges.proactive.systems.postks.network.batch import END, PAD
from duologue.core.records import Record
from duologue.models.entropy import entropy
from duologue.models.late import LateLinear, LateMemory
from duologue.models.products import affine
from duologue.models.recurrent import Gru, TwoWayGru, cell, ends_of

if TYPE_CHECKING:
    from torch import Tensor

    from duologue.challenges.proactive.systems.postks.network.batch import Batch
from duologue.models.recurrent import Packed


class PostksSize(Record, frozen=True):
    """Sizes and readings of a `Postks` network; the defaults are those that were published."""

    vocabulary: Annotated[int, msgspec.Meta(ge=4)]
    """v, the four special tokens included."""
    words: Annotated[int, msgspec.Meta(ge=1)] = 300
    """e: numbers per word."""
    hidden: Annotated[int, msgspec.Meta(ge=2, multiple_of=2)] = 800
    """h: numbers per state, half of them per direction in the encoders."""
    dropout: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.3
    """Share of the decoder's output that is dropped in training."""
    posterior: Literal["reply", "source-and-reply"] = "reply"
    """What chooses triples in training: y (the code), or MLP([x; y]) (the document)."""
    loss: Literal["summed", "averaged"] = "summed"
    """`summed` over the tokens of a reply (the code), or `averaged` over them and over the triples (the document)."""


class Losses(NamedTuple):
    """What a batch costs. `total` has the gradient; a part that was not asked for is zero."""

    total: Tensor
    bow: Tensor
    nll: Tensor
    kl: Tensor
    right: Tensor
    """Per sample the share of its tokens that were the most probable (b,)."""
    costs: Tensor
    """Per sample -log P of its reply, end included (b,)."""


class Source(NamedTuple):
    """What the source encoder gives."""

    memory: Tensor
    """(b, l, h), not bridged."""
    real: Tensor
    """Which places of the memory are tokens (b, l)."""
    query: Tensor
    """x (b, h): query of the prior and first state of the decoder."""


class Knowledge(NamedTuple):
    """What the knowledge manager chooses."""

    chosen: Tensor
    """The mixed vector (b, h)."""
    weights: Tensor
    """Share of each triple in it (b, k)."""
    prior: Tensor | None
    """What the prior would choose (b, k); `None` where there is no source."""


class Woven(NamedTuple):
    """The decoder's weights as its steps use them: what one vector is multiplied with lies together."""

    words: Tensor
    """Word unit, of the word (3h, e)."""
    words_bias: Tensor
    fact: Tensor
    """Knowledge unit, of the chosen knowledge (3h, h)."""
    fact_bias: Tensor
    context: Tensor
    """Both units, of the attended context (6h, h)."""
    state: Tensor
    """Both units, of the state before (6h, h)."""
    state_bias: Tensor
    side: tuple[Tensor, Tensor]
    """W_a and W_g (h, h)."""
    side_bias: tuple[Tensor, Tensor]
    gate: Tensor
    """w (1, 2h)."""
    gate_bias: Tensor


class Decoder(nn.Module):
    """Hierarchical gated fusion: one unit hears words, one knowledge, and a gate decides between them."""

    def __init__(self, size: PostksSize) -> None:
        super().__init__()
        e, h = size.words, size.hidden
        self.word_gru = Gru(e + h, h)
        self.knowledge_gru = Gru(2 * h, h)
        self.fuse_word = nn.Linear(h, h)
        self.fuse_knowledge = nn.Linear(h, h)
        self.gate = nn.Linear(2 * h, 1)

    def weave(self, precision: torch.dtype) -> Woven:
        """Return the weights side by side in `precision`; gradients flow back into their own tensors."""
        word, fact = self.word_gru, self.knowledge_gru
        h = word.w_hidden.shape[1]
        e = word.w_input.shape[1] - h
        return Woven(
            words=word.w_input[:, :e].to(precision),
            words_bias=word.b_input.to(precision),
            fact=fact.w_input[:, :h].to(precision),
            fact_bias=fact.b_input.to(precision),
            context=torch.cat([word.w_input[:, e:], fact.w_input[:, h:]]).to(precision),
            state=torch.cat([word.w_hidden, fact.w_hidden]).to(precision),
            state_bias=torch.cat([word.b_hidden, fact.b_hidden]).to(precision),
            side=(self.fuse_word.weight.to(precision), self.fuse_knowledge.weight.to(precision)),
            side_bias=(self.fuse_word.bias.to(precision), self.fuse_knowledge.bias.to(precision)),
            gate=self.gate.weight,
            gate_bias=self.gate.bias,
        )

    def forward(
        self, woven: Woven, words: Tensor, chosen: Tensor, source: Source, sizes: tuple[int, ...]
    ) -> tuple[Tensor, Tensor]:
        """Return contexts c (n, h) and states h (n, h) after each word.

        words (n, e) lie step after step; chosen (b, h), memory and query of the source stand in the order of their
        rows. What a step needs of words and knowledge alone is made for all steps at once.
        """
        kind, n, h = woven.words.dtype, len(words), chosen.shape[1]
        of_words = affine(woven.words_bias, words.to(kind), woven.words)  # (n, 3h)
        of_fact = affine(woven.fact_bias, chosen.to(kind), woven.fact)  # (b, 3h)
        of_fact = torch.cat([of_fact[:rows] for rows in sizes])  # (n, 3h)
        by_context = LateLinear(torch.cat([of_words, of_fact], 1), woven.context, sizes)
        by_state = LateLinear(woven.state_bias.expand(n, -1), woven.state, sizes)
        sides = [
            LateLinear(bias.expand(n, -1), side, sizes) for side, bias in zip(woven.side, woven.side_bias, strict=True)
        ]
        attend = LateMemory(source.memory, source.real, sizes)
        state, contexts, states = source.query, [], []
        for step, rows in enumerate(sizes):
            state = state[:rows]
            context = attend(step, state)  # c_t (rows, h)
            of_input, of_state = by_context(step, context), by_state(step, state)  # (rows, 6h)
            s = cell(of_input[:, : 3 * h], of_state[:, : 3 * h], state)  # GRU_y([e_t; c_t], h_{t-1})
            u = cell(of_input[:, 3 * h :], of_state[:, 3 * h :], state)  # GRU_k([k; c_t], h_{t-1})
            a, g = sides[0](step, s).tanh().to(state.dtype), sides[1](step, u).tanh().to(state.dtype)  # (rows, h)
            r = functional.linear(torch.cat([a, g], 1), woven.gate, woven.gate_bias).sigmoid()  # (rows, 1)
            state = torch.lerp(g, a, r.expand_as(a))  # r a + (1 - r) g
            contexts.append(context)
            states.append(state)
        return torch.cat(contexts), torch.cat(states)


class Postks(nn.Module):
    """The whole network: 17,544,801 + 1,902 v parameters at the published sizes."""

    def __init__(self, size: PostksSize) -> None:
        super().__init__()
        v, e, h = size.vocabulary, size.words, size.hidden
        self.size = size
        self.embedding = nn.Embedding(v, e, padding_idx=PAD)
        self.context_gru = TwoWayGru(e, h // 2)
        self.bridge = nn.Linear(h, h)
        self.knowledge_gru = TwoWayGru(e, h // 2)
        self.posterior = nn.Linear(2 * h, h) if size.posterior == "source-and-reply" else None
        self.decoder = Decoder(size)
        self.output_first = nn.Linear(2 * h, h)
        self.output_second = nn.Linear(h, v)
        self.bow_first = nn.Linear(h, h)
        self.bow_second = nn.Linear(h, v)
        self.dropout = nn.Dropout(size.dropout)

    def read(self, packed: Packed, precision: torch.dtype, order: Tensor | None = None) -> Source:
        """Encode sources; memory and its mask are of the samples in `order` (b,), where one is given."""
        forwards, backwards = self.context_gru(self.embedding(packed.tokens), packed, precision)
        query = torch.tanh(self.bridge(ends_of((forwards, backwards), packed)))  # x (b, h)
        states = torch.cat([forwards, backwards.index_select(0, packed.turned)], 1)  # (tokens, h)
        grid, real = packed.grid, packed.real
        if order is not None:
            grid, real = grid.index_select(0, order), real.index_select(0, order)
        return Source(functional.embedding(grid, states), real, query)  # padding holds what is masked

    def choose(self, batch: Batch, query: Tensor | None, precision: torch.dtype, *, posterior: bool) -> Knowledge:
        """Mix the triples of each sample by the posterior or the prior; `query` is x (b, h)."""
        each = self.knowledge_gru.last(self.embedding(batch.triples.tokens), batch.triples, precision)  # (u, h)
        triples = functional.embedding(batch.which, each)  # k_i (b, k, h)
        prior = None if query is None else _weights(query, triples, batch.known)  # p_i = softmax_i(x . k_i)
        weights = prior
        if posterior:
            assert batch.reply is not None, "the posterior sees the reply"
            asked = self.knowledge_gru.last(self.embedding(batch.reply.tokens), batch.reply, precision)  # y (b, h)
            if self.posterior is not None:  # equation (1)
                assert query is not None, "this posterior sees the source too"
                asked = torch.tanh(self.posterior(torch.cat([query, asked], 1)))
            weights = _weights(asked, triples, batch.known)  # q_i = softmax_i(y . k_i)
        assert weights is not None, "the prior sees the source"
        return Knowledge(torch.einsum("bk,bkh->bh", weights, triples), weights, prior)

    def losses(self, batch: Batch, *, bow_only: bool = False, precision: torch.dtype = torch.float32) -> Losses:
        """Return the losses of a batch with replies (section 4.2); with `bow_only` those of the first stage.

        The posterior chooses, also in evaluation mode: validation losses see the reply.
        """
        source = None
        if not bow_only or self.posterior is not None:
            source = self.read(batch.source, precision, None if batch.said is None else batch.said.order)
        knowledge = self.choose(batch, source.query if source else None, precision, posterior=True)
        bow = self._bow(batch, knowledge.chosen)
        if bow_only:
            nothing = bow.detach().new_zeros(batch.size)
            return Losses(bow, bow.detach(), nothing.sum(), nothing.sum(), nothing, nothing)
        assert source is not None
        nll, costs, right = self._nll(batch, source, knowledge.chosen, precision)
        kl = self._kl(batch, knowledge)
        return Losses(bow + nll + kl, bow.detach(), nll.detach(), kl.detach(), right, costs)  # equation (7)

    def _bow(self, batch: Batch, chosen: Tensor) -> Tensor:
        """Return what it costs that the chosen knowledge alone foretells the words of the reply, in any order."""
        logits = self.bow_second(torch.tanh(self.bow_first(chosen)))  # (b, v), once per sample
        owner = _owners(batch)
        end = batch.targets.numel()
        if self.size.loss == "summed":  # the target loses its last padded column: the longest replies lose their end
            assert batch.said is not None
            end -= batch.said.sizes[-1]
            counted, shares = slice(None, end), logits.new_full((end,), 1 / batch.size)
        else:  # the words of the reply and nothing else
            counted, shares = slice(None), _shares(batch, 0) * (batch.targets != END)
        rows, words = owner[counted], batch.targets[counted]
        chances = logits.log_softmax(1)
        cost: Tensor = -(chances[rows, words] * shares).sum()
        return cost

    def _kl(self, batch: Batch, knowledge: Knowledge) -> Tensor:
        """Return KL(q || p), with q as a constant: over all slots of the batch (summed) or real triples (averaged)."""
        assert knowledge.prior is not None
        q = knowledge.weights.detach()
        each = torch.xlogy(q, q) - q * torch.log(knowledge.prior + 1e-10)  # (b, k)
        if self.size.loss == "summed":
            return each.mean()
        return (each.sum(1) / batch.known.sum(1).clamp(min=1)).mean()  # equation (3), 1/N without the stray minus

    def _nll(
        self, batch: Batch, source: Source, chosen: Tensor, precision: torch.dtype
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the loss of the decoder, and per sample what its reply costs and the share of tokens it has right."""
        said = batch.said
        assert said is not None
        ordered = source._replace(query=source.query.index_select(0, said.order))  # its memory is so already
        contexts, states = self.decoder(
            self.decoder.weave(precision),
            self.embedding(said.tokens),
            chosen.index_select(0, said.order),
            ordered,
            said.sizes,
        )
        hidden = self.before_words(contexts, states, precision)  # (n, h)
        shares = _shares(batch, 1) if self.size.loss == "averaged" else hidden.new_full((len(hidden),), 1 / batch.size)
        found = entropy(hidden, self.output_second.weight, self.output_second.bias, batch.targets, shares, precision)
        owner = _owners(batch)
        costs = found.costs.new_zeros(batch.size).index_add(0, owner, found.costs)
        hits = (found.best == batch.targets).to(costs.dtype)
        right = costs.new_zeros(batch.size).index_add(0, owner, hits) / said.real.sum(1)
        return found.loss, costs, right

    def before_words(self, contexts: Tensor, states: Tensor, precision: torch.dtype) -> Tensor:
        """Return W_o1 Dropout([c_t; h_t]) + b_o1: (n, h), (n, h) -> (n, h)."""
        both = self.dropout(torch.cat([contexts.to(precision), states.to(precision)], 1))
        first = self.output_first
        return affine(first.bias.to(precision), both, first.weight.to(precision))


def _weights(query: Tensor, triples: Tensor, known: Tensor) -> Tensor:
    """Return softmax_i(query . k_i) over the triples that there are (b, k); zeros where there are none."""
    scores = torch.einsum("bh,bkh->bk", query, triples)
    scores = scores.masked_fill(~known, torch.finfo(scores.dtype).min)  # -inf would give NaN where there are none
    return scores.softmax(1) * known


def _owners(batch: Batch) -> Tensor:
    """Return the sample of each token of the replies (n,)."""
    said = batch.said
    assert said is not None, "the batch has no replies"
    return torch.cat([said.order[:rows] for rows in said.sizes])


def _shares(batch: Batch, ends: int) -> Tensor:
    """Return 1 / (b m) per token (n,), m the words of its reply and as many `ends`; equation (4)."""
    assert batch.said is not None
    words = batch.said.real.sum(1) - 1 + ends
    return 1 / (batch.size * words[_owners(batch)])
