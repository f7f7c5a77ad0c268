"""Neural candidate ranker with a belief tracker over the values that the user mentioned.

Shapes: b rows, t turns, u distinct utterances, l tokens, m mentions of values by the user, f fields,
c candidates, v values named by candidates, n numeric entries, k categories, d width, h hidden.

A candidate's score combines four parts. Its text: the utterance vector beside the dialogue state. Its values:
the belief in each, from a gate on every mention, where the latest accepted one wins. The field it asks for:
attention over the names of the fields, filled or open. The restaurant or item it names: embedded categories
such as "named third", "listed", "second highest".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from duologue.core.records import Record
from duologue.models.blocks import Dropout
from duologue.models.vocabulary import PAD, UNKNOWN

if TYPE_CHECKING:
    from torch import Tensor

    from duologue.challenges.restaurant.systems.ranker.network.batches import RankerBatch

SPEAKERS = 4
_DOUBT = 1e-3  # floor of the belief in a value that was never mentioned


class RankerSize(Record, frozen=True):
    """Sizes and dropout rates of a `DialogueRanker`."""

    vocabulary: int
    """Token numbers; 0 is padding, 1 the unknown word."""
    categories: tuple[int, ...]
    """Numbers per category of a candidate, in the order of `RankerRow.candidates`."""
    rankings: tuple[int, ...]
    """Numbers per ranking of a numeric value, in the order of `RankerRow.numeric`."""
    width: int = 64
    """d: of words, utterances and turns."""
    hidden: int = 128
    """h: of the layer that joins the four parts."""
    layers: int = 2
    """Convolutions over the tokens of an utterance."""
    dropout: float = 0.05
    """Dropout rate between layers."""
    word_dropout: float = 0.03
    """Share of tokens replaced by the unknown word in training."""
    markers: int = 2
    """Token numbers below this are never dropped: padding, unknown, and the markers of values and names."""


class EncodedUtterances(NamedTuple):
    """What the encoder makes of u utterances of w tokens in all."""

    states: Tensor
    """(w, d): of the tokens, utterance after utterance, without padding."""
    starts: Tensor
    """(u,): place of the first token of each utterance."""
    vectors: Tensor
    """(u, d)."""


class UtteranceEncoder(nn.Module):
    """Utterance encoder: tokens (u, l) -> token states and utterance vectors.

    Convolutions over the tokens, as products of those that are no padding, and the greatest and the mean of each
    utterance's states as reductions over segments: the padding takes no part in the work.
    """

    def __init__(self, size: RankerSize) -> None:
        super().__init__()
        self.size = size
        self.words = nn.Embedding(size.vocabulary, size.width, padding_idx=PAD)
        self.mix = nn.ModuleList([nn.Linear(3 * size.width, size.width) for _ in range(size.layers)])
        self.norm = nn.ModuleList([nn.LayerNorm(size.width) for _ in range(size.layers)])
        self.out = nn.Linear(2 * size.width, size.width)
        self.drop = Dropout(size.dropout)

    def forward(self, tokens: Tensor) -> EncodedUtterances:
        """Return token states and utterance vectors; in training some words are read as unknown."""
        real = tokens != PAD  # (u, l)
        lengths = real.sum(1)  # (u,)
        places = real.flatten().nonzero().squeeze(1)  # (w,)
        words = tokens.flatten()[places]
        if self.training and self.size.word_dropout:
            lost = (torch.rand(words.shape) < self.size.word_dropout) & (words >= self.size.markers)
            words = words.masked_fill(lost, UNKNOWN)
        first = (places % real.shape[1] == 0).unsqueeze(1)  # (w, 1): nothing stands before the first token
        last = functional.pad(first[1:], (0, 0, 0, 1), value=True)
        x = self.words(words)  # (w, d)
        for mix, norm in zip(self.mix, self.norm, strict=True):
            before = functional.pad(x[:-1], (0, 0, 1, 0)).masked_fill(first, 0.0)
            after = functional.pad(x[1:], (0, 0, 0, 1)).masked_fill(last, 0.0)
            x = norm(x + self.drop(torch.relu(mix(torch.cat([before, x, after], -1)))))
        highest = torch.segment_reduce(x, "max", lengths=lengths, initial=-1e4, unsafe=True)  # (u, d)
        total = torch.segment_reduce(x, "sum", lengths=lengths, initial=0.0, unsafe=True)
        mean = total / lengths.clamp(min=1).unsqueeze(1)
        vectors = torch.relu(self.out(torch.cat([highest, mean], -1)))
        return EncodedUtterances(x, lengths.cumsum(0) - lengths, vectors)


class BeliefTracker(nn.Module):
    """Belief tracker: probability that a mention is the value of its field; the latest accepted mention wins.

    p(m) = gate(m) * product over later mentions m' of the same field of (1 - gate(m')).
    """

    def __init__(self, size: RankerSize) -> None:
        super().__init__()
        self.gate = nn.Sequential(nn.Linear(2 * size.width, size.width), nn.ReLU(), nn.Linear(size.width, 1))

    def forward(self, batch: RankerBatch, said: EncodedUtterances) -> tuple[Tensor, Tensor]:
        """Return the belief in the values that candidates name (b, v), and how open each field is (b, f)."""
        said_in, position, field, value = batch.mentions.unbind(-1)  # each (b, m)
        of_token = functional.embedding(said.starts[said_in] + position, said.states)  # (b, m, d)
        seen = torch.cat([of_token, functional.embedding(said_in, said.vectors)], -1)  # (b, m, 2d)
        gate = self.gate(seen).squeeze(-1)
        accepted = functional.logsigmoid(gate).masked_fill(~batch.mention_mask, -1e4)
        refused = functional.logsigmoid(-gate).masked_fill(~batch.mention_mask, 0.0)
        places = torch.arange(gate.shape[1])
        later = (field.unsqueeze(2) == field.unsqueeze(1)) & (places.unsqueeze(1) < places)  # (b, m, m')
        believed = (accepted + torch.einsum("bij,bj->bi", later.float(), refused)).exp()  # (b, m)
        same = batch.values[..., 2].unsqueeze(2) == value.unsqueeze(1)  # (b, v, m)
        named = torch.einsum("bvm,bm->bv", same.float(), believed)
        unfilled = refused.new_zeros(batch.fields.shape).scatter_add(1, field, refused).exp()  # (b, f)
        return named, unfilled


class DialogueRanker(nn.Module):
    """Score the candidates of each row: `RankerBatch` -> (b, c), the higher the better."""

    category_starts: Tensor
    ranking_starts: Tensor

    def __init__(self, size: RankerSize) -> None:
        super().__init__()
        d, h = size.width, size.hidden
        self.size = size
        self.encoder = UtteranceEncoder(size)
        self.speakers = nn.Embedding(SPEAKERS, d)
        self.turns = nn.GRU(d, d, batch_first=True)
        self.belief = BeliefTracker(size)
        self.look_back = nn.Linear(2 * d, d)
        self.look_for = nn.Linear(d, d, bias=False)
        self.remember = nn.Linear(2 * d, 2 * d)
        self.recalled = nn.Linear(3 * d, h, bias=False)
        self.ask = nn.Linear(d, d)
        self.no_field = nn.Linear(d, 1)
        self.named_field = nn.Parameter(torch.tensor(2.0))
        self.numeric = nn.Linear(d, 1)
        self.state = nn.Linear(2 * d, h)
        self.said = nn.Linear(d, h)
        self.parts = nn.Linear(_SLOT_PARTS + _VALUE_PARTS, h, bias=False)
        self.categories = nn.Embedding(sum(size.categories), h)
        self.rankings = nn.Embedding(sum(size.rankings), h)
        nn.init.normal_(self.categories.weight, std=0.1)
        nn.init.normal_(self.rankings.weight, std=0.1)
        self.meet = nn.Sequential(
            nn.ReLU(), Dropout(size.dropout), nn.Linear(h, h), nn.ReLU(), Dropout(size.dropout), nn.Linear(h, 1)
        )
        self.match = nn.Linear(2 * d, d)
        self.belief_weight = nn.Parameter(torch.tensor(1.0))
        self.register_buffer("category_starts", _starts(size.categories), persistent=False)
        self.register_buffer("ranking_starts", _starts(size.rankings), persistent=False)

    def forward(self, batch: RankerBatch) -> Tensor:
        """Return the scores of the candidates, -1e9 where there is none."""
        utterances = self.encoder(batch.tokens)
        named, unfilled = self.belief(batch, utterances)
        said = functional.embedding(batch.candidates, utterances.vectors)  # (b, c, d)
        state, recalled = self._dialogue(batch, utterances.vectors, said)  # (b, 2d), (b, c, 3d)
        slot = self._slot(batch, said, unfilled)  # (b, c, .)
        value = self._value(batch, named, unfilled)  # (b, c, .)
        hidden = self.state(state).unsqueeze(1) + self.said(said) + self.recalled(recalled)
        hidden = hidden + self.parts(torch.cat([slot, value], -1))
        hidden = hidden + self._categories(batch) + self._numeric(batch)
        scores = self.meet(hidden).squeeze(-1)  # (b, c)
        scores = scores + torch.einsum("bd,bcd->bc", self.match(state), said) / self.size.width**0.5
        scores = scores + self.belief_weight * value[..., 0]
        out: Tensor = scores.masked_fill(~batch.candidate_mask, -1e9)
        return out

    def _dialogue(self, batch: RankerBatch, vectors: Tensor, said: Tensor) -> tuple[Tensor, Tensor]:
        """Return the state after the last turn, (b, 2d), and each candidate's attention over the turns, (b, c, 3d).

        A candidate attends to the turns, so that "here it is" finds the turn in which an option was accepted; and
        it sees the turn that answered when the restaurant it names was last named.
        """
        x = functional.embedding(batch.turns, vectors)  # (b, t, d)
        over_turns, _ = self.turns(x + self.speakers(batch.speakers))
        last = (batch.lengths - 1).view(-1, 1, 1).expand(-1, 1, x.shape[-1])
        state = torch.cat([over_turns.gather(1, last).squeeze(1), x.gather(1, last).squeeze(1)], -1)
        both = torch.cat([over_turns, x], -1)  # (b, t, 2d)
        keys, seen = self.remember(both).chunk(2, -1)  # each (b, t, d)
        query = self.look_back(state).unsqueeze(1) + self.look_for(said)  # (b, c, d)
        fit = torch.einsum("bcd,btd->bct", query, keys) / x.shape[-1] ** 0.5
        past = torch.arange(x.shape[1]) >= batch.lengths.unsqueeze(1)  # (b, t): padding
        weights = fit.masked_fill(past.unsqueeze(1), -1e4).softmax(-1)
        replied = both.gather(1, batch.replies.unsqueeze(-1).expand(-1, -1, both.shape[-1]))  # (b, c, 2d)
        return state, torch.cat([torch.einsum("bct,btd->bcd", weights, seen), replied], -1)

    def _slot(self, batch: RankerBatch, said: Tensor, unfilled: Tensor) -> Tensor:
        """Return features of the field that a candidate asks for, (b, c, 5)."""
        names = self.encoder.words(batch.fields)  # (b, f, d)
        fit = torch.einsum("bcd,bfd->bcf", self.ask(said), names) / self.size.width**0.5
        fit = (fit + self.named_field * batch.links).masked_fill(~batch.field_mask.unsqueeze(1), -1e4)
        link = torch.cat([fit, self.no_field(said)], -1).softmax(-1)[..., :-1]  # (b, c, f)
        link = link * batch.candidate_mask.unsqueeze(-1)
        open_ = link * unfilled.unsqueeze(1)  # (b, c, f)
        asked = open_.sum(1)  # (b, f): how many candidates ask for the open field
        before = asked.cumsum(1) - asked
        after = asked.sum(1, keepdim=True) - before - asked
        return torch.stack(
            [
                link.sum(-1),
                open_.sum(-1),
                torch.einsum("bcf,bf->bc", link, before),
                torch.einsum("bcf,bf->bc", link, after),
                (open_ * (torch.arange(link.shape[-1]) / 10)).sum(-1),
            ],
            -1,
        )

    def _value(self, batch: RankerBatch, named: Tensor, unfilled: Tensor) -> Tensor:
        """Return features of the belief in the values that a candidate names, (b, c, 4)."""
        where, field, _ = batch.values.unbind(-1)  # each (b, v)
        real = batch.value_mask.float()
        log_p = (named + _DOUBT).clamp(max=1.0).log() * real
        filled = 1 - unfilled  # (b, f)
        empty = log_p.new_zeros(batch.candidates.shape)
        total = empty.scatter_add(1, where, log_p)
        count = empty.scatter_add(1, where, real)
        covered = empty.scatter_add(1, where, filled.gather(1, field) * real)
        missing = (filled.sum(1, keepdim=True) - covered) * (count > 0)
        return torch.stack([total, (total / 5).exp() * (count > 0), count / 5, missing / 5], -1)

    def _categories(self, batch: RankerBatch) -> Tensor:
        """Return the sum of the embeddings of each candidate's categories, (b, c, h)."""
        has = self.categories.weight.new_zeros((*batch.codes.shape[:2], len(self.categories.weight)))
        return has.scatter(2, batch.codes + self.category_starts, 1.0) @ self.categories.weight

    def _numeric(self, batch: RankerBatch) -> Tensor:
        """Return the rank embedding of a candidate's restaurant, weighted over its numeric fields, (b, c, h)."""
        where, name = batch.numeric[..., 0], batch.numeric[..., 1]  # (b, n)
        weight = (self.numeric(self.encoder.words(name)).squeeze(-1)).exp() * batch.numeric_mask  # (b, n)
        rows, columns = batch.candidates.shape
        total = weight.new_zeros(rows, columns).scatter_add(1, where, weight)  # (b, c)
        share = weight / total.gather(1, where).clamp(min=1e-6)
        sizes = len(self.rankings.weight)
        ranks = batch.numeric[..., 2:] + self.ranking_starts + where.unsqueeze(-1) * sizes  # (b, n, q)
        has = share.new_zeros(rows, columns * sizes)
        has = has.scatter_add(1, ranks.flatten(1), share.unsqueeze(-1).expand_as(ranks).flatten(1))
        ranked: Tensor = has.view(rows, columns, sizes) @ self.rankings.weight
        return ranked


_SLOT_PARTS = 5
_VALUE_PARTS = 4


def _starts(sizes: tuple[int, ...]) -> Tensor:
    """Return where each category begins in their common table, (k,)."""
    return torch.tensor([sum(sizes[:index]) for index in range(len(sizes))], dtype=torch.int64)
