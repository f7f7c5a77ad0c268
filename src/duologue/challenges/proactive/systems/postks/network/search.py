"""Search of replies as the generation baseline does it (specification, section 4.3), greedy and beam.

The score of a hypothesis is the mean log-probability of its tokens. One that ends leaves the beam; one that says the
unknown word is dead from the next step on. In greedy search a reply thus ends with its first end or unknown word. What
a beam returns is odd and kept so: hypotheses that ended are met from the last step back, in a step from the last slot
back, and the n-th met (from 0) takes the place of result slot width - 1 - n mod width, whatever stands there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import torch
from torch.nn import functional

from duologue.challenges.proactive.systems.postks.network.batch import BEGIN, END, UNKNOWN
from duologue.challenges.proactive.systems.postks.network.model import Source
from duologue.models.highest import highest

if TYPE_CHECKING:
    from torch import Tensor

    from duologue.challenges.proactive.systems.postks.network.batch import Batch
    from duologue.challenges.proactive.systems.postks.network.model import Postks

MOST = 30
"""Tokens of a reply at most, its end included."""


class Found(NamedTuple):
    """A reply as the search found it."""

    tokens: tuple[int, ...]
    """With its end, where it has one."""
    score: float
    """Mean log-probability; -inf for one without a live hypothesis."""


class _Step(NamedTuple):
    """What one step left: scores, tokens and slots of the step before, each (b, width)."""

    scores: Tensor
    tokens: Tensor
    before: Tensor


@torch.inference_mode()
def search(
    model: Postks,
    batch: Batch,
    *,
    width: int = 1,
    most: int = MOST,
    knowledge: Literal["prior", "posterior"] = "prior",
) -> list[Found]:
    """Return the best reply to each sample; `width` 1 is greedy search.

    The test program chooses knowledge by the prior. The replies that the training program writes on its way are by the
    posterior, which sees the true reply: `batch` must have replies then. The model is put in evaluation mode.
    """
    model.eval()
    precision = torch.float32
    source = model.read(batch.source, precision)
    chosen = model.choose(batch, source.query, precision, posterior=knowledge == "posterior").chosen
    woven = model.decoder.weave(precision)
    b = batch.size
    state, chosen = source.query.repeat_interleave(width, 0), chosen.repeat_interleave(width, 0)  # (b width, h)
    memory, real = source.memory.repeat_interleave(width, 0), source.real.repeat_interleave(width, 0)
    tokens = torch.full((b * width,), BEGIN, device=state.device)
    first = torch.arange(b, device=state.device).unsqueeze(1) * width  # (b, 1)
    scores = state.new_full((b, width), -torch.inf)
    scores[:, 0] = 0.0  # the slots of a sample are alike at first: one of them counts
    steps: list[_Step] = []
    for step in range(1, most + 1):
        context, state = model.decoder(
            woven, model.embedding(tokens), chosen, Source(memory, real, state), (b * width,)
        )
        hidden = model.before_words(context, state, precision)
        logits = functional.linear(hidden, model.output_second.weight, model.output_second.bias)
        chances = logits.log_softmax(1).view(b, width, -1)  # (b, width, v)
        running = scores.unsqueeze(2) * (1 - 1 / step) + chances / step if step > 1 else scores.unsqueeze(2) + chances
        kept, places = highest(running.flatten(1), width)  # (b, width)
        before, said = places // chances.shape[2], places % chances.shape[2]
        steps.append(_Step(kept, said, before))
        scores = kept.masked_fill((said == END) | (said == UNKNOWN), -torch.inf)
        if not torch.isfinite(scores).any():
            break
        tokens = said.flatten()
        state = state.index_select(0, (before + first).flatten())
    final = scores if len(steps) < most else steps[-1].scores  # cut short: all that did not end is dead
    return [_result([_Step(*(part[at].cpu() for part in one)) for one in steps], final[at].cpu()) for at in range(b)]


def _result(steps: list[_Step], last: Tensor) -> Found:
    """Return the reply that the official walk back over one sample's steps gives; parts and `last` are (width,)."""
    width = len(last)
    final, slots = (one[0] for one in highest(last.unsqueeze(0), width))
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
    return Found(tuple(_cut(reply)), scores[best])


def _cut(reply: list[int]) -> list[int]:
    """Return a reply up to its first end or unknown word: what follows either is chance."""
    stop = next((place for place, token in enumerate(reply) if token in {END, UNKNOWN}), len(reply) - 1)
    return reply[: stop + 1]
