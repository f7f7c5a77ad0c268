"""Corrector of recognition errors: greedy noisy-channel correction with a character language model.

Candidate edits (`edits`) each undo one kind of error. An edit is scored by a logistic regression per kind, fitted on
simulated noise: its gain under the language model, the surprisal of the place, the likelihood of the error. The best
edit is made, then the next one that is compatible; a threshold keeps clean utterances as they are. Only understanding
reads the corrected text: it is never shown as the user's words.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.challenges.spoken.noise.noise_table import QUIET
from duologue.challenges.spoken.systems.pipeline.asr_correction import edits
from duologue.challenges.spoken.systems.pipeline.asr_correction.char_lm import END, START, CharLanguageModel
from duologue.challenges.spoken.systems.pipeline.asr_correction.edits import EDIT_KINDS, UNUSUAL, Edit
from duologue.challenges.spoken.systems.pipeline.asr_correction.noise_likelihood import noise_log_likelihood
from duologue.core import disk
from duologue.core.errors import FormatError
from duologue.core.records import Problem, Record
from duologue.core.sums import added
from duologue.core.typed import decode_msgpack
from duologue.knowledge.normalization import without_suffix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

_UTTERANCE = 400
"""Characters of an utterance at most that is corrected; the longest of 4,562 visible turns of users has 190."""
_MAX_EDITS = 4
"""Edits of one utterance."""
_UNLIKELY = -3500
"""A character whose ln P after its context, in thousandths, is below this may be an error."""
_MIN_GAIN = 0.5
"""Edits that gain less than this under the language model are not scored."""
_WITHOUT_GAIN = frozenset({"numeral", "end", "mark"})
"""Kinds that are scored whatever they gain."""
_CACHED = 200_000
"""n-grams whose probability is cached."""
_SHORTEST = 3
_LONGEST = 20
"""Fewest and most characters of an entity name that is protected from edits."""

_TOGETHER: dict[str, frozenset[str]] = {
    "repeat": frozenset({"lost", "stop", "tail", "numeral"}),
    "tail": frozenset({"swap", "mark", "repeat", "numeral"}),
    "filler": frozenset({"swap", "mark"}),
    "stop": frozenset({"stop", "repeat", "tail", "end"}),
    "mark": frozenset({"tail", "numeral"}),
    "swap": frozenset({"tail", "numeral"}),
    "sound": frozenset({"sound", "pair"}),
    "pair": frozenset({"sound", "pair"}),
    "numeral": frozenset({"swap", "repeat", "tail", "mark", "numeral"}),
    "lost": frozenset({"repeat"}),
    "end": frozenset({"repeat", "tail"}),
}
"""By kind of edit: the kinds that may follow it, since the noise applies one recipe to an utterance."""
_LATER = {"lost": "repeat", "end": "stop"}
"""Kinds that are allowed only after another kind."""


class CorrectorModel(Record, frozen=True, kw_only=True):
    """Parameters of the corrector: language model, replacement candidates, edit weights."""

    model: CharLanguageModel
    alone: dict[str, str]
    """By reading: the frequent characters, most frequent first."""
    pairs: dict[str, list[str]]
    """By two readings joined by a blank: the frequent pairs of characters."""
    after: dict[str, str]
    """By one or two characters: those that most often follow."""
    weights: dict[str, tuple[float, ...]] = {}
    """By kind of edit: bias and weights of gain, surprisal, hint and noise log-likelihood."""
    threshold: float = math.inf
    """Log odds above which an edit is made."""


class ScoredEdit(NamedTuple):
    """A candidate edit with its features."""

    edit: Edit
    gain: float
    """By how much ln P of the text rises under the language model."""
    surprisal: float
    """-ln P per character of what the edit replaces, in its context."""
    hint: float
    """1 where it undoes a known replacement of the noise or restores an entity name of the graph."""
    log_likelihood: float
    """Log-likelihood of the error that it undoes (`noise_log_likelihood`)."""

    @property
    def features(self) -> tuple[float, ...]:
        """The features in the order of the weights."""
        return 1.0, self.gain, self.surprisal, self.hint, self.log_likelihood


class AsrCorrector:
    """Corrects noisy utterances; made by `train_corrector` or `load`."""

    def __init__(self, knowledge: CorrectorModel, names: Iterable[str] = ()) -> None:
        self.knowledge = knowledge
        self._logs: dict[str, int] = {}
        said = (without_title_marks(without_suffix(name)) for name in names)
        self._names = {name for name in said if _SHORTEST <= len(name) <= _LONGEST}
        self._lengths_by_prefix: dict[str, tuple[int, ...]] = {}  # of names, by their first two characters
        for name in sorted(self._names, key=len, reverse=True):
            known = self._lengths_by_prefix.get(name[:2], ())
            if len(name) not in known:
                self._lengths_by_prefix[name[:2]] = (*known, len(name))

    def with_names(self, names: Iterable[str]) -> AsrCorrector:
        """Return the same corrector for another graph: its entity names are protected, and edits may restore them."""
        return AsrCorrector(self.knowledge, names)

    def correct(self, text: str) -> str:
        """Return the corrected utterance, or the utterance itself where no edit passes the threshold.

        An utterance with title brackets or a middle dot is returned as it is: the noise always drops them. So is one
        that is longer than people's: each of its places means edits, each of which is compared with all of it.
        """
        if len(text) > _UTTERANCE or not QUIET.isdisjoint(text):
            return text
        done: list[str] = []
        for _ in range(_MAX_EDITS):
            best = max(self.scored_edits(text, done), key=self.odds, default=None)
            if best is None or self.odds(best) <= self.knowledge.threshold:
                break
            text = best.edit.apply(text)
            done.append(best.edit.kind)
        return text

    def odds(self, one: ScoredEdit) -> float:
        """Return the log odds that an edit is right."""
        weights = self.knowledge.weights.get(one.edit.kind)
        if weights is None:
            return -math.inf
        return added(weight * feature for weight, feature in zip(weights, one.features, strict=True))

    def scored_edits(self, text: str, done: Sequence[str]) -> Iterator[ScoredEdit]:
        """Yield the candidate edits that may follow the kinds `done`, with their features."""
        model = self.knowledge.model
        padded = START + folded(text) + END
        each = model.each(padded)
        sums = list(accumulate(each, initial=0))
        unlikely = [value < _UNLIKELY for value in each[1:]]
        names = self._spans(text)
        width = model.order - 1
        for edit in self._edits(text, unlikely, done):
            if any(_cuts(edit, start, end) for start, end in names):
                continue
            start, end = edit.start + 1, edit.end + 1
            fresh = padded[max(0, start - width) : start] + _folded(edit.text) + padded[end : end + width]
            after = 0
            for at in range(min(start, width), len(fresh)):
                after += self._log(fresh[max(0, at - width) : at + 1])
            last = min(end + width, len(padded))
            before = sums[last] - sums[start]
            gain = (after - before) / 1000
            if gain > _MIN_GAIN or edit.kind in _WITHOUT_GAIN:
                surprisal = -before / 1000 / (last - start)
                yield ScoredEdit(edit, gain, surprisal, self._hint(text, edit), noise_log_likelihood(text, edit))

    def _log(self, gram: str) -> int:
        found = self._logs.get(gram)
        if found is None:
            if len(self._logs) > _CACHED:
                self._logs.clear()
            found = self._logs[gram] = self.knowledge.model.log(gram)
        return found

    def _edits(self, text: str, unlikely: Sequence[bool], done: Sequence[str]) -> Iterator[Edit]:
        allowed = _allowed(done)
        known = self.knowledge
        generators: list[tuple[set[str], Callable[[], Iterator[Edit]]]] = [
            ({"repeat"}, lambda: edits.repeats(text)),
            ({"stop"}, lambda: edits.stops(text)),
            ({"mark"}, lambda: edits.marks(text)),
            ({"tail", "filler"}, lambda: edits.particles(text)),
            ({"swap"}, lambda: edits.swaps(text, unlikely)),
            ({"sound", "pair"}, lambda: edits.sounds(text, unlikely, known.alone, known.pairs)),
            ({"numeral"}, lambda: edits.numerals(text)),
            ({"lost"}, lambda: edits.losses(text, unlikely, known.after)),
            ({"end"}, lambda: edits.ends(text)),
        ]
        for kinds, generator in generators:
            if kinds & allowed:
                yield from (edit for edit in generator() if edit.kind in allowed)

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of entity names of the graph, from left to right, the longest at each place."""
        found: list[tuple[int, int]] = []
        at = 0
        while at < len(text) - 1:
            lengths = self._lengths_by_prefix.get(text[at : at + 2], ())
            length = next((n for n in lengths if text[at : at + n] in self._names), 0)
            if length:
                found.append((at, at + length))
            at += length or 1
        return found

    def _hint(self, text: str, edit: Edit) -> float:
        if edit.kind in {"sound", "pair"}:
            pairs = zip(text[edit.start : edit.end], edit.text, strict=True)
            if all(other in UNUSUAL.get(sign, "") for sign, other in pairs):
                return 1.0
        if self._names:
            low, high = max(0, edit.start - _LONGEST), edit.end + _LONGEST
            changed = text[low : edit.start] + edit.text + text[edit.end : high]
            if self._named(changed) > self._named(text[low:high]):
                return 1.0
        return 0.0

    def _named(self, text: str) -> int:
        return sum(end - start for start, end in self._spans(text))

    def save(self, path: Path) -> None:
        """Write what was learned; names belong to the graph and are not saved."""
        disk.write_bytes(path, msgspec.msgpack.encode(self.knowledge, order="deterministic"))

    @classmethod
    def load(cls, path: Path, names: Iterable[str] = ()) -> AsrCorrector:
        """Read what `save` wrote. Raises `FormatError` for another file, `StorageError` where there is none."""
        try:
            return cls(decode_msgpack(disk.read_bytes(path), CorrectorModel), names)
        except msgspec.DecodeError as error:
            problem = Problem(
                rule="not-a-corrector", message=f"this is no saved corrector: {error}", advice="train the system again"
            )
            raise FormatError(path, [problem]) from error


def without_title_marks(text: str) -> str:
    """Return a text without title brackets and middle dots, which the noise always drops."""
    return "".join(sign for sign in text if sign not in QUIET)


@lru_cache(4096)
def _folded(text: str) -> str:
    return folded(text)


def folded(text: str) -> str:
    """Return a text as the language model reads it: letters as `a`, digits as `0`, full-width marks; same length."""
    return "".join(
        "a"
        if sign.isascii() and sign.isalpha()
        else "0"
        if sign.isdigit() and sign.isascii()
        else _WIDE.get(sign, sign)
        for sign in text
    )


_WIDE = {"?": "？", ",": "，", "!": "！", ".": "。"}


def _allowed(done: Sequence[str]) -> set[str]:
    """Return the kinds of edits that may follow those made."""
    allowed = set(EDIT_KINDS)
    for kind in done:
        allowed &= _TOGETHER[kind]
    return allowed - {kind for kind, first in _LATER.items() if first not in done}


def _cuts(edit: Edit, start: int, end: int) -> bool:
    """Return whether an edit changes something inside a span."""
    if edit.start == edit.end:
        return start < edit.start < end
    return edit.start < end and start < edit.end
