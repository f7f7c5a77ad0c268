"""What no system that answers should be below: constant sentences, and replies drawn by chance."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from duologue.challenges.conversation.formats.files import read_dialogues
from duologue.challenges.conversation.systems.mbr import mbr_index

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from duologue.core.records import Example

PROBE = "we are sorry to hear that . please send us a dm so we can look into this for you ."
"""The constant sentence with BLEU-4 0.2225 on the official test (specification, section 8.4)."""
_CENTRE = 1000  # replies among which the most central one is looked for


def constant(examples: Sequence[Example], source: Path) -> list[str]:  # noqa: ARG001  # the same for all texts
    """Say the probe, always."""
    return [PROBE] * len(examples)


def central(examples: Sequence[Example], source: Path) -> list[str]:
    """Say the training reply that agrees most with the others of its kind, always: a probe fitted to the text."""
    replies = sorted(_replies(source), key=lambda reply: hashlib.sha256(reply.encode()).digest())[:_CENTRE]
    chosen = replies[mbr_index([reply.split() for reply in replies], [1.0] * len(replies))]
    return [chosen] * len(examples)


def drawn(examples: Sequence[Example], source: Path) -> list[str]:
    """Say a training reply of the same kind of text, drawn by the sample's id."""
    replies = _replies(source)
    lots = (hashlib.sha256(f"drawn {one.sample.id}".encode()).digest() for one in examples)
    return [replies[int.from_bytes(lot[:8], "big") % len(replies)] for lot in lots]


def people(examples: Sequence[Example], source: Path) -> list[str]:  # noqa: ARG001  # the truth needs no training text
    """Say what the company said: the ceiling of what the judge of relevance can tell."""
    return [one.references[0].text or "" for one in examples]


def _replies(source: Path) -> list[str]:
    turns = (turn for one in read_dialogues(source) for turn in one.turns if turn.speaker == "system")
    return [" ".join(turn.text.split()) for turn in turns if turn.text.split()]


FLOORS: dict[str, Callable[[Sequence[Example], Path], list[str]]] = {
    "constant": constant,
    "central": central,
    "drawn": drawn,
    "people": people,
}
"""By name: replies from the samples and training text of the same kind."""
