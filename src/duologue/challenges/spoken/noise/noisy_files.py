"""Noisy copies of data files: the same format and keys, messages with recognition errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.formats.data_rules import KINDS, kind_of
from duologue.core.errors import FormatError
from duologue.core.records import Problem

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.challenges.spoken.noise.simulator import NoiseSimulator

_WANTED = ("dialogues", "samples")


def distort(path: Path, out: Path, simulator: NoiseSimulator) -> int:
    """Write a file of dialogues or of samples (test.json) with noise; return how many utterances it changed.

    A turn that many samples share has the same noise in each only where they share their dialogue: in test.json each
    sample is a dialogue of its own. Raises `FormatError` for a file of another kind, and `UsageError` where the
    regime cannot be told from samples.
    """
    kind = kind_of(files.read_decoded(path).value, _WANTED)
    if kind == "dialogues":
        dialogues = files.read_dialogues(path)
        noisy = [simulator.dialogue(one) for one in dialogues]
        files.write_dialogues(noisy, out)
        turns = [(one.turns, other.turns) for one, other in zip(dialogues, noisy, strict=True)]
    elif kind == "samples":
        examples = files.load(path)
        changed = [simulator.example(one) for one in examples]
        files.write_samples(changed, out)
        turns = [(one.sample.history, other.sample.history) for one, other in zip(examples, changed, strict=True)]
    else:
        expected = " or ".join(KINDS[one] for one in _WANTED)
        problem = Problem(rule="other-file", message=f"this is {KINDS[kind]}; expected {expected}")
        raise FormatError(path, [problem])
    return sum(one.text != other.text for before, after in turns for one, other in zip(before, after, strict=True))
