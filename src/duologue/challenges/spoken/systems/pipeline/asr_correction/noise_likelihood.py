"""Log-likelihood of a recognition error under the noise model: how likely the noise is to make it at this position.

The position of an error depends on the length of the utterance alone (`noise_table`), so a stray full stop after the
eighth of fourteen characters is told from a full stop that was meant.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from duologue.challenges.spoken.noise import noise_table as table
from duologue.challenges.spoken.noise.noise_table import FORMS
from duologue.core.sums import added
from duologue.text.words import words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.spoken.systems.pipeline.asr_correction.edits import Edit

_LEAST = 0.0003
"""Floor of the likelihood: a position that no fraction of the table gives is drawn uniformly."""


def noise_log_likelihood(text: str, edit: Edit) -> float:
    """Return ln of the share of utterances in which the noise would have turned the corrected text into `text`.

    Kinds that are no recipe of their own (a final mark, a deleted character) give 0.
    """
    if edit.kind not in _SHARES:
        return 0.0
    return math.log(max(_SHARES[edit.kind](text, edit), _LEAST))


@cache
def _places(name: str, column: int, n: int) -> Mapping[int, float]:
    """Return the probability of each position among `n` under the fractions in a column of a table."""
    rows: Sequence[tuple[float | str, ...]] = getattr(table, name)
    total = added(float(row[0]) for row in rows)
    found: dict[int, float] = {}
    for row in rows:
        at = int(float(row[column]) * (1 << n.bit_length()))
        found[at] = found.get(at, 0.0) + float(row[0]) / total
    return found


@cache
def _particles(name: str) -> Mapping[str, float]:
    rows: Sequence[tuple[float | str, ...]] = getattr(table, name)
    total = added(float(row[0]) for row in rows)
    found: dict[str, float] = {}
    for row in rows:
        found[str(row[-1])] = found.get(str(row[-1]), 0.0) + float(row[0]) / total
    return found


def _bare(text: str) -> bool:
    return all(sign == "。" or sign not in table.MARKS for sign in text)


def _repeat(text: str, edit: Edit) -> float:
    n = len(text) - 1
    if _bare(text):
        # The stop, where it still stands, came after the repetition.
        inner = n - text.count("。")
        at = edit.start - text[: edit.start].count("。")
        return FORMS["stop+repeat"] * _places("STOPPED_REPEATS", 1, inner).get(at, 0.0)
    once = FORMS["repeat"] * _places("REPEATS", 1, n).get(edit.start, 0.0)
    return once + FORMS["repeat+delete"] * _places("DELETIONS", 2, n).get(edit.start, 0.0)


def _stop(text: str, edit: Edit) -> float:
    n = len(text) - 1
    if _bare(text):
        return FORMS["stop+repeat"] * _places("STOPPED_REPEATS", 2, n).get(edit.start, 0.0)
    return FORMS["stop"] * _places("STOPS", 1, n).get(edit.start, 0.0)


def _tail(text: str, edit: Edit) -> float:
    sign = text[edit.start]
    swapped = FORMS["swap+particle"] * _particles("SWAPS_WITH_PARTICLE").get(sign, 0.0)
    return swapped + (FORMS["tail"] + FORMS["repeat+tail"]) * _particles("TAILS").get(sign, 0.0)


def _filler(text: str, edit: Edit) -> float:
    n = len(text) - 1
    total = added(weight for weight, _, _ in table.FILLERS)
    here = added(
        weight
        for weight, fraction, sound in table.FILLERS
        if sound == text[edit.start] and int(fraction * (1 << n.bit_length())) == edit.start
    )
    return FORMS["filler"] * here / total


def _swap(text: str, edit: Edit) -> float:
    cut = words(edit.apply(text))
    at, start = 0, 0
    while at < len(cut) and start < edit.start:
        start += len(cut[at])
        at += 1
    if start != edit.start or at + 1 >= len(cut) or start + len(cut[at]) + len(cut[at + 1]) != edit.end:
        return 0.0
    if text[edit.start : edit.start + len(cut[at + 1])] != cut[at + 1]:
        return 0.0
    second, n = at + 1, len(cut)
    plain = FORMS["swap"] * (_places("SWAPS", 1, n).get(second, 0.0) + (second == 1) * _places("SWAPS", 1, n)[0])
    places = _places("SWAPS_WITH_PARTICLE", 1, n)
    return plain + FORMS["swap+particle"] * (places.get(second, 0.0) + (second == 1) * places[0])


def _sound(text: str, edit: Edit) -> float:
    cut = words(edit.apply(text))
    start = 0
    for at, word in enumerate(cut):
        if start <= edit.start and edit.end <= start + len(word):
            share = _places("HOMOPHONES", 1, len(cut)).get(at, 0.02)
            return FORMS["homophone"] * share
        start += len(word)
    return 0.0


_SHARES = {
    "repeat": _repeat,
    "stop": _stop,
    "tail": _tail,
    "filler": _filler,
    "swap": _swap,
    "mark": lambda _text, edit: FORMS["swap+particle"] if edit.end - edit.start < 5 else FORMS["swap"] / 2,
    "sound": _sound,
    "pair": _sound,
}
