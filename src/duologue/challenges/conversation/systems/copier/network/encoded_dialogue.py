"""Dialogues as token ids with speakers and targets: the input of the decoder of system `copy`.

A system turn is wrapped in BEGIN and END, user turns are bare tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.models.decoder_lm import TokenBatch
from duologue.models.tokens import padded
from duologue.models.vocabulary import BEGIN, END, PAD, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

USER, SYSTEM = 0, 1
"""Speaker ids."""


class EncodedDialogue(NamedTuple):
    """A dialogue, or its last turns, as token ids, with speaker and target of each token."""

    words: Sequence[int]
    speakers: Sequence[int]
    """`USER` or `SYSTEM`."""
    wanted: Sequence[int] = ()
    """Target after each token; PAD where there is none. Empty at inference."""


def encode_reply(words: Sequence[int], known: set[int], vocabulary: int) -> EncodedDialogue:
    """Encode a system turn as BEGIN, its tokens and END, with the next token as the target.

    A token that is neither in the vocabulary nor among the preceding ones (`known`) cannot be generated: its target is
    the unknown token.
    """
    seen, wanted = set(known), []
    for word in words:
        wanted.append(word if word < vocabulary or word in seen else UNKNOWN)
        seen.add(word)
    return EncodedDialogue([BEGIN, *words, END], [SYSTEM] * (len(words) + 2), [*wanted, END, PAD])


def collate_dialogues(dialogues: Sequence[EncodedDialogue]) -> TokenBatch:
    """Pad dialogues to a batch; those without targets get PAD."""
    return TokenBatch(
        padded([dialogue.words for dialogue in dialogues]),
        padded([dialogue.speakers for dialogue in dialogues]),
        padded([dialogue.wanted or [PAD] * len(dialogue.words) for dialogue in dialogues]),
    )
