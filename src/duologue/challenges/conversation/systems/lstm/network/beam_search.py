"""Beam search of the released program for an `EncoderDecoder` (specification, section 9); construction and training.

Hypotheses are extended by the best tokens other than END and UNKNOWN; besides, every hypothesis is completed with END
at each step but the first. A completed hypothesis scores ln P + bonus x (tokens + 1); the bonus does not affect the
ordering within the beam. All steps are run, and the best completed hypothesis is returned: it is never empty.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Literal

import torch

from duologue.challenges.conversation.systems.lstm.network.encoder_decoder import (
    DialogueBatch,
    EncodedTurn,
    EncoderDecoder,
    collate_dialogues,
)
from duologue.challenges.conversation.systems.lstm.network.layers import LstmState, join_states
from duologue.core.errors import UsageError
from duologue.models.decode import Reply
from duologue.models.fixed_beam import FixedBeam
from duologue.models.inference import inference
from duologue.models.topk import stable_topk
from duologue.models.train import TrainingTask
from duologue.models.vocabulary import BEGIN, END, PAD, UNKNOWN
from duologue.models.weights import first_weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import Tensor

    from duologue.challenges.conversation.systems.lstm.network.encoder_decoder import EncoderDecoderConfig

Precision = Literal["float32", "bfloat16"]
_TURN = 10_000  # length of a turn in tokens when dialogues are bucketed: turns before tokens


def new_encoder_decoder(size: EncoderDecoderConfig, seed: int) -> EncoderDecoder:
    """Return a network initialised by `seed`, without touching the global random state."""
    with first_weights(seed):
        return EncoderDecoder(size)


def training_subject(
    model: EncoderDecoder, precision: Precision = "float32"
) -> TrainingTask[Sequence[EncodedTurn], DialogueBatch]:
    """Return the training subject: mean negative log-likelihood over reply tokens, END included (`choose="loss"`).

    Matrix products are in `precision`, on held-out dialogues too.
    """
    return TrainingTask(
        module=model,
        collate=collate_dialogues,
        loss=partial(_loss, model, precision),
        hits=None,
        length=_length,
        weight=_targets,
        tokens=_tokens,
    )


def _loss(model: EncoderDecoder, precision: Precision, batch: DialogueBatch) -> Tensor:
    with torch.autocast(model.out.weight.device.type, enabled=False):  # the layers choose what is narrowed
        loss: Tensor = model(batch, torch.bfloat16 if precision == "bfloat16" else torch.float32)
        return loss


def _length(dialogue: Sequence[EncodedTurn]) -> int:
    return len(dialogue) * _TURN + _tokens(dialogue)


def _targets(dialogue: Sequence[EncodedTurn]) -> float:
    return float(sum(len(turn.target) + 1 for turn in dialogue))


def _tokens(dialogue: Sequence[EncodedTurn]) -> int:
    return sum(len(turn.source) + len(turn.target) for turn in dialogue)


def encoder_states(model: EncoderDecoder, dialogues: Sequence[Sequence[EncodedTurn]]) -> LstmState:
    """Return the encoder's state after the last utterance of each dialogue, in order, replies before it included.

    The last reply of a dialogue is not read.
    """
    order = sorted(range(len(dialogues)), key=lambda place: -len(dialogues[place]))
    last: dict[int, LstmState] = {}
    state: LstmState | None = None
    for turn, part in enumerate(collate_dialogues([dialogues[place] for place in order]).parts):
        rows = len(part.source.order)
        state = model.read(part.source, None if state is None else state.first(rows))
        for row in range(rows):
            if len(dialogues[order[row]]) == turn + 1:
                last[order[row]] = LstmState(state.hidden[:, row : row + 1], state.cell[:, row : row + 1])
        if model.size.carry_answering == "decoder":
            state = model.speak(part.replies.before, state)[1]
    return join_states([last[place] for place in range(len(dialogues))])


@contextmanager
def encoded(model: EncoderDecoder, dialogues: Sequence[Sequence[EncodedTurn]]) -> Iterator[LstmState]:
    """Context manager: encoder states of dialogues in inference mode, in one thread."""
    with inference(model):
        yield encoder_states(model, dialogues)


@torch.inference_mode()
def beam_search(
    model: EncoderDecoder, said: LstmState, *, width: int = 5, longest: int = 30, bonus: float = 1.0
) -> list[list[Reply]]:
    """Return for each row up to `width` replies of 1 to `longest` - 1 tokens, best first.

    Raises `UsageError` for a width below 1, or fewer than 2 steps.
    """
    if width < 1 or longest < 2:
        raise UsageError(f"the beam_search needs a width of at least 1 and 2 steps, found {width} and {longest}")
    b = said.hidden.shape[1]
    said = said.pick(torch.arange(b).repeat_interleave(width))
    beam = FixedBeam(b, width, dtype=torch.float64)
    tokens = torch.full((b * width,), END)
    ended: list[Tensor] = []
    for words in range(longest):
        log_p_next, said = model.step(said, tokens)
        log_p = log_p_next.double().view(b, width, -1)  # (B, width, V)
        if words:
            ended.append(beam.scores + log_p[:, :, END] + bonus * (words + 1))  # (B, width)
        log_p[:, :, [PAD, UNKNOWN, BEGIN, END]] = -torch.inf
        tokens, rows = beam.extend(beam.scores.unsqueeze(2) + log_p)
        said = said.pick(rows)
    scores, places = stable_topk(torch.cat(ended, 1), width)  # (B, width)
    pairs = [zip(*of_row, strict=True) for of_row in zip(scores.tolist(), places.tolist(), strict=True)]
    return [
        [_reply(beam, row, place, width, score, bonus) for score, place in of_row if score > -torch.inf]
        for row, of_row in enumerate(pairs)
    ]


def _reply(beam: FixedBeam, row: int, place: int, width: int, score: float, bonus: float) -> Reply:
    """Return a completed hypothesis: place = (tokens - 1) * width + slot."""
    count = place // width + 1
    return Reply(beam.tokens(row, place % width, count), score - bonus * (count + 1), score)
