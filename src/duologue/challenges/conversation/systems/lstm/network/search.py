"""Replies of an `EncDec`: the search of the released program (specification, section 9), and making and training one.

The beam goes on with the best words that are neither the end nor unknown; besides, each of its hypotheses is ended at
each step but the first. A hypothesis that was ended scores ln P + bonus x (words + 1); within the beam the bonus counts
nothing. All steps are always run, and the best of all that was ended is said: a reply is never empty.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from duologue.challenges.conversation.systems.lstm.network.encoder_decoder import (
    EncDec,
    TalkBatch,
    Turned,
    collate_talks,
)
from duologue.challenges.conversation.systems.lstm.network.layers import State, join_states
from duologue.core.errors import UsageError
from duologue.models.decode import Reply
from duologue.models.highest import highest
from duologue.models.train import Subject
from duologue.models.weights import first_weights
from duologue.models.words import BEGIN, END, PAD, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import Tensor

    from duologue.challenges.conversation.systems.lstm.network.encoder_decoder import EncDecSize

_TURN = 10_000  # tokens that a turn counts when talks of like length are put together: turns come first


def new_encdec(size: EncDecSize, seed: int) -> EncDec:
    """Return a network with the first weights of that seed; the chance of others is left alone."""
    with first_weights(seed):
        return EncDec(size)


def talk_learner(model: EncDec) -> Subject[Sequence[Turned], TalkBatch]:
    """Return what `train` needs: the mean of -ln P over the words of all replies, ends included (`choose="loss"`)."""
    return Subject(
        module=model, collate=collate_talks, loss=model, hits=None, length=_length, weight=_said, tokens=_tokens
    )


def _length(talk: Sequence[Turned]) -> int:
    return len(talk) * _TURN + _tokens(talk)


def _said(talk: Sequence[Turned]) -> float:
    return float(sum(len(turn.said) + 1 for turn in talk))


def _tokens(talk: Sequence[Turned]) -> int:
    return sum(len(turn.heard) + len(turn.said) for turn in talk)


def states_of(model: EncDec, talks: Sequence[Sequence[Turned]]) -> State:
    """Return the encoder's state after the last text of each talk, in their order; its replies come before that.

    The last `said` of a talk is not read.
    """
    order = sorted(range(len(talks)), key=lambda place: -len(talks[place]))
    last: dict[int, State] = {}
    state: State | None = None
    for turn, part in enumerate(collate_talks([talks[place] for place in order]).parts):
        rows = len(part.heard.order)
        state = model.read(part.heard, None if state is None else state.first(rows))
        for row in range(rows):
            if len(talks[order[row]]) == turn + 1:
                last[order[row]] = State(state.hidden[:, row : row + 1], state.cell[:, row : row + 1])
        if model.size.carry_answering == "decoder":
            state = model.speak(part.replies.before, state)[1]
    return join_states([last[place] for place in range(len(talks))])


@contextmanager
def using(model: EncDec, talks: Sequence[Sequence[Turned]]) -> Iterator[State]:
    """Give the state before the last reply of each talk to a block that searches, without learning, in one thread."""
    model.eval()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # on a busy machine two wait for each other at every step
    try:
        with torch.inference_mode():
            yield states_of(model, talks)
    finally:
        torch.set_num_threads(threads)


@torch.inference_mode()
def search(model: EncDec, said: State, *, width: int = 5, longest: int = 30, bonus: float = 1.0) -> list[list[Reply]]:
    """Return for each row up to `width` replies of one to `longest` - 1 words, best first.

    Raises `UsageError` for a beam without hypotheses, and where there is no room for a word and the end.
    """
    if width < 1 or longest < 2:
        raise UsageError(f"the search needs a width of at least 1 and 2 steps, found {width} and {longest}")
    b = said.hidden.shape[1]
    said = said.pick(torch.arange(b).repeat_interleave(width))
    total = torch.full((b, width), -torch.inf, dtype=torch.float64)
    total[:, 0] = 0.0  # hypotheses of a row are alike at first: one of them counts
    first = torch.arange(b).unsqueeze(1) * width  # (b, 1)
    tokens = torch.full((b * width,), END)
    steps: list[tuple[Tensor, Tensor]] = []
    ended: list[Tensor] = []
    for words in range(longest):
        told, said = model.step(said, tokens)
        log_p = told.double().view(b, width, -1)  # (b, width, v)
        if words:
            ended.append(total + log_p[:, :, END] + bonus * (words + 1))  # (b, width)
        log_p[:, :, [PAD, UNKNOWN, BEGIN, END]] = -torch.inf
        total, places = highest((total.unsqueeze(2) + log_p).flatten(1), width)  # (b, width)
        before, chosen = places // log_p.shape[2], places % log_p.shape[2]
        steps.append((before, chosen))
        said = said.pick((before + first).flatten())
        tokens = chosen.flatten()
    scores, places = highest(torch.cat(ended, 1), width)  # (b, width)
    rows = zip(scores.tolist(), places.tolist(), strict=True)
    return [_replies(steps, row, each, width, bonus) for row, each in enumerate(map(_pairs, rows))]


def _pairs(row: tuple[list[float], list[int]]) -> list[tuple[float, int]]:
    return [(score, place) for score, place in zip(*row, strict=True) if score > -torch.inf]


def _replies(
    steps: Sequence[tuple[Tensor, Tensor]], row: int, best: Sequence[tuple[float, int]], width: int, bonus: float
) -> list[Reply]:
    """Walk back from where the best hypotheses of a row were ended: place = (words - 1) * width + slot."""
    found = []
    for score, place in best:
        count, slot = place // width + 1, place % width
        words: list[int] = []
        for before, chosen in reversed(steps[:count]):
            words.append(int(chosen[row, slot]))
            slot = int(before[row, slot])
        found.append(Reply(words[::-1], score - bonus * (count + 1), score))
    return found
