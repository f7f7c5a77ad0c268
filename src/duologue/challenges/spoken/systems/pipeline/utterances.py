"""Training utterances of the entity tagger: every utterance of a dialogue once, entity mentions labelled."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.spoken.systems.training_data import gold_facts
from duologue.knowledge.normalization import without_suffix

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.records import Example


class LabelledUtterance(NamedTuple):
    """An utterance with its entity mentions."""

    text: str
    names: tuple[tuple[int, int], ...]
    """Spans of the mentions: start and end (exclusive), in order, without overlap."""


def labelled_utterances(examples: Sequence[Example]) -> list[LabelledUtterance]:
    """Return the utterances of all dialogues, each once per dialogue, mentions labelled by exact match."""
    texts: dict[str, dict[str, None]] = {}
    names: dict[str, dict[str, None]] = {}
    for one in examples:
        dialogue = texts.setdefault(one.sample.dialogue_id, {})
        dialogue.update((turn.text, None) for turn in one.sample.history)
        dialogue.update((reference.text, None) for reference in one.references if reference.text)
        known = names.setdefault(one.sample.dialogue_id, {})
        known.update((without_suffix(fact.subject), None) for fact in gold_facts(one))
    return [
        LabelledUtterance(text, tuple(_places(text, sorted(names[dialogue], key=lambda name: (-len(name), name)))))
        for dialogue, of_dialogue in texts.items()
        for text in of_dialogue
        if text.strip()
    ]


def balanced(lines: Sequence[LabelledUtterance]) -> list[LabelledUtterance]:
    """Return the utterances with mentions and as many of the others, drawn by hash.

    Five in six hold none: they cost most of a tagger's time, and what it marks too much no graph knows.
    """
    named = [line for line in lines if line.names]
    others = sorted((line for line in lines if not line.names), key=lambda line: sha256(line.text.encode()).digest())
    return [*named, *others[: len(named)]]


def _places(text: str, names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of names in a text by longest match."""
    place = 0
    while place < len(text):
        name = next((name for name in names if name and text.startswith(name, place)), None)
        if name is not None:
            yield place, place + len(name)
        place += len(name) if name is not None else 1
