"""The generation baseline of the DuConv challenge: posterior knowledge selection and a gated fusion decoder.

Shapes: b samples, l source tokens, k triples of a sample, u distinct triples, n tokens of all replies including their
ends, e embedding size, h hidden size, v vocabulary size.

A source encoder gives a memory and a query x; a knowledge encoder gives a vector per triple and, in training, one of
the reference, y. The posterior selects triples by y, the prior learns to match it by x alone. The selected knowledge
must predict the words of the reply by itself (the bag-of-words head), and goes into a decoder of two GRUs, one for
words and one for knowledge, whose states a gate mixes. Equations are those of the challenge document, sections those of
the specification.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import msgspec
import torch
from torch import nn
from torch.nn import functional

from duologue.core.bounds import Dropout, Positive
from duologue.core.records import Record
from duologue.models.deferred_grad import DeferredLinear, DeferredMemory
from duologue.models.entropy import entropy
from duologue.models.matmul import affine
from duologue.models.recurrent import Gru, TwoWayGru, cell, ends_of
from duologue.models.vocabulary import END, PAD

if TYPE_CHECKING:
    from torch import Tensor

    from duologue.challenges.proactive.systems.postks.network.batch import PostksBatch
from duologue.models.recurrent import Packed


class PostksSize(Record, frozen=True):
    """Sizes and variants of a `Postks` network; the defaults are as published."""

    vocabulary: Annotated[int, msgspec.Meta(ge=4)]
    """v, the four special tokens included."""
    words: Positive = 300
    """e: embedding size."""
    hidden: Annotated[int, msgspec.Meta(ge=2, multiple_of=2)] = 800
    """h: hidden size, half of it per direction in the encoders."""
    dropout: Dropout = 0.3
    """Dropout rate of the decoder's output."""
    posterior: Literal["reply", "source-and-reply"] = "reply"
    """Input of the posterior: y (the released code), or MLP([x; y]) (the document)."""
    loss: Literal["summed", "averaged"] = "summed"
    """`summed` over the tokens of a reply (the code), or `averaged` over them and over the triples (the document)."""


class PostksLosses(NamedTuple):
    """Losses of a batch. `total` has the gradient; parts that were not requested are zero."""

    total: Tensor
    bow: Tensor
    nll: Tensor
    kl: Tensor
    right: Tensor
    """Token accuracy per sample (b,)."""
    costs: Tensor
    """-log P of each sample's reply, end included (b,)."""


class EncodedSource(NamedTuple):
    """Output of the source encoder."""

    memory: Tensor
    """Encoder states (b, l, h), not bridged."""
    real: Tensor
    """Mask of the memory (b, l), True for a token."""
    query: Tensor
    """x (b, h): query of the prior and initial state of the decoder."""


class SelectedKnowledge(NamedTuple):
    """Output of the knowledge manager."""

    chosen: Tensor
    """Weighted sum of the triples (b, h)."""
    weights: Tensor
    """Weights of the triples (b, k)."""
    prior: Tensor | None
    """Weights by the prior (b, k); `None` without a source."""


class StackedWeights(NamedTuple):
    """Decoder weights stacked for its steps: matrices applied to the same vector are concatenated."""

    words: Tensor
    """Word GRU, word input (3h, e)."""
    words_bias: Tensor
    fact: Tensor
    """Knowledge GRU, selected knowledge (3h, h)."""
    fact_bias: Tensor
    context: Tensor
    """Both GRUs, attended context (6h, h)."""
    state: Tensor
    """Both GRUs, previous state (6h, h)."""
    state_bias: Tensor
    side: tuple[Tensor, Tensor]
    """W_a and W_g (h, h)."""
    side_bias: tuple[Tensor, Tensor]
    gate: Tensor
    """w (1, 2h)."""
    gate_bias: Tensor


