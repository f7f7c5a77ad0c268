"""Decoding of autoregressive models: greedy search, beam search, nucleus sampling.

Shapes: b sources (rows), w beams per row, m = b w hypotheses, v tokens. Rows of a batch are independent of each other.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import torch

from duologue.core.errors import UsageError
from duologue.core.records import Record
from duologue.models.inference import demand_numbers
from duologue.models.topk import stable_topk
from duologue.models.vocabulary import BEGIN, END, PAD, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

State = TypeVar("State")
_IMPOSSIBLE = -torch.inf
_FIRST = 256  # tokens of a row that nucleus sampling orders first


class Steps(Protocol[State]):
    """An autoregressive model as decoding uses it."""

    def step(self, said: State, tokens: Tensor) -> tuple[Tensor, State]:
        """Return ln P of the next token of each hypothesis, (m, v), after its last `tokens` (m,), and the new state."""
        ...

    def pick(self, said: State, rows: Tensor) -> State:
        """Return the state of these hypotheses, in this order."""
        ...


class DecodingLimits(Record, frozen=True):
    """Constraints on generated replies."""

    longest: int = 40
    """Largest number of tokens of a reply."""
    shortest: int = 1
    """Tokens before a reply may end."""
    forbidden: tuple[int, ...] = (PAD, UNKNOWN, BEGIN)
    """Tokens that are never generated."""
    once: int = 0
    """Length of n-grams that may not be repeated within a reply; 0: no such constraint."""
    begin: int = BEGIN
    end: int = END


class Reply(NamedTuple):
    """A generated reply."""

    words: list[int]
    """Token ids, without the end token."""
    log_p: float
    """Sum of ln P over its tokens, the end token included where it was reached."""
    score: float
    """Length-normalised log_p, by which the replies to one source are ranked."""


def greedy(model: Steps[State], said: State, rows: int, limits: DecodingLimits) -> list[Reply]:
    """Return the greedy reply of each row; ties are broken by the lower token id."""
    return _single(model, said, rows, limits, lambda log_p, _: log_p.argmax(1))


def nucleus(
    model: Steps[State],
    said: State,
    seeds: Sequence[int],
    limits: DecodingLimits,
    *,
    top_p: float = 0.9,
    temperature: float = 1.0,
) -> list[Reply]:
    """Return a reply per row, its tokens drawn from the most probable ones whose probabilities sum to `top_p`.

    ln P is divided by `temperature` first. Each row draws from a stream of its own seed, whatever else is in the
    batch. Raises `UsageError` for a `top_p` outside ]0, 1] and a `temperature` that is not above 0.
    """
    if not 0 < top_p <= 1 or temperature <= 0:
        found = f"found top_p {top_p} and temperature {temperature}"
        raise UsageError(f"nucleus sampling needs 0 < top_p <= 1 and temperature > 0, {found}")
    streams = [Random(seed) for seed in seeds]

    def draw(log_p: Tensor, rows: list[int]) -> Tensor:
        ordered, words = _likeliest((log_p / temperature).softmax(-1), top_p)  # (m, v), or the first of each row
        total = ordered.cumsum(1)
        inside = (total - ordered < top_p).sum(1, keepdim=True)  # (m, 1); the token that reaches top_p is in
        drawn_at = torch.tensor([streams[row].random() for row in rows], device=log_p.device).unsqueeze(1)
        place = (total <= drawn_at * total.gather(1, inside - 1)).sum(1, keepdim=True)
        drawn: Tensor = words.gather(1, place.clamp(max=inside - 1)).squeeze(1)
        return drawn

    return _single(model, said, len(seeds), limits, draw)


def _likeliest(probabilities: Tensor, top_p: float) -> tuple[Tensor, Tensor]:
    """Return the largest probabilities of each row, at least as many as sum to `top_p`, and their tokens.

    They descend; of equal ones the lower token comes first. To sort them all took half of the time of a reply.
    """
    if probabilities.shape[1] > _FIRST:
        largest, tokens = stable_topk(probabilities, _FIRST)
        if bool((largest.cumsum(1)[:, -1] >= top_p).all()):
            return largest, tokens
    return probabilities.sort(stable=True, dim=1, descending=True)


def _single(
    model: Steps[State], said: State, rows: int, limits: DecodingLimits, choose: Callable[[Tensor, list[int]], Tensor]
) -> list[Reply]:
    """Say one reply for each row; `choose` takes ln P (m, v) of the rows that still speak, and their numbers."""
    words: list[list[int]] = [[] for _ in range(rows)]
    log_p = [0.0] * rows
    alive = list(range(rows))
    with torch.inference_mode():
        last = torch.full((rows,), limits.begin)
        for _ in range(limits.longest):
            if not alive:
                break
            log_probs, said = model.step(said, last)
            allowed = _masked(log_probs, limits, [words[row] for row in alive])
            stuck = (allowed == _IMPOSSIBLE).all(1)  # nothing may follow: the reply stops here
            chosen = choose(allowed.masked_fill(stuck.unsqueeze(1), 0.0), alive)
            gained = log_probs.gather(1, chosen.unsqueeze(1)).squeeze(1).tolist()
            stay = []
            for place, (word, more, stops) in enumerate(zip(chosen.tolist(), gained, stuck.tolist(), strict=True)):
                if stops:
                    continue
                log_p[alive[place]] += more
                if word != limits.end:
                    words[alive[place]].append(word)
                    stay.append(place)
            last = chosen
            if len(stay) < len(alive):
                alive = [alive[place] for place in stay]
                kept = torch.tensor(stay, dtype=torch.long, device=chosen.device)
                said, last = model.pick(said, kept), chosen[kept]
    return [Reply(found, total, total) for found, total in zip(words, log_p, strict=True)]


class _Beams:
    """What has become of each row: replies that ended, and how many still may."""

    def __init__(self, rows: int, width: int, length_power: float, *, patient: bool, longest: int) -> None:
        self.width, self.length_power, self.patient, self.longest = width, length_power, patient, longest
        self.ended: list[list[Reply]] = [[] for _ in range(rows)]

    def end(self, row: int, words: list[int], log_p: float, *, by_itself: bool) -> None:
        length = len(words) + by_itself
        self.ended[row].append(Reply(words, log_p, log_p / max(1, length) ** self.length_power))

    def done(self, row: int, best: float | None = None) -> bool:
        """Tell whether a row is done; `best` is ln P of its best beam, where all of its beams are known."""
        if len(self.ended[row]) < self.width:
            return False
        if not self.patient:
            return True
        if best is None:
            return False
        reached = sorted((one.score for one in self.ended[row]), reverse=True)[self.width - 1]
        most: float = best / (self.longest + 1) ** self.length_power  # that it may come to
        return reached >= most


def beam(
    model: Steps[State],
    said: State,
    rows: int,
    limits: DecodingLimits,
    *,
    width: int = 4,
    length_power: float = 0.0,
    patient: bool = False,
) -> list[list[Reply]]:
    """Return up to `width` replies for each row, best first, found by beam search.

    The length rule: replies are ordered by ln P / length ** `length_power`, the end counted; 0 is the plain sum, 1 the
    mean. A reply that ends among the `width` best continuations leaves the beam, which goes on until as many have
    ended or the limit is reached; one that is `patient` goes on until no other reply can come before as many, however
    unlikely the first were that ended. Of equal continuations that of the better beam comes first, then the word with
    the lowest number. An impatient beam of width 1 says what `greedy` says.
    """
    if width < 1:
        raise UsageError(f"a beam needs a width of at least 1, found {width}")
    found = _Beams(rows, width, length_power, patient=patient, longest=limits.longest)
    with torch.inference_mode():
        # beams of one row stand together; at first a row has one, of which nothing is said
        owner = list(range(rows))
        words: list[list[int]] = [[] for _ in owner]
        total = torch.zeros(rows, dtype=torch.float64)
        last = torch.full((rows,), limits.begin)
        for _ in range(limits.longest):
            if not owner:
                break
            log_probs, said = model.step(said, last)
            reached = total.unsqueeze(1) + _masked(log_probs, limits, words).double().cpu()  # (m, v)
            came, chosen, total = _spread(found, owner, words, total, reached, limits)
            owner = [owner[place] for place in came]
            words = [[*words[place], word] for place, word in zip(came, chosen, strict=True)]
            last = torch.tensor(chosen, dtype=torch.long, device=log_probs.device)
            said = model.pick(said, torch.tensor(came, dtype=torch.long, device=log_probs.device))
        for row, of_beam, log_p in zip(owner, words, total.tolist(), strict=True):
            found.end(row, of_beam, log_p, by_itself=False)
    return [sorted(replies, key=lambda one: -one.score)[:width] for replies in found.ended]


def _spread(
    found: _Beams, owner: list[int], words: list[list[int]], total: Tensor, reached: Tensor, limits: DecodingLimits
) -> tuple[list[int], list[int], Tensor]:
    """Return the beams that go on: where each came from, its next word, its ln P; what ends is kept in `found`."""
    came, chosen, totals = [], [], []
    v, first = reached.shape[1], 0
    while first < len(owner):
        row, after = owner[first], first
        while after < len(owner) and owner[after] == row:
            after += 1
        of_row = reached[first:after].flatten()  # (beams of the row * v)
        best, places = stable_topk(of_row.unsqueeze(0), min(2 * found.width, len(of_row)))
        going = 0
        for rank, (log_p, place) in enumerate(zip(best[0].tolist(), places[0].tolist(), strict=True)):
            origin, word = first + place // v, place % v
            if log_p == _IMPOSSIBLE or going == found.width or found.done(row):
                break
            if word != limits.end:
                came.append(origin)
                chosen.append(word)
                totals.append(log_p)
                going += 1
            elif rank < found.width:
                found.end(row, words[origin], log_p, by_itself=True)
        if best[0, 0] == _IMPOSSIBLE and not found.ended[row]:  # nothing may follow: the best beam stops here
            found.end(row, words[first], total[first].item(), by_itself=False)
        if going and found.done(row, totals[-going]):
            del came[-going:], chosen[-going:], totals[-going:]
        first = after
    return came, chosen, torch.tensor(totals, dtype=torch.float64)


def _masked(log_p: Tensor, limits: DecodingLimits, said: Sequence[Sequence[int]]) -> Tensor:
    """Return ln P (m, v) with -inf for what may not follow the words of each reply, all as many.

    Raises `StorageError` where the model gives no numbers.
    """
    demand_numbers(log_p)
    barred = [*limits.forbidden, *([limits.end] if said and len(said[0]) < limits.shortest else [])]
    allowed = log_p.index_fill(1, torch.tensor(barred, dtype=torch.long, device=log_p.device), _IMPOSSIBLE)
    if limits.once:
        for row, words in enumerate(said):
            allowed[row, _repeated(words, limits.once)] = _IMPOSSIBLE
    return allowed


def _repeated(words: Sequence[int], run: int) -> list[int]:
    """Return the words that would say a run of so many words again."""
    last = words[len(words) - run + 1 :]
    return [words[end] for end in range(run - 1, len(words)) if words[end - run + 1 : end] == last]
