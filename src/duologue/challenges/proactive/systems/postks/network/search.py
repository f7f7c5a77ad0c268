"""Greedy and beam search as in the generation baseline (specification, section 4.3).

The score of a hypothesis is the mean log-probability of its tokens. A finished hypothesis leaves the beam; one with the
unknown word is dead from the next step on. So a greedy reply ends with its first end or unknown word. The backtracking
of the beam is odd and kept so: finished hypotheses are visited from the last step back, within a step from the last
slot back, and the n-th visited (from 0) overwrites result slot width - 1 - n mod width.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import torch
from torch.nn import functional

from duologue.challenges.proactive.systems.postks.network.model import EncodedSource
from duologue.models.fixed_beam import BeamStep, FixedBeam
from duologue.models.topk import stable_topk
from duologue.models.vocabulary import BEGIN, END, UNKNOWN

if TYPE_CHECKING:
    from torch import Tensor

    from duologue.challenges.proactive.systems.postks.network.batch import PostksBatch
    from duologue.challenges.proactive.systems.postks.network.model import Postks

LONGEST_REPLY = 30
"""Maximum tokens of a reply, its end included."""


class DecodedReply(NamedTuple):
    """A decoded reply and its score."""

    tokens: tuple[int, ...]
    """Token ids, including the end if there is one."""
    score: float
    """Mean log-probability; -inf for one without a live hypothesis."""


@torch.inference_mode()
def search(
    model: Postks,
    batch: PostksBatch,
    *,
    width: int = 1,
    limit: int = LONGEST_REPLY,
    knowledge: Literal["prior", "posterior"] = "prior",
) -> list[DecodedReply]:
    """Return the best reply to each sample; `width` 1 is greedy search.

    The released test program chooses knowledge by the prior. The replies that its training program prints use the
    posterior, which sees the reference: `batch` must have replies then. The model is put in evaluation mode.
    """
    model.eval()
    precision = torch.float32
    source = model.read(batch.source, precision)
    chosen = model.choose(batch, source.query, precision, posterior=knowledge == "posterior").chosen
    stacked = model.decoder.stack_weights(precision)
    b = batch.size
    state, chosen = source.query.repeat_interleave(width, 0), chosen.repeat_interleave(width, 0)  # (b width, h)
    memory, real = source.memory.repeat_interleave(width, 0), source.real.repeat_interleave(width, 0)
    tokens = torch.full((b * width,), BEGIN, device=state.device)
    beam = FixedBeam(b, width, dtype=state.dtype, device=state.device)
    for step in range(1, limit + 1):
        context, state = model.decoder(
            stacked, model.embedding(tokens), chosen, EncodedSource(memory, real, state), (b * width,)
        )
        hidden = model.before_words(context, state, precision)
        logits = functional.linear(hidden, model.output_second.weight, model.output_second.bias)
        log_probs = logits.log_softmax(1).view(b, width, -1)  # (b, width, v)
        before = beam.scores.unsqueeze(2)
        tokens, rows = beam.extend(before * (1 - 1 / step) + log_probs / step if step > 1 else before + log_probs)
        dead = (tokens == END) | (tokens == UNKNOWN)
        beam.scores = beam.scores.masked_fill(dead.view(b, width), -torch.inf)
        if not torch.isfinite(beam.scores).any():
            break
        state = state.index_select(0, rows)
    steps = beam.steps
    final = beam.scores if len(steps) < limit else steps[-1].scores  # stopped early: every unfinished one is dead
    return [_result([BeamStep(*(part[at].cpu() for part in one)) for one in steps], final[at].cpu()) for at in range(b)]


def _result(steps: list[BeamStep], last: Tensor) -> DecodedReply:
    """Return the reply by the official backtracking over one sample's steps; parts and `last` are (width,)."""
    width = len(last)
    final, slots = (one[0] for one in stable_topk(last.unsqueeze(0), width))
    scores, pointers = final.tolist(), slots.tolist()
    replies: list[list[int]] = [[] for _ in range(width)]
    ended = 0
    for step in reversed(steps):
        tokens, before = step.tokens.tolist(), step.before.tolist()
        for slot, pointer in enumerate(pointers):
            replies[slot].append(tokens[pointer])
            pointers[slot] = before[pointer]
        for place in reversed(range(width)):
            if tokens[place] == END and torch.isfinite(step.scores[place]):
                slot = width - 1 - ended % width
                ended += 1
                scores[slot], replies[slot], pointers[slot] = step.scores[place].item(), [END], before[place]
    best = max(range(width), key=lambda slot: scores[slot])
    reply = replies[best][::-1]
    return DecodedReply(tuple(_cut(reply)), scores[best])


def _cut(reply: list[int]) -> list[int]:
    """Cut a reply after its first end or unknown word; what follows is meaningless."""
    stop = next((place for place, token in enumerate(reply) if token in {END, UNKNOWN}), len(reply) - 1)
    return reply[: stop + 1]