class Decoder(nn.Module):
    """Hierarchical gated fusion decoder: a GRU for words, one for knowledge, and a gate that mixes their states."""

    def __init__(self, size: PostksSize) -> None:
        super().__init__()
        e, h = size.words, size.hidden
        self.word_gru = Gru(e + h, h)
        self.knowledge_gru = Gru(2 * h, h)
        self.fuse_word = nn.Linear(h, h)
        self.fuse_knowledge = nn.Linear(h, h)
        self.gate = nn.Linear(2 * h, 1)

    def stack_weights(self, precision: torch.dtype) -> StackedWeights:
        """Return the stacked weights in `precision`; gradients flow back to the parameters."""
        word, fact = self.word_gru, self.knowledge_gru
        h = word.w_hidden.shape[1]
        e = word.w_input.shape[1] - h
        return StackedWeights(
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
        self, stacked: StackedWeights, words: Tensor, chosen: Tensor, source: EncodedSource, sizes: tuple[int, ...]
    ) -> tuple[Tensor, Tensor]:
        """Return contexts c (n, h) and states h (n, h) after each word.

        words (n, e) are ordered by step; chosen (b, h), memory and query of the source by row. Products of words and
        knowledge alone are computed for all steps at once.
        """
        kind, n, h = stacked.words.dtype, len(words), chosen.shape[1]
        of_words = affine(stacked.words_bias, words.to(kind), stacked.words)  # (n, 3h)
        of_fact = affine(stacked.fact_bias, chosen.to(kind), stacked.fact)  # (b, 3h)
        of_fact = torch.cat([of_fact[:rows] for rows in sizes])  # (n, 3h)
        by_context = DeferredLinear(torch.cat([of_words, of_fact], 1), stacked.context, sizes)
        by_state = DeferredLinear(stacked.state_bias.expand(n, -1), stacked.state, sizes)
        sides = [
            DeferredLinear(bias.expand(n, -1), side, sizes)
            for side, bias in zip(stacked.side, stacked.side_bias, strict=True)
        ]
        attend = DeferredMemory(source.memory, source.real, sizes)
        state, contexts, states = source.query, [], []
        for step, rows in enumerate(sizes):
            state = state[:rows]
            context = attend(step, state)  # c_t (rows, h)
            of_input, of_state = by_context(step, context), by_state(step, state)  # (rows, 6h)
            s = cell(of_input[:, : 3 * h], of_state[:, : 3 * h], state)  # GRU_y([e_t; c_t], h_{t-1})
            u = cell(of_input[:, 3 * h :], of_state[:, 3 * h :], state)  # GRU_k([k; c_t], h_{t-1})
            a, g = sides[0](step, s).tanh().to(state.dtype), sides[1](step, u).tanh().to(state.dtype)  # (rows, h)
            r = functional.linear(torch.cat([a, g], 1), stacked.gate, stacked.gate_bias).sigmoid()  # (rows, 1)
            state = torch.lerp(g, a, r.expand_as(a))  # r a + (1 - r) g
            contexts.append(context)
            states.append(state)
        return torch.cat(contexts), torch.cat(states)


