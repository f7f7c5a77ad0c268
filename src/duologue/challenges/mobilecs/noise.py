"""Noise on calls: labels stay where their words are, and have the words that are there now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.mobilecs.formats import files, track2
from duologue.challenges.mobilecs.formats.issues import Issues
from duologue.challenges.mobilecs.schema.ontology import USER_TEXT
from duologue.core import disk
from duologue.text.noise.spans import moved_annotation, stretches_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.records import Answer, Example, Turn
    from duologue.text.noise.speech_channel import SpeechChannel

REGIMES = ("user", "both")
"""Noise on the user's side of a call, or on both."""


def distort_calls(path: Path, out: Path, regime: str, channel: SpeechChannel) -> int:
    """Write a raw file, annotated or bare, with noise; return how many utterances changed."""
    made, changed = [], 0
    for dialogue in files.load_raw(path):
        turns = tuple(
            channel.turn(turn, dialogue=dialogue.id, at=at) if _touches(turn, regime) else turn
            for at, turn in enumerate(dialogue.turns)
        )
        changed += sum(one.text != other.text for one, other in zip(dialogue.turns, turns, strict=True))
        made.append(msgspec.structs.replace(dialogue, turns=turns))
    files.write_annotated(made, out)
    return changed


def distort_turns(path: Path, out: Path, channel: SpeechChannel) -> int:
    """Write a track 2 file with noise on the user's turns; return how many changed."""
    issues = Issues()
    rows = files.decode(path, issues)
    named = track2.read_rows(rows, issues)
    files.raise_or_log(path, issues)
    made, changed = [], 0
    for name, row in named:
        content: list[dict[str, Any]] = []
        for at, turn in enumerate(row["content"]):
            text = channel.say(turn[USER_TEXT], dialogue=name, at=at).text
            changed += text != turn[USER_TEXT]
            content.append({**turn, USER_TEXT: text})
        made.append({**row, "content": content})
    disk.write_bytes(out, files.dump(made))
    return changed


def noisy_call(example: Example, channel: SpeechChannel) -> Example:
    """Return a track 1 example with noise on the user's side, and its references where their words are now."""
    sample, references = example.sample, example.references
    history = []
    for at, turn in enumerate(sample.history):
        if not _touches(turn, REGIMES[0]):
            history.append(turn)
            continue
        spans = [span for one in references for span in stretches_of(one.annotation, at)]
        noisy = channel.say(turn.text, spans, dialogue=sample.dialogue_id, at=at)
        history.append(msgspec.structs.replace(turn, text=noisy.text))
        references = _moved(references, noisy.text, noisy.spans, at)
    sample = msgspec.structs.replace(sample, history=tuple(history))
    return msgspec.structs.replace(example, sample=sample, references=references)


def _moved(references: Sequence[Answer], text: str, spans: Sequence[tuple[int, int]], at: int) -> tuple[Answer, ...]:
    made, left = [], list(spans)
    for one in references:
        count = len(stretches_of(one.annotation, at))
        moved = None if one.annotation is None else moved_annotation(one.annotation, text, left[:count], at)
        made.append(msgspec.structs.replace(one, annotation=moved))
        left = left[count:]
    return tuple(made)


def _touches(turn: Turn, regime: str) -> bool:
    return regime == "both" or turn.speaker == "user"