class Postks(nn.Module):
    """The postks network: 17,544,801 + 1,902 v parameters at the published sizes."""

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

    def read(self, packed: Packed, precision: torch.dtype, order: Tensor | None = None) -> EncodedSource:
        """Encode sources; memory and mask are reordered by `order` (b,) if given."""
        forwards, backwards = self.context_gru(self.embedding(packed.tokens), packed, precision)
        query = torch.tanh(self.bridge(ends_of((forwards, backwards), packed)))  # x (b, h)
        states = torch.cat([forwards, backwards.index_select(0, packed.turned)], 1)  # (tokens, h)
        grid, real = packed.grid, packed.real
        if order is not None:
            grid, real = grid.index_select(0, order), real.index_select(0, order)
        return EncodedSource(functional.embedding(grid, states), real, query)  # padding is masked later

    def choose(
        self, batch: PostksBatch, query: Tensor | None, precision: torch.dtype, *, posterior: bool
    ) -> SelectedKnowledge:
        """Select knowledge of each sample by the posterior or the prior; `query` is x (b, h)."""
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
        return SelectedKnowledge(torch.einsum("bk,bkh->bh", weights, triples), weights, prior)

    def losses(
        self, batch: PostksBatch, *, bow_only: bool = False, precision: torch.dtype = torch.float32
    ) -> PostksLosses:
        """Return the losses of a batch with replies (section 4.2); with `bow_only` those of the first stage.

        Knowledge is selected by the posterior, in evaluation mode too: validation losses see the reply.
        """
        source = None
        if not bow_only or self.posterior is not None:
            source = self.read(batch.source, precision, None if batch.said is None else batch.said.order)
        knowledge = self.choose(batch, source.query if source else None, precision, posterior=True)
        bow = self._bow(batch, knowledge.chosen)
        if bow_only:
            nothing = bow.detach().new_zeros(batch.size)
            return PostksLosses(bow, bow.detach(), nothing.sum(), nothing.sum(), nothing, nothing)
        assert source is not None
        nll, costs, right = self._nll(batch, source, knowledge.chosen, precision)
        kl = self._kl(batch, knowledge)
        return PostksLosses(bow + nll + kl, bow.detach(), nll.detach(), kl.detach(), right, costs)  # equation (7)

    def _bow(self, batch: PostksBatch, chosen: Tensor) -> Tensor:
        """Return the bag-of-words loss: the selected knowledge alone predicts the words of the reply in any order."""
        logits = self.bow_second(torch.tanh(self.bow_first(chosen)))  # (b, v), once per sample
        sample_of = _sample_of_token(batch)
        end = batch.targets.numel()
        if self.size.loss == "summed":  # the target lacks its last padded column: the longest replies lose their end
            assert batch.said is not None
            end -= batch.said.sizes[-1]
            counted, token_weights = slice(None, end), logits.new_full((end,), 1 / batch.size)
        else:  # the words of the reply and nothing else
            counted, token_weights = slice(None), _token_weights(batch, 0) * (batch.targets != END)
        rows, words = sample_of[counted], batch.targets[counted]
        log_probs = logits.log_softmax(1)
        cost: Tensor = -(log_probs[rows, words] * token_weights).sum()
        return cost

    def _kl(self, batch: PostksBatch, knowledge: SelectedKnowledge) -> Tensor:
        """Return KL(q || p), with q detached: mean over all slots of the batch (summed) or real triples (averaged)."""
        assert knowledge.prior is not None
        q = knowledge.weights.detach()
        each = torch.xlogy(q, q) - q * torch.log(knowledge.prior + 1e-10)  # (b, k)
        if self.size.loss == "summed":
            return each.mean()
        return (each.sum(1) / batch.known.sum(1).clamp(min=1)).mean()  # equation (3), 1/N without the stray minus

    def _nll(
        self, batch: PostksBatch, source: EncodedSource, chosen: Tensor, precision: torch.dtype
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the decoder loss, and per sample -log P of its reply and its token accuracy."""
        said = batch.said
        assert said is not None
        ordered = source._replace(query=source.query.index_select(0, said.order))  # its memory is ordered already
        contexts, states = self.decoder(
            self.decoder.stack_weights(precision),
            self.embedding(said.tokens),
            chosen.index_select(0, said.order),
            ordered,
            said.sizes,
        )
        hidden = self.before_words(contexts, states, precision)  # (n, h)
        token_weights = (
            _token_weights(batch, 1)
            if self.size.loss == "averaged"
            else hidden.new_full((len(hidden),), 1 / batch.size)
        )
        found = entropy(
            hidden, self.output_second.weight, self.output_second.bias, batch.targets, token_weights, precision
        )
        sample_of = _sample_of_token(batch)
        costs = found.costs.new_zeros(batch.size).index_add(0, sample_of, found.costs)
        hits = (found.best == batch.targets).to(costs.dtype)
        right = costs.new_zeros(batch.size).index_add(0, sample_of, hits) / said.real.sum(1)
        return found.loss, costs, right

    def before_words(self, contexts: Tensor, states: Tensor, precision: torch.dtype) -> Tensor:
        """Return W_o1 Dropout([c_t; h_t]) + b_o1: (n, h), (n, h) -> (n, h)."""
        both = self.dropout(torch.cat([contexts.to(precision), states.to(precision)], 1))
        first = self.output_first
        return affine(first.bias.to(precision), both, first.weight.to(precision))


def _weights(query: Tensor, triples: Tensor, known: Tensor) -> Tensor:
    """Return softmax_i(query . k_i) over the real triples (b, k); zeros if there are none."""
    scores = torch.einsum("bh,bkh->bk", query, triples)
    scores = scores.masked_fill(~known, torch.finfo(scores.dtype).min)  # -inf would give NaN without triples
    return scores.softmax(1) * known


def _sample_of_token(batch: PostksBatch) -> Tensor:
    """Return the sample index of each reply token (n,)."""
    said = batch.said
    assert said is not None, "the batch has no replies"
    return torch.cat([said.order[:rows] for rows in said.sizes])


def _token_weights(batch: PostksBatch, ends: int) -> Tensor:
    """Return 1 / (b m) per token (n,), with m the words of its reply plus `ends`; equation (4)."""
    assert batch.said is not None
    words = batch.said.real.sum(1) - 1 + ends
    return 1 / (batch.size * words[_sample_of_token(batch)])
